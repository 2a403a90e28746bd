"""OpenGL objects: shader programs, meshes, textures and render targets."""

import ctypes
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyglet import gl
from pyglet.image.buffer import Framebuffer, Renderbuffer

from pigglesim.errors import SpecError
from pigglesim.render.meshes import GROUND, SKY, SUNLIGHT, Floats, MeshSurface, encoded

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
SAMPLES = (8, 4, 0)
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


class Texture:
    """A texture of RGBA pixels with premultiplied alpha.

    The top row comes first, shape [height, width, 4].
    """

    def __init__(self, pixels: NDArray[np.uint8]) -> None:
        height, width, _ = pixels.shape
        self._texture = _generate(gl.glGenTextures)
        self.bind()
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        data = np.ascontiguousarray(pixels)
        gl.glTexImage2D(
            gl.GL_TEXTURE_2D, 0, gl.GL_RGBA8, width, height, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE,
            data.ctypes.data_as(ctypes.c_void_p),
        )  # fmt: skip
        for name in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
            gl.glTexParameteri(gl.GL_TEXTURE_2D, name, gl.GL_NEAREST)

    def bind(self) -> None:
        """Bind the texture as texture 0."""
        gl.glActiveTexture(gl.GL_TEXTURE0)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)

    def free(self) -> None:
        """Free the graphics memory."""
        gl.glDeleteTextures(1, gl.GLuint(self._texture))


class RenderTarget:
    """An offscreen framebuffer, antialiased if possible; higher sample counts are tried first."""

    def __init__(self, width: int, height: int, *, samples: tuple[int, ...] = SAMPLES) -> None:
        self.size = (width, height)
        self._objects: list[Any] = []
        max_samples = gl.GLint()
        gl.glGetIntegerv(gl.GL_MAX_SAMPLES, max_samples)
        for count in samples:
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

    def finish(self) -> None:
        """Wait until all draw calls have finished."""
        gl.glFinish()

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
    """Copy values into the bound buffer."""
    data = np.ascontiguousarray(values)
    pointer = data.ctypes.data_as(ctypes.c_void_p)
    gl.glBufferData(kind, data.nbytes, pointer, gl.GL_STATIC_DRAW)
