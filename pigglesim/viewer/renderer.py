"""One table, drawn as often as asked for: bodies, cup, board and light in, pixels out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pyglet import gl

from pigglesim.rolls import Seat
from pigglesim.scene.scene import Scene
from pigglesim.shapes.body import Body
from pigglesim.spatial import Array, to_matrix
from pigglesim.viewer import shaders
from pigglesim.viewer.camera import Camera
from pigglesim.viewer.geometry import board_surface, body_surface, cup_surface, table_surface
from pigglesim.viewer.gpu import DepthMap, Program, Shape, check
from pigglesim.viewer.light import SUN, sun_matrix
from pigglesim.viewer.palette import HAZE, OWNERS, srgb

__all__ = ["Renderer", "Sight"]

_SHADE = 1024
_AROUND = 0.09
_MARK = 0.045
_RING = (0.0165, 0.0008)
_GAPS = {Seat.A: 0.0, Seat.B: 8.0}
_RING_GONE = 0.035
_RING_STRENGTH = 0.85
_FADE = (0.30, 1.30)

@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sight:
    positions: Array
    orientations: Array
    cup: tuple[Array, Array] | None


class Renderer:
    def __init__(self, scene: Scene, bodies: Sequence[Body], owners: Sequence[Seat | None]) -> None:
        self._board = scene.board
        self._owners = tuple(owners)
        shapes: dict[str, Shape] = {}
        for body in bodies:
            if body.model not in shapes:
                shapes[body.model] = Shape.of(body_surface(body))
        self._bodies = [shapes[body.model] for body in bodies]
        self._floor = Shape.of(board_surface(scene.board))
        self._table = Shape.of(table_surface(scene.board))
        self._cup = Shape.of(cup_surface(scene.cup))
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=np.float32)
        faces = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.uint32)
        self._square = Shape(corners, (2,), faces)
        self._shade = DepthMap(_SHADE)
        self._sun = sun_matrix(scene.board.half * math.sqrt(2.0) + _AROUND)
        self._programs = {
            name: Program(*getattr(shaders, name))
            for name in ("DEPTH", "SKIN", "FLOOR", "BACKDROP", "MARK", "CUP", "PLATE")
        }

    def draw(self, frame: int, size: tuple[int, int], camera: Camera, sight: Sight) -> None:
        width, height = size
        models = [
            _model(p, q) for p, q in zip(sight.positions, sight.orientations, strict=True)
        ]
        gl.glDisable(gl.GL_BLEND)
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glDepthMask(gl.GL_TRUE)
        gl.glDepthFunc(gl.GL_LEQUAL)
        gl.glEnable(gl.GL_CULL_FACE)
        gl.glCullFace(gl.GL_BACK)
        self._cast_shadows(models)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, frame)
        gl.glViewport(0, 0, width, height)
        gl.glEnable(gl.GL_MULTISAMPLE)
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT)
        self._shade.bind()
        whole = camera.projection(width / height) @ camera.view
        shared = {"camera": whole, "sun": SUN, "sun_matrix": self._sun, "shade": 0}
        skin = self._programs["SKIN"]
        skin.use({**shared, "eye": camera.eye})
        for shape, model in zip(self._bodies, models, strict=True):
            skin.set("model", model)
            shape.draw()
        floor = self._programs["FLOOR"]
        floor.use({**shared, "model": np.eye(4), "haze": srgb(HAZE), "fade": [9.0, 10.0]})
        self._floor.draw()
        floor.set("fade", _FADE)
        self._table.draw()
        backdrop = self._programs["BACKDROP"]
        ahead = camera.projection(width / height)[1, 1] * -math.tan(-camera.elevation) if camera.elevation < 1.5 else 100.0
        backdrop.use({"haze": srgb(HAZE), "horizon": np.array(ahead)})
        self._square.bind_only() if False else gl.glBindVertexArray(self._square._array)
        gl.glDrawArrays(gl.GL_TRIANGLES, 0, 3)
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA)
        gl.glDepthMask(gl.GL_FALSE)
        self._draw_marks(whole, sight)
        if sight.cup is not None:
            self._draw_cup(whole, camera, sight.cup)
        gl.glDepthMask(gl.GL_TRUE)
        check()

    def _cast_shadows(self, models):
        self._shade.begin()
        program = self._programs["DEPTH"]
        program.use({"sun_matrix": self._sun})
        for shape, model in zip(self._bodies, models, strict=True):
            program.set("model", model)
            shape.draw()

    def _draw_marks(self, whole, sight):
        mark = self._programs["MARK"]
        mark.use({"camera": whole, "reach": np.array(_MARK)})
        half = self._board.half
        for owner, (x, y, z) in zip(self._owners, sight.positions.tolist(), strict=True):
            inside = max(abs(x), abs(y)) <= half
            ground = 0.0 if inside else -self._board.thickness
            mark.set("half_board", np.array(half if inside else 10.0))
            mark.set("centre", np.array([x, y, ground + 0.0003]))
            mark.set("height", np.array(z - ground))
            near = max(0.0, 1.0 - max(0.0, z - ground - 0.02) / _RING_GONE)
            strength = near * _RING_STRENGTH if owner else 0.0
            mark.set("ring", np.array([*_RING, strength]))
            mark.set("owner", srgb(OWNERS[owner or Seat.A]))
            mark.set("gaps", np.array(_GAPS[owner or Seat.A]))
            self._square.draw()

    def _draw_cup(self, whole, camera, cup):
        program = self._programs["CUP"]
        program.use({"camera": whole, "eye": camera.eye, "sun": SUN, "model": _model(*cup)})
        for side, thin in ((gl.GL_FRONT, 0.6), (gl.GL_BACK, 1.0)):
            gl.glCullFace(side)
            program.set("thin", np.array(thin))
            self._cup.draw()
        gl.glCullFace(gl.GL_BACK)


def _model(position, orientation):
    matrix = np.eye(4)
    matrix[:3, :3] = to_matrix(orientation)
    matrix[:3, 3] = position
    return matrix
