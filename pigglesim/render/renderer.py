"""OpenGL renderer of one table: transforms in, pixels out; its programs, meshes and targets."""

import ctypes
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
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
from pigglesim.render.board_print import painted
from pigglesim.render.camera import Camera
from pigglesim.render.labels import LabelPlate
from pigglesim.render.lines import ColouredLine, line_triangles
from pigglesim.render.meshes import (
    Floats,
    MeshSurface,
    body_surface,
    far_surface,
    shadow_surface,
    sun_matrix,
    surface_of,
)
from pigglesim.render.page import WEB
from pigglesim.render.palette import HAZE, OWNER_COLOURS, SUN
from pigglesim.render.stage import (
    WOOD_SIDE,
    Stage,
    cup_fittings,
    cup_solid,
    printed_solid,
    table_solid,
)
from pigglesim.rotations import Array, to_matrix
from pigglesim.scene.scene import Scene

_SHADERS = Path(__file__).parent / "shaders"
_SHARED = re.compile(r"const (\w+) = `(.*?)`;", re.DOTALL)


@cache
def _shared() -> dict[str, str]:
    """Return the shaders of the page, by name, which draw pictures and windows too."""
    texts = dict(_SHARED.findall((WEB / "shaders.js").read_text()))
    return {name: text.replace("${LIGHT}", texts["LIGHT"]) for name, text in texts.items()}


def _source(name: str, define: str) -> str:
    """Return a shader as GLSL 3.30, by its name in `shaders.js` or its file in `shaders`."""
    if name not in _shared():
        return "#version 330 core\n" + (_SHADERS / name).read_text()
    define = f"#define {define}\n" if define else ""
    return _shared()[name].replace("#version 300 es\n", f"#version 330 core\n{define}")


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
    """A shader program, by the names of its shaders, and its uniforms by name."""

    def __init__(self, vertex: str, fragment: str, *, define: str = "") -> None:
        self._id = gl.glCreateProgram()
        for kind, name in ((gl.GL_VERTEX_SHADER, vertex), (gl.GL_FRAGMENT_SHADER, fragment)):
            source = _source(name, define)
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
        """Set one uniform of the program in use: a texture's unit, or floats by their shape."""
        if name not in self._locations:
            self._locations[name] = gl.glGetUniformLocation(self._id, name.encode())
        location = self._locations[name]
        if isinstance(value, int):
            gl.glUniform1i(location, value)
            return
        array = np.ascontiguousarray(value, dtype=np.float32)
        pointer = array.ctypes.data_as(ctypes.POINTER(gl.GLfloat))
        if array.shape == (4, 4):
            gl.glUniformMatrix4fv(location, 1, gl.GL_TRUE, pointer)
        elif array.ndim > 1:
            gl.glUniform4fv(location, len(array), pointer)
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
        self.palette: NDArray[np.float32] | None = None
        """Paint of each material, shape [material_count, 4]; None if it has none."""
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
        """Return the shape of a surface: position and material, and normal."""
        mesh = cls(surface.rows, (4, 3), surface.faces)
        mesh.palette = np.array(surface.palette, dtype=np.float32)
        return mesh

    def draw(self) -> None:
        """Draw the triangles with the program in use."""
        gl.glBindVertexArray(self._array)
        gl.glDrawElements(gl.GL_TRIANGLES, self._count, gl.GL_UNSIGNED_INT, None)

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


