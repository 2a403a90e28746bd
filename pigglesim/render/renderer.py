"""OpenGL renderer of one table: transforms in, pixels out; its programs, meshes and targets."""

import ctypes
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyglet import gl
from pyglet.image import ImageData, Texture
from pyglet.image.buffer import Framebuffer, Renderbuffer

from pigglesim.bodies.body import Body
from pigglesim.bodies.mesh_files import srgb
from pigglesim.errors import SpecError
from pigglesim.films.film import Still
from pigglesim.landing import Seat
from pigglesim.render.camera import Camera
from pigglesim.render.labels import Plate
from pigglesim.render.lines import ColouredLine, line_triangles
from pigglesim.render.meshes import (
    GROUND,
    SKY,
    SUN,
    SUNLIGHT,
    Floats,
    MeshSurface,
    ShadowGrid,
    board_surface,
    body_surface,
    encoded,
    far_surface,
    shadow_surface,
    sun_matrix,
    surface_of,
    table_surface,
)
from pigglesim.render.palette import HAZE, OWNER_COLOURS
from pigglesim.render.stage import Stage, cup_solid
from pigglesim.rotations import Array, to_matrix
from pigglesim.scene.scene import Scene

_SHADERS = Path(__file__).parent / "shaders"
_INCLUDE = re.compile(r'#include "(\w+\.glsl)"\n')


def _source(name: str) -> str:
    """Return a GLSL file with its includes."""
    text = (_SHADERS / name).read_text()
    return _INCLUDE.sub(lambda match: _source(match[1]), text)


def _light() -> str:
    """Return the header of every shader: GLSL version 3.30, and the colours of the light."""
    colours = {"SKY": SKY, "GROUND": GROUND, "SUNLIGHT": SUNLIGHT, "SHADED": encoded(SKY)}
    consts = (
        f"const vec3 {name} = vec3({', '.join(f'{part:.4f}' for part in colour)});\n"
        for name, colour in colours.items()
    )
    return "".join(["#version 330 core\n", *consts])


_CONTEXT_LOST = 0x0507
_SAMPLES = (8, 4, 0)
"""Sample counts to try for antialiasing, in this order: software GL has 4 at most."""


def check_gl_error() -> None:
    """Raise if an OpenGL error has occurred since the last check.

    Raises:
        SpecError: If the context was lost or memory ran out, which can happen at any draw call.
    """
    code = gl.glGetError()
    if code != gl.GL_NO_ERROR:
        problem = {
            _CONTEXT_LOST: "the graphics driver was restarted while drawing",
            gl.GL_OUT_OF_MEMORY: "the graphics card has no memory left",
        }.get(code, f"OpenGL failed with error 0x{code:04x}")
        raise SpecError(problem, fix="try again, or set LIBGL_ALWAYS_SOFTWARE=1")


def draws_in_software() -> bool:
    """Return True if the CPU draws; antialiasing takes twice the time there."""
    context = gl.current_context
    name = context.get_info().get_renderer().lower() if context else ""
    return any(word in name for word in ("llvmpipe", "softpipe", "swrast", "swr"))


