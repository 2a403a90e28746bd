"""Renderer of one table: transforms in, pixels out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pyglet import gl

from pigglesim.bodies.body import Body
from pigglesim.films.film import Still
from pigglesim.landing import Seat
from pigglesim.render.camera import Camera
from pigglesim.render.gpu import GpuMesh, Program, ShadowMap, Texture, check_gl_error
from pigglesim.render.labels import Plate
from pigglesim.render.lines import ColouredLine, line_triangles
from pigglesim.render.meshes import (
    SUN,
    ShadowGrid,
    board_surface,
    body_surface,
    far_surface,
    shadow_surface,
    sun_matrix,
    surface_of,
    table_surface,
)
from pigglesim.render.palette import HAZE, OWNER_COLOURS, srgb
from pigglesim.render.stage import Stage, cup_solid
from pigglesim.rotations import Array, to_matrix
from pigglesim.scene.scene import Scene

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
        self._plates: dict[Plate, Texture] = {}
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
            self._plates.pop(forgotten).free()
        self._words.use()
        width, height = size
        for plate in plates:
            if plate not in self._plates:
                self._plates[plate] = Texture(plate.pixels)
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