class _Print:
    """A texture that can be repeated, with its smaller copies, for a width [m]."""

    def __init__(self, width: float, side: int, pixels: NDArray[np.uint8] | None = None) -> None:
        self.cover = 1.0 / width
        self._side = side
        self._texture = _generate(gl.glGenTextures)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)
        form = gl.GL_RGBA8 if pixels is None else gl.GL_SRGB8_ALPHA8
        data = None if pixels is None else pixels.tobytes()
        gl.glTexImage2D(
            gl.GL_TEXTURE_2D, 0, form, side, side, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, data
        )
        mipmapped = gl.GL_LINEAR_MIPMAP_LINEAR
        gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, mipmapped)
        if pixels is not None:
            gl.glGenerateMipmap(gl.GL_TEXTURE_2D)

    def draw(self, program: Program, screen: GpuMesh) -> None:
        """Draw the texture by a program."""
        frame = _generate(gl.glGenFramebuffers)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, frame)
        gl.glFramebufferTexture2D(
            gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, self._texture, 0
        )
        gl.glViewport(0, 0, self._side, self._side)
        gl.glDisable(gl.GL_DEPTH_TEST)
        program.use()
        screen.draw_vertices(3)
        gl.glDeleteFramebuffers(1, gl.GLuint(frame))
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)
        gl.glGenerateMipmap(gl.GL_TEXTURE_2D)

    def bind(self, program: Program) -> None:
        """Let a program in use cover what it draws."""
        gl.glActiveTexture(gl.GL_TEXTURE1)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)
        gl.glActiveTexture(gl.GL_TEXTURE0)
        program.set("u_cover", self.cover)


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
_LAMP = 0.30
"""Distance from the middle of the board within which shadows fall, in the usual scenes [m]."""
_WOOD_PIXELS = 1024
"""Side of the texture of the table."""
_WHOLE = 2000.0
"""Scale from which the whole skin is drawn [pixels/m]."""
_TABLE_REACH = 1.7
"""Radius of the table, which fades towards its rim [m]."""
_MARK = 0.030
"""Radius of the dark spot under a body [m]."""
_RING = (0.0165, 0.0008)
"""Radius of an owner's ring and half its width [m]."""
_RING_STRENGTH = 0.85
_RING_LOW, _RING_HIGH = 0.020, 0.035
"""Heights of a body's centre at which its ring is fully drawn and has vanished [m]."""
_GLASS = 0.9
"""Opacity of the cup where it is seen along its wall."""
_PLAIN = {"u_unit": 1.0, "u_middle": (0.0, 0.0, 0.0), "u_opacity": 1.0, "u_fade": 0.0}
"""Uniforms of a mesh in metres that is opaque."""
_SMALL_LIFT = 0.0003
"""Height of marks above the floor [m]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Model:
    """One kind of body on the graphics card."""

    near: GpuMesh
    far: GpuMesh
    shadow: GpuMesh


class Renderer:
    """Renderer of one table in the current context.

    Raises:
        SpecError: If the driver does not compile the shaders.
    """

    def __init__(self, scene: Scene) -> None:
        board = self._board = scene.board
        self._models: dict[str, _Model] = {}
        self._floor = GpuMesh.of(surface_of(printed_solid(board)))
        self._table = GpuMesh.of(surface_of(table_solid(board, _TABLE_REACH)))
        self._cup = GpuMesh.of(surface_of(cup_solid(scene.cup)))
        self._fittings = [GpuMesh.of(surface_of(part)) for part in cup_fittings(scene.cup)]
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=np.float32)
        self._square = GpuMesh(corners, (2,), np.array([[0, 1, 2], [0, 2, 3]], dtype=np.uint32))
        pixels = painted(board)
        self._print = _Print(board.size, len(pixels), pixels)
        self._wood = _Print(WOOD_SIDE, _WOOD_PIXELS)
        self._wood.draw(Program("SCREEN_VERTEX", "WOOD_FRAGMENT"), self._square)
        self._shadow_map = ShadowMap(_SHADE)
        self._lamp = sun_matrix(max(_LAMP, 0.9 * board.size))
        self._shadowed: tuple[object, ...] | None = None
        self._plates: dict[LabelPlate, Any] = {}
        """Textures of the plates in the last picture."""
        self._solid, self._flat, self._glass = (
            Program("SOLID_VERTEX", "SOLID_FRAGMENT", define=define)
            for define in ("", "FLAT", "GLASS")
        )
        self._depth = Program("SHADOW_VERTEX", "SHADOW_FRAGMENT")
        self._contact = Program("MARK_VERTEX", "CONTACT_FRAGMENT")
        self._ring = Program("MARK_VERTEX", "RING_FRAGMENT")
        self._backdrop = Program("backdrop.vert", "backdrop.frag")
        self._line = Program("line.vert", "line.frag")
        self._words = Program("plate.vert", "plate.frag")
        self._bodies: list[_Model] = []
        self._owners: list[Seat | None] = []
        check_gl_error()

    def set_stage(self, stage: Stage) -> None:
        """Draw the bodies of a stage from now on, in their owners' rings, on the same table."""
        for body in stage.bodies:
            if body.model not in self._models:
                self._models[body.model] = _upload_model(body)
        self._bodies = [self._models[body.model] for body in stage.bodies]
        self._owners = [actor.owner for actor in stage.film.actors]
        self._shadowed = None

    def draw(
        self,
        frame: int,
        size: tuple[int, int],
        camera: Camera,
        still: Still,
        *,
        lines: Sequence[ColouredLine] = (),
        plates: Sequence[LabelPlate] = (),
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
        cup = still.cup and _model_matrix(np.array(still.cup[0]), np.array(still.cup[1]))
        _opaque()
        self._cast_shadows(still, models, cup)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, frame)
        gl.glViewport(0, 0, width, height)
        gl.glEnable(gl.GL_MULTISAMPLE)
        red, green, blue = srgb(HAZE).tolist()
        gl.glClearColor(red, green, blue, 1.0)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)
        projection = camera.projection(width / height)
        view_projection = projection @ camera.view
        away = np.linalg.norm(still.positions - camera.eye, axis=1)
        scale = projection[1, 1] * height / 2.0 / np.maximum(away, 1e-3)
        self._shadow_map.bind()
        light = {
            "u_seen": view_projection, "u_eye": camera.eye, "u_sun": SUN, "u_lamp": self._lamp,
            "u_shadow": 0, "u_print": 1, **_PLAIN,
        }  # fmt: skip
        # Front to back: hidden pixels are not lit.
        self._solid.use(light)
        for body, model, size_seen in zip(self._bodies, models, scale.tolist(), strict=True):
            self._put(self._solid, body.near if size_seen > _WHOLE else body.far, model)
        if cup is not None:
            for part in self._fittings:
                self._put(self._solid, part, cup)
        self._flat.use(light)
        self._print.bind(self._flat)
        self._put(self._flat, self._floor, np.eye(4))
        self._draw_backdrop(projection, camera)
        # Blending without depth writes, for translucent objects.
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendEquation(gl.GL_FUNC_ADD)
        gl.glBlendFunc(gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA)
        self._flat.use({"u_fade": _TABLE_REACH, "u_board": self._board.size})
        self._wood.bind(self._flat)
        self._put(self._flat, self._table, np.eye(4))
        gl.glDepthMask(gl.GL_FALSE)
        self._draw_marks(view_projection, still)
        if cup is not None:
            self._glass.use({**light, "u_opacity": _GLASS})
            # Back to front: the inner surfaces seen through the glass, then the outer ones.
            for side in (gl.GL_FRONT, gl.GL_BACK):
                gl.glCullFace(side)
                self._put(self._glass, self._cup, cup)
        if lines:
            self._draw_lines(view_projection, size, lines)
        self._draw_plates(size, plates)
        gl.glDepthMask(gl.GL_TRUE)
        check_gl_error()

    def _put(self, program: Program, mesh: GpuMesh, model: Array) -> None:
        program.set("u_place", model)
        program.set("u_palette", mesh.palette)
        mesh.draw()

    def _cast_shadows(self, still: Still, models: Sequence[Array], cup: Array | None) -> None:
        """Draw the shadow map, unless nothing has moved."""
        now = (still.positions.tobytes(), still.rotations.tobytes(), still.cup)
        if self._shadowed == now:
            return
        self._shadow_map.begin()
        self._depth.use({"u_lamp": self._lamp, **_PLAIN})
        solids = [(body.shadow, model) for body, model in zip(self._bodies, models, strict=True)]
        solids += [(self._floor, np.eye(4))]
        if cup is not None:
            solids += [(part, cup) for part in self._fittings]
        for mesh, model in solids:
            self._depth.set("u_place", model)
            mesh.draw()
        self._shadowed = now

    def _draw_backdrop(self, projection: Array, camera: Camera) -> None:
        horizon = float(projection[1, 1]) * math.tan(min(camera.elevation, math.radians(80.0)))
        if horizon < 1.0:
            self._backdrop.use({"haze": srgb(HAZE), "horizon": horizon})
            self._square.draw_vertices(3)

    def _draw_marks(self, view_projection: Array, still: Still) -> None:
        """Draw the owners' rings, and over them the dark of each body's nearness."""
        half = self._board.half
        for program, factors in (
            (self._ring, (gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA)),
            (self._contact, (gl.GL_ZERO, gl.GL_SRC_COLOR)),
        ):
            gl.glBlendFunc(*factors)
            program.use({"u_seen": view_projection, "u_reach": _MARK, "u_disc": 0.0})
            for owner, (x, y, z) in zip(self._owners, still.positions.tolist(), strict=True):
                inside = max(abs(x), abs(y)) <= half
                ground = 0.0 if inside else -self._board.thickness
                program.set("u_middle", [x, y, ground + _SMALL_LIFT])
                program.set("u_half", half if inside else 10.0)
                if program is self._contact:
                    program.set("u_height", z - ground)
                elif owner:
                    high = (z - ground - _RING_LOW) / (_RING_HIGH - _RING_LOW)
                    strength = _RING_STRENGTH * (1.0 - min(max(high, 0.0), 1.0))
                    program.set("u_ring", [*_RING, strength])
                    program.set("u_owner", srgb(OWNER_COLOURS[owner]))
                    # Rings differ by colour, and for colour-blind viewers by B's gaps.
                    program.set("u_gaps", 1.0 if owner is Seat.B else 0.0)
                else:
                    continue
                self._square.draw()
        gl.glBlendFunc(gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA)

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

    def _draw_plates(self, size: tuple[int, int], plates: Sequence[LabelPlate]) -> None:
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
    surfaces = body_surface(body), far_surface(body), shadow_surface(body)
    near, far, shadow = map(GpuMesh.of, surfaces)
    return _Model(near=near, far=far, shadow=shadow)


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