class Program:
    """A shader program, by its files in `shaders`, and its uniforms by name."""

    def __init__(self, vertex: str, fragment: str) -> None:
        self._id = gl.glCreateProgram()
        for kind, name in ((gl.GL_VERTEX_SHADER, vertex), (gl.GL_FRAGMENT_SHADER, fragment)):
            source = _light() + _source(name)
            shader = gl.glCreateShader(kind)
            text = ctypes.create_string_buffer(source.encode())
            pointer = ctypes.cast(ctypes.pointer(text), ctypes.POINTER(gl.GLchar))
            gl.glShaderSource(shader, 1, ctypes.byref(pointer), None)
            gl.glCompileShader(shader)
            gl.glAttachShader(self._id, shader)
            gl.glDeleteShader(shader)
        gl.glLinkProgram(self._id)
        linked = gl.GLint()
        gl.glGetProgramiv(self._id, gl.GL_LINK_STATUS, linked)
        if not linked.value:
            log = ctypes.create_string_buffer(1024)
            gl.glGetProgramInfoLog(self._id, len(log), None, log)
            reason = " ".join(log.value.decode(errors="replace").split())
            raise SpecError(
                f"the driver does not compile GLSL 3.30: {reason}",
                fix="update the graphics driver, or set LIBGL_ALWAYS_SOFTWARE=1",
            )
        self._locations: dict[str, int] = {}

    def use(self, uniforms: Mapping[str, Any] | None = None) -> None:
        """Use the program for the next draw calls, after setting some uniforms."""
        gl.glUseProgram(self._id)
        for name, value in (uniforms or {}).items():
            self.set(name, value)

    def set(self, name: str, value: Any) -> None:  # noqa: ANN401 (a number or any array)
        """Set one uniform of the program in use: a number, or floats by their shape."""
        if name not in self._locations:
            self._locations[name] = gl.glGetUniformLocation(self._id, name.encode())
        location = self._locations[name]
        array = np.ascontiguousarray(value, dtype=np.float32)
        pointer = array.ctypes.data_as(ctypes.POINTER(gl.GLfloat))
        if array.shape == (4, 4):
            gl.glUniformMatrix4fv(location, 1, gl.GL_TRUE, pointer)
        else:
            # pyglet's own programs do not support comparing samplers, which shadows need.
            _SETTERS[array.size](location, 1, pointer)


_SETTERS = {1: gl.glUniform1fv, 2: gl.glUniform2fv, 3: gl.glUniform3fv, 4: gl.glUniform4fv}


class GpuMesh:
    """Triangles on the graphics card.

    Args:
        rows: Attributes of each vertex, shape [vertex_count, sum of `widths`].
        widths: Number of values per attribute, in the order of their locations.
        faces: Vertex indices of the triangles, shape [face_count, 3].
    """

    def __init__(self, rows: Floats, widths: tuple[int, ...], faces: NDArray[np.uint32]) -> None:
        self._count = faces.size
        self._array = _generate(gl.glGenVertexArrays)
        gl.glBindVertexArray(self._array)
        self._buffers = [
            _new_buffer(gl.GL_ARRAY_BUFFER, rows),
            _new_buffer(gl.GL_ELEMENT_ARRAY_BUFFER, faces),
        ]
        start, stride = 0, 4 * sum(widths)
        for location, width in enumerate(widths):
            gl.glEnableVertexAttribArray(location)
            gl.glVertexAttribPointer(location, width, gl.GL_FLOAT, gl.GL_FALSE, stride, start)
            start += 4 * width
        gl.glBindVertexArray(0)

    @classmethod
    def of(cls, surface: MeshSurface) -> "GpuMesh":
        """Return the shape of a surface: position, normal and colour."""
        return cls(surface.rows, (3, 3, 3), surface.faces)

    def draw(self) -> None:
        """Draw the triangles with the program in use."""
        gl.glBindVertexArray(self._array)
        gl.glDrawElements(gl.GL_TRIANGLES, self._count, gl.GL_UNSIGNED_INT, None)

    def draw_faces(self, faces: NDArray[np.uint32]) -> None:
        """Draw other triangles of the same vertices, shape [face_count, 3]."""
        gl.glBindVertexArray(self._array)
        _upload(gl.GL_ELEMENT_ARRAY_BUFFER, faces)
        self._count = faces.size
        self.draw()

    def free(self) -> None:
        """Free the graphics memory."""
        gl.glDeleteVertexArrays(1, gl.GLuint(self._array))
        gl.glDeleteBuffers(2, (gl.GLuint * 2)(*self._buffers))

    def draw_vertices(self, count: int) -> None:
        """Draw a number of vertices whose positions the program computes."""
        gl.glBindVertexArray(self._array)
        gl.glDrawArrays(gl.GL_TRIANGLES, 0, count)


