"""Draws lines over the table with the graphics card. A context must be current."""

from collections.abc import Sequence

import numpy as np
from pyglet import gl

from pigglesim.viewer.camera import Camera
from pigglesim.viewer.gpu import Program, Shape
from pigglesim.viewer.lines import line_triangles
from pigglesim.viewer.marks import Line

__all__ = ["LinePainter"]

_VERTEX = """#version 330 core
layout(location = 0) in vec4 place;
layout(location = 1) in vec3 colour_in;
out vec3 colour;
void main() { colour = colour_in; gl_Position = place; }
"""
_FRAGMENT = """#version 330 core
in vec3 colour;
out vec4 shown;
void main() { shown = vec4(colour, 1.0); }
"""


class LinePainter:
    """Draws into the frame that the renderer has just drawn, behind whatever hides a line."""

    def __init__(self) -> None:
        self._program = Program(_VERTEX, _FRAGMENT)

    def draw(self, size: tuple[int, int], camera: Camera, lines: Sequence[Line]) -> None:
        """Draw lines.

        Args:
            size: Width and height of the frame in pixels.
            camera: Where one looks from.
            lines: In the world.
        """
        width, height = size
        rows = line_triangles(lines, camera.projection(width / height) @ camera.view, size)
        if not len(rows):
            return
        corners = np.arange(len(rows), dtype=np.uint32).reshape(-1, 3)
        shape = Shape(rows.astype(np.float32), (4, 3), corners)
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glDepthMask(gl.GL_FALSE)
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glDisable(gl.GL_BLEND)
        self._program.use()
        shape.draw()
        shape.drop()
        gl.glEnable(gl.GL_CULL_FACE)
        gl.glEnable(gl.GL_BLEND)