class ShadowMap:
    """A square depth texture: shadows are drawn into it, then read by comparing samplers."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._texture = _generate(gl.glGenTextures)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)
        gl.glTexImage2D(
            gl.GL_TEXTURE_2D, 0, gl.GL_DEPTH_COMPONENT24, size, size, 0,
            gl.GL_DEPTH_COMPONENT, gl.GL_UNSIGNED_INT, None,
        )  # fmt: skip
        for name, value in (
            (gl.GL_TEXTURE_MIN_FILTER, gl.GL_LINEAR),
            (gl.GL_TEXTURE_MAG_FILTER, gl.GL_LINEAR),
            (gl.GL_TEXTURE_WRAP_S, gl.GL_CLAMP_TO_EDGE),
            (gl.GL_TEXTURE_WRAP_T, gl.GL_CLAMP_TO_EDGE),
            (gl.GL_TEXTURE_COMPARE_MODE, gl.GL_COMPARE_REF_TO_TEXTURE),
            (gl.GL_TEXTURE_COMPARE_FUNC, gl.GL_LEQUAL),
        ):
            gl.glTexParameteri(gl.GL_TEXTURE_2D, name, value)
        self._frame = _generate(gl.glGenFramebuffers)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._frame)
        gl.glFramebufferTexture2D(
            gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, gl.GL_TEXTURE_2D, self._texture, 0
        )
        gl.glDrawBuffer(gl.GL_NONE)
        gl.glReadBuffer(gl.GL_NONE)

    def begin(self) -> None:
        """Clear the map, and make it the target of the next draw calls."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._frame)
        gl.glViewport(0, 0, self.size, self.size)
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT)

    def bind(self) -> None:
        """Bind the texture as texture 0."""
        gl.glActiveTexture(gl.GL_TEXTURE0)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)


def _upload_texture(pixels: NDArray[np.uint8]) -> Any:  # noqa: ANN401 (pyglet carries no types)
    """Return RGBA pixels with premultiplied alpha, shape [height, width, 4], as a texture."""
    height, width, _ = pixels.shape
    sharp = {"min_filter": gl.GL_NEAREST, "mag_filter": gl.GL_NEAREST}
    texture = Texture.create(width, height, **sharp, blank_data=False)
    texture.blit_into(ImageData(width, height, "RGBA", pixels.tobytes(), 4 * width), 0, 0, 0)
    return texture


class RenderTarget:
    """An offscreen framebuffer, antialiased if possible; higher sample counts are tried first."""

    def __init__(self, width: int, height: int) -> None:
        self.size = (width, height)
        self._objects: list[Any] = []
        max_samples = gl.GLint()
        gl.glGetIntegerv(gl.GL_MAX_SAMPLES, max_samples)
        for count in _SAMPLES:
            if count > max_samples.value:
                continue
            self.frame = self._framebuffer(count)
            if gl.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER) == gl.GL_FRAMEBUFFER_COMPLETE:
                self.samples = count
                break
        else:
            raise SpecError(
                f"the graphics card has too little memory for {width}x{height} pixels",
                fix="use --size 1280x720",
            )
        self._plain = self.frame if self.samples == 0 else self._framebuffer(0)

    def _framebuffer(self, samples: int) -> int:
        """Return a new framebuffer of colour and depth, bound."""
        frame = Framebuffer()
        for attachment, form in (
            (gl.GL_COLOR_ATTACHMENT0, gl.GL_RGBA8),
            (gl.GL_DEPTH_ATTACHMENT, gl.GL_DEPTH_COMPONENT24),
        ):
            buffer = Renderbuffer(*self.size, form, samples)
            frame.attach_renderbuffer(buffer, attachment=attachment)
            self._objects.append(buffer)
        self._objects.append(frame)
        frame.bind()
        return int(frame.id)

    def free(self) -> None:
        """Free the graphics memory."""
        for gl_object in self._objects:
            gl_object.delete()
        self._objects.clear()

    def show(self) -> None:
        """Copy the picture into the window, which has the same size."""
        self._copy(0)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
        check_gl_error()

    def _copy(self, frame: int) -> None:
        """Copy the picture into another framebuffer, each pixel the mean of its samples."""
        width, height = self.size
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self.frame)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, frame)
        box = (0, 0, width, height)
        gl.glBlitFramebuffer(*box, *box, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)

    def read(self) -> NDArray[np.uint8]:
        """Return the picture as RGBA, the top row first, shape [height, width, 4]."""
        if self.samples:
            self._copy(self._plain)
        return read_pixels(self._plain, self.size)


def read_pixels(frame: int, size: tuple[int, int]) -> NDArray[np.uint8]:
    """Return the pixels of a framebuffer without multisampling, 0 for the window.

    Returns:
        RGBA, the top row first, shape [height, width, 4].
    """
    width, height = size
    pixels = np.zeros((height, width, 4), dtype=np.uint8)
    gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, frame)
    gl.glReadBuffer(gl.GL_COLOR_ATTACHMENT0 if frame else gl.GL_BACK)
    gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
    gl.glReadPixels(
        0, 0, width, height, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE,
        pixels.ctypes.data_as(ctypes.c_void_p),
    )  # fmt: skip
    check_gl_error()
    return pixels[::-1]


def _generate(generate: Any) -> int:  # noqa: ANN401 (a function of OpenGL)
    name = gl.GLuint()
    generate(1, name)
    return int(name.value)


def _new_buffer(kind: int, values: NDArray[Any]) -> int:
    name = _generate(gl.glGenBuffers)
    gl.glBindBuffer(kind, name)
    _upload(kind, values)
    return name


def _upload(kind: int, values: NDArray[Any]) -> None:
    data = np.ascontiguousarray(values)
    pointer = data.ctypes.data_as(ctypes.c_void_p)
    gl.glBufferData(kind, data.nbytes, pointer, gl.GL_STATIC_DRAW)


_SHADE = 1280
"""Side of the shadow map [pixels], each half a millimetre."""
_WHOLE, _CLOSE = 2000.0, 5000.0
"""Scale from which the whole skin is drawn, and from which every pixel is lit [pixels/m]."""
_MARK = 0.030
"""Radius of the dark spot under a body [m]."""
_RING = (0.0165, 0.0008)
"""Radius of an owner's ring and half its width [m]."""
_RING_STRENGTH = 0.85
_RING_LOW, _RING_HIGH = 0.020, 0.035
"""Heights of a body's centre at which its ring is fully drawn and has vanished [m]."""
_SMALL_LIFT = 0.0003
"""Height of marks above the floor [m]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Model:
    """One kind of body on the graphics card."""

    near: GpuMesh
    far: GpuMesh
    shadow: GpuMesh
    radius: float
    """Radius of its bounding sphere about its centre [m]."""


class Renderer:
    """Renderer of one table in the current context.

    Raises:
        SpecError: If the driver does not compile the shaders.
    """

    def __init__(self, scene: Scene) -> None:
        self._board = scene.board
        self._models: dict[str, _Model] = {}
        self._floor = GpuMesh.of(board_surface(scene.board))
        self._table = GpuMesh.of(table_surface(scene.board))
        self._cup = GpuMesh.of(surface_of(cup_solid(scene.cup)))
        self._grid = ShadowGrid(scene.board)
        self._cells = GpuMesh.of(self._grid.surface())
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=np.float32)
        self._square = GpuMesh(corners, (2,), np.array([[0, 1, 2], [0, 2, 3]], dtype=np.uint32))
        self._shadow_map = ShadowMap(_SHADE)
        self._sun = sun_matrix(self._grid.reach)
        self._shadowed: tuple[Array, Array] | None = None
        self._plates: dict[Plate, Any] = {}
        """Textures of the plates in the last picture."""
        self._skin = Program("placed.vert", "skin.frag")
        self._far_skin = Program("far_skin.vert", "far_skin.frag")
        self._depth = Program("depth.vert", "depth.frag")
        self._flat = Program("floor.vert", "floor.frag")
        self._shadow = Program("shadow.vert", "shadow.frag")
        self._backdrop = Program("backdrop.vert", "backdrop.frag")
        self._mark = Program("mark.vert", "mark.frag")
        self._glass = Program("placed.vert", "cup.frag")
        self._line = Program("line.vert", "line.frag")
        self._words = Program("plate.vert", "plate.frag")
        self._bodies: list[_Model] = []
        self._owners: list[Seat | None] = []
        self._radii = np.zeros(0)
        check_gl_error()

    def set_stage(self, stage: Stage) -> None:
        """Draw the bodies of a stage from now on, in their owners' rings, on the same table."""
        for body in stage.bodies:
            if body.model not in self._models:
                self._models[body.model] = _upload_model(body)
        self._bodies = [self._models[body.model] for body in stage.bodies]
        self._owners = [actor.owner for actor in stage.film.actors]
        self._radii = np.array([model.radius for model in self._bodies])
        self._shadowed = None

    def draw(
        self,
        frame: int,
        size: tuple[int, int],
        camera: Camera,
        still: Still,
        *,
        lines: Sequence[ColouredLine] = (),
        plates: Sequence[Plate] = (),
    ) -> None:
        """Draw one picture into a framebuffer, 0 for a window, of a size [pixels].

        Lines have a depth test; plates are on top of everything, the last in front.

        Raises:
            SpecError: If the context was lost.
        """
        width, height = size
        models = [
            _model_matrix(position, rotation)
            for position, rotation in zip(still.positions, still.rotations, strict=True)
        ]
        _opaque()
        self._cast_shadows(still, models)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, frame)
        gl.glViewport(0, 0, width, height)
        gl.glEnable(gl.GL_MULTISAMPLE)
        red, green, blue = srgb(HAZE).tolist()
        gl.glClearColor(red, green, blue, 1.0)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)
        projection = camera.projection(width / height)
        view_projection = projection @ camera.view
        # Front to back: hidden pixels are not lit.
        away = np.linalg.norm(still.positions - camera.eye, axis=1)
        scale = projection[1, 1] * height / 2.0 / np.maximum(away, 1e-3)
        self._draw_bodies(view_projection, camera, models, scale)
        self._flat.use({"camera": view_projection})
        self._floor.draw()
        self._table.draw()
        self._draw_backdrop(projection, camera)
        # Blending without depth writes, for translucent objects.
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendEquation(gl.GL_FUNC_ADD)
        gl.glDepthMask(gl.GL_FALSE)
        self._draw_shadows(view_projection, still)
        gl.glBlendFunc(gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA)
        self._draw_marks(view_projection, still)
        if still.cup is not None:
            model = _model_matrix(np.array(still.cup[0]), np.array(still.cup[1]))
            self._draw_cup(view_projection, camera, model)
        if lines:
            self._draw_lines(view_projection, size, lines)
        self._draw_plates(size, plates)
        gl.glDepthMask(gl.GL_TRUE)
        check_gl_error()

    def _cast_shadows(self, still: Still, models: Sequence[Array]) -> None:
        """Draw the shadow map, unless no body has moved."""
        if self._shadowed is not None and all(
            np.array_equal(was, now)
            for was, now in zip(self._shadowed, (still.positions, still.rotations), strict=True)
        ):
            return
        self._shadow_map.begin()
        self._depth.use({"sun_matrix": self._sun})
        for body, model in zip(self._bodies, models, strict=True):
            self._depth.set("model", model)
            body.shadow.draw()
        self._shadowed = (still.positions.copy(), still.rotations.copy())

    def _draw_bodies(
        self, view_projection: Array, camera: Camera, models: Sequence[Array], scale: Array
    ) -> None:
        """Draw the bodies, each by its matrix, at the detail that its pixels per metre need."""
        self._shadow_map.bind()
        shared = {"camera": view_projection, "eye": camera.eye, "sun": SUN, "sun_matrix": self._sun}
        close = scale > _CLOSE
        for program, chosen in ((self._skin, close), (self._far_skin, ~close)):
            program.use(shared)
            for number in np.flatnonzero(chosen).tolist():
                program.set("model", models[number])
                body = self._bodies[number]
                (body.near if scale[number] > _WHOLE else body.far).draw()

    def _draw_backdrop(self, projection: Array, camera: Camera) -> None:
        if camera.elevation > math.radians(80.0):
            return
        horizon = float(projection[1, 1]) * math.tan(camera.elevation)
        if horizon < 1.0:
            self._backdrop.use({"haze": srgb(HAZE), "horizon": horizon})
            self._square.draw_vertices(3)

    def _draw_shadows(self, view_projection: Array, still: Still) -> None:
        cells = self._grid.shaded(still.positions, self._radii)
        gl.glBlendFunc(gl.GL_ZERO, gl.GL_SRC_COLOR)
        self._shadow.use({"camera": view_projection, "sun_matrix": self._sun})
        self._cells.draw_faces(self._grid.faces(cells))

    def _draw_marks(self, view_projection: Array, still: Still) -> None:
        self._mark.use({"camera": view_projection, "reach": _MARK})
        half = self._board.half
        for owner, (x, y, z) in zip(self._owners, still.positions.tolist(), strict=True):
            inside = max(abs(x), abs(y)) <= half
            ground = 0.0 if inside else -self._board.thickness
            high = (z - ground - _RING_LOW) / (_RING_HIGH - _RING_LOW)
            strength = _RING_STRENGTH * (1.0 - min(max(high, 0.0), 1.0))
            values = {
                "centre": [x, y, ground + _SMALL_LIFT],
                "half_board": half if inside else 10.0,
                "height": z - ground,
                "ring": [*_RING, strength if owner else 0.0],
                "owner": srgb(OWNER_COLOURS[owner or Seat.A]),
                # Rings differ by colour, and for colour-blind viewers by B's gaps.
                "gaps": 1.0 if owner is Seat.B else 0.0,
            }
            for name, value in values.items():
                self._mark.set(name, value)
            self._square.draw()

    def _draw_cup(self, view_projection: Array, camera: Camera, model: Array) -> None:
        self._glass.use({"camera": view_projection, "eye": camera.eye, "sun": SUN, "model": model})
        # Back to front: the inner surfaces seen through the glass, then the outer ones.
        for side, strength in ((gl.GL_FRONT, 0.6), (gl.GL_BACK, 1.0)):
            gl.glCullFace(side)
            self._glass.set("strength", strength)
            self._cup.draw()
        gl.glCullFace(gl.GL_BACK)

    def _draw_lines(
        self, view_projection: Array, size: tuple[int, int], lines: Sequence[ColouredLine]
    ) -> None:
        rows = line_triangles(lines, view_projection, size).astype(np.float32)
        shape = GpuMesh(rows, (4, 3), np.arange(len(rows), dtype=np.uint32).reshape(-1, 3))
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glDisable(gl.GL_BLEND)
        self._line.use()
        shape.draw()
        shape.free()
        gl.glEnable(gl.GL_CULL_FACE)
        gl.glEnable(gl.GL_BLEND)

    def _draw_plates(self, size: tuple[int, int], plates: Sequence[Plate]) -> None:
        """Draw texts over the current picture, the last in front."""
        gl.glDisable(gl.GL_DEPTH_TEST)
        for forgotten in set(self._plates).difference(plates):
            self._plates.pop(forgotten).delete()
        self._words.use()
        width, height = size
        for plate in plates:
            if plate not in self._plates:
                self._plates[plate] = _upload_texture(plate.pixels)
            self._plates[plate].bind()
            x, y = plate.corner
            right, low = x + plate.size[0], y + plate.size[1]
            ends = [x / width, 1 - low / height, right / width, 1 - y / height]
            self._words.set("box", 2.0 * np.array(ends) - 1.0)
            self._square.draw()
        gl.glEnable(gl.GL_DEPTH_TEST)


def _upload_model(body: Body) -> _Model:
    reach = np.linalg.norm(body.skin.vertices - body.mass.centre, axis=1)
    return _Model(
        near=GpuMesh.of(body_surface(body)),
        far=GpuMesh.of(far_surface(body)),
        shadow=GpuMesh.of(shadow_surface(body)),
        radius=float(reach.max()),
    )


def _model_matrix(position: Array, rotation: Array) -> Array:
    """Return the matrix from a body's axes to the world, shape [4, 4]."""
    matrix = np.eye(4)
    matrix[:3, :3] = to_matrix(rotation)
    matrix[:3, 3] = position
    return matrix


def _opaque() -> None:
    """Set the state for opaque objects; earlier drawing may have left any state."""
    gl.glDisable(gl.GL_BLEND)
    gl.glDisable(gl.GL_SCISSOR_TEST)
    gl.glEnable(gl.GL_DEPTH_TEST)
    gl.glDepthMask(gl.GL_TRUE)
    gl.glDepthFunc(gl.GL_LEQUAL)
    gl.glEnable(gl.GL_CULL_FACE)
    gl.glCullFace(gl.GL_BACK)
