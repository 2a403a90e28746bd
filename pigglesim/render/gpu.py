"""What the graphics card does with each vertex and each pixel, in GLSL 3.30."""

import ctypes
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyglet import gl

from pigglesim.errors import SpecError
from pigglesim.render.meshes import GROUND, SKY, SUNLIGHT, Floats, MeshSurface, encoded
from pigglesim.rotations import Array

_VERSION = "#version 330 core\n"


def _vector(values: Array) -> str:
    return f"vec3({', '.join(f'{value:.4f}' for value in values)})"


_LIGHT = (
    f"""
uniform vec3 sun;
uniform mat4 sun_matrix;
uniform sampler2DShadow shade;
const vec3 SKY = {_vector(SKY)};
const vec3 GROUND = {_vector(GROUND)};
const vec3 SUNLIGHT = {_vector(SUNLIGHT)};
const vec3 SHADED = {_vector(encoded(SKY))};
"""
    + """
// How much of the sun reaches a place, from four looks at the map of depths.
float lit(vec3 place, float bias) {
    vec3 at = (sun_matrix * vec4(place, 1.0)).xyz * 0.5 + 0.5;
    at.z -= bias;
    vec2 step = 0.75 / vec2(textureSize(shade, 0));
    float sum = texture(shade, at + vec3(-step.x, -step.y * 0.4, 0.0));
    sum += texture(shade, at + vec3(step.x * 0.4, -step.y, 0.0));
    sum += texture(shade, at + vec3(step.x, step.y * 0.4, 0.0));
    sum += texture(shade, at + vec3(-step.x * 0.4, step.y, 0.0));
    return sum * 0.25;
}
"""
)

_PLACED = """
layout(location = 0) in vec3 vertex;
layout(location = 1) in vec3 normal_in;
layout(location = 2) in vec3 colour_in;
uniform mat4 camera;
uniform mat4 model;
out vec3 place;
out vec3 normal;
out vec3 colour;
void main() {
    vec4 world = model * vec4(vertex, 1.0);
    place = world.xyz;
    normal = mat3(model) * normal_in;
    colour = colour_in;
    gl_Position = camera * world;
}
"""

DEPTH = (
    _VERSION
    + """
layout(location = 0) in vec3 vertex;
uniform mat4 sun_matrix;
uniform mat4 model;
void main() { gl_Position = sun_matrix * (model * vec4(vertex, 1.0)); }
""",
    _VERSION + "void main() {}\n",
)
"""Bodies as the lamp sees them."""

_SOFT_PLASTIC = """
uniform vec3 eye;
vec3 seen(vec3 place, vec3 n, vec3 colour) {
    vec3 to_eye = normalize(eye - place);
    float sunny = dot(n, sun);
    float free = lit(place + 0.0007 * n, 0.0006);
    float wrapped = clamp((sunny + 0.2) / 1.2, 0.0, 1.0);
    // What looks down near the board sees little of the sky.
    float open = 0.35 + 0.65 * clamp(place.z / 0.016, 0.0, 1.0);
    vec3 around = mix(GROUND * open, SKY, 0.5 + 0.5 * n.z);
    vec3 light = colour * (around + SUNLIGHT * 1.16 * wrapped * mix(0.12, 1.0, free));
    float facing = clamp(dot(n, to_eye), 0.0, 1.0);
    float gloss = pow(clamp(dot(n, normalize(sun + to_eye)), 0.0, 1.0), 70.0);
    float rim = (1.0 - facing) * (1.0 - facing);
    light += 0.30 * gloss * free * step(0.0, sunny) + 0.085 * rim * rim * SKY;
    return pow(min(light, vec3(1.0)), vec3(1.0 / 2.2));
}
"""

SKIN = (
    _VERSION + _PLACED,
    _VERSION
    + _LIGHT
    + _SOFT_PLASTIC
    + """
in vec3 place;
in vec3 normal;
in vec3 colour;
out vec4 shown;
void main() { shown = vec4(seen(place, normalize(normal), colour), 1.0); }
""",
)
"""Piggles and dice seen closely: light at every pixel."""

FAR_SKIN = (
    _VERSION
    + _LIGHT
    + _SOFT_PLASTIC
    + """
layout(location = 0) in vec3 vertex;
layout(location = 1) in vec3 normal_in;
layout(location = 2) in vec3 colour_in;
uniform mat4 camera;
uniform mat4 model;
out vec3 light;
void main() {
    vec4 world = model * vec4(vertex, 1.0);
    light = seen(world.xyz, mat3(model) * normal_in, colour_in);
    gl_Position = camera * world;
}
""",
    _VERSION
    + """
in vec3 light;
out vec4 shown;
void main() { shown = vec4(light, 1.0); }
""",
)
"""The same from afar, where a triangle is a pixel or two: light at every vertex."""

FLOOR = (
    _VERSION
    + """
layout(location = 0) in vec3 vertex;
layout(location = 2) in vec3 colour_in;
uniform mat4 camera;
out vec3 colour;
void main() {
    colour = colour_in;
    gl_Position = camera * vec4(vertex, 1.0);
}
""",
    _VERSION
    + """
in vec3 colour;
out vec4 shown;
void main() { shown = vec4(colour, 1.0); }
""",
)
"""Board and table, whose colours have the light in them."""

SHADOW = (
    _VERSION
    + """
layout(location = 0) in vec3 vertex;
uniform mat4 camera;
out vec3 place;
void main() {
    place = vertex;
    gl_Position = camera * vec4(vertex, 1.0);
}
""",
    _VERSION
    + _LIGHT
    + """
in vec3 place;
out vec4 shown;
void main() { shown = vec4(mix(SHADED, vec3(1.0), lit(place, 0.0012)), 1.0); }
""",
)
"""By what board and table are darkened where shadows fall: multiplied with what is there."""

BACKDROP = (
    _VERSION
    + """
out float height;
void main() {
    vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    height = corner.y;
    gl_Position = vec4(corner, 1.0, 1.0);
}
""",
    _VERSION
    + """
in float height;
uniform vec3 haze;
uniform float horizon;
out vec4 shown;
void main() {
    float above = clamp(height - horizon, 0.0, 2.0);
    shown = vec4(mix(haze, vec3(0.83, 0.88, 0.91), 1.0 - exp(-1.1 * above)), 1.0);
}
""",
)
"""A soft sky from the horizon upwards; haze below it."""

MARK = (
    _VERSION
    + """
layout(location = 0) in vec2 corner;
uniform mat4 camera;
uniform vec3 centre;
uniform float reach;
out vec2 across;
out vec2 place;
void main() {
    across = corner * reach;
    place = centre.xy + across;
    gl_Position = camera * vec4(place, centre.z, 1.0);
}
""",
    _VERSION
    + """
in vec2 across;
in vec2 place;
uniform float height;
uniform float reach;
uniform float half_board;
uniform vec3 owner;
uniform vec3 ring;
uniform float gaps;
out vec4 shown;
void main() {
    if (max(abs(place.x), abs(place.y)) > half_board) discard;
    float d = length(across);
    // Of the sky over a level floor, a ball takes (r / D)^2 times the cosine of its height.
    float h = max(height, 0.004);
    float near = inversesqrt(d * d + h * h);
    float ball = 0.000121 * h * near * near * near;
    float dark = 0.55 * min(ball, 1.0) * (1.0 - smoothstep(0.4, 1.0, d / reach));
    float soft = fwidth(d);
    float band = 1.0 - smoothstep(ring.y - soft, ring.y + soft, abs(d - ring.x));
    // The cosine of eight times the angle, by doubling it three times.
    vec2 turn = across / max(d, 1e-6);
    turn = vec2(turn.x * turn.x - turn.y * turn.y, 2.0 * turn.x * turn.y);
    turn = vec2(turn.x * turn.x - turn.y * turn.y, 2.0 * turn.x * turn.y);
    turn = vec2(turn.x * turn.x - turn.y * turn.y, 2.0 * turn.x * turn.y);
    float cut = mix(1.0, smoothstep(-0.75, -0.35, turn.x), gaps);
    float inked = ring.z * band * cut;
    vec3 shade = vec3(0.13, 0.09, 0.07);
    float cover = dark + inked - dark * inked;
    vec3 mixed = shade * dark * (1.0 - inked) + owner * inked;
    shown = vec4(mixed, cover);
}
""",
)
"""Under each body: the dark of its nearness, and its owner's ring. Colours are premultiplied."""

CUP = (
    _VERSION + _PLACED,
    _VERSION
    + """
in vec3 place;
in vec3 normal;
in vec3 colour;
uniform vec3 eye;
uniform vec3 sun;
uniform float strength;
out vec4 shown;
void main() {
    vec3 n = normalize(normal);
    vec3 to_eye = normalize(eye - place);
    n = dot(n, to_eye) < 0.0 ? -n : n;
    float edge = 1.0 - clamp(dot(n, to_eye), 0.0, 1.0);
    float gloss = pow(clamp(dot(n, normalize(sun + to_eye)), 0.0, 1.0), 90.0);
    float window = smoothstep(0.86, 0.93, dot(reflect(-to_eye, n), vec3(-0.35, 0.62, 0.70)));
    float cover = strength * (0.05 + 0.55 * edge * edge * edge) + 0.10 * window;
    vec3 tint = pow(colour, vec3(1.0 / 2.2)) * mix(1.0, 0.72, edge * edge);
    shown = vec4(tint * cover + 0.55 * gloss, min(cover + 0.55 * gloss, 1.0));
}
""",
)
"""Glass: seen at its edges and by what it reflects. Colours are premultiplied."""

PLATE = (
    _VERSION
    + """
layout(location = 0) in vec2 corner;
uniform vec4 box;
out vec2 at;
void main() {
    at = vec2(0.5 + corner.x * 0.5, 0.5 - corner.y * 0.5);
    gl_Position = vec4(mix(box.xy, box.zw, corner * 0.5 + 0.5), 0.0, 1.0);
}
""",
    _VERSION
    + """
in vec2 at;
uniform sampler2D words;
out vec4 shown;
void main() { shown = texture(words, at); }
""",
)
"""Words on plates, pixel for pixel. Colours are premultiplied."""

_CONTEXT_LOST = 0x0507
_SAMPLES = (8, 4, 0)
"""What is tried for smooth edges, in this order: software GL has 4 at most."""


def check() -> None:
    """Say so if anything has gone wrong since this was last asked.

    Raises:
        SpecError: If the context was lost or memory ran out, which happens to whoever draws.
    """
    code = gl.glGetError()
    if code != gl.GL_NO_ERROR:
        found = {
            _CONTEXT_LOST: "a lost context: the driver was restarted",
            gl.GL_OUT_OF_MEMORY: "no memory left on the graphics card",
        }.get(code, f"error 0x{code:04x} of OpenGL")
        raise SpecError(
            "a graphics card that draws to the end",
            got=found,
            remedy="run it again, or in software: LIBGL_ALWAYS_SOFTWARE=1",
        )


def largest_size() -> int:
    """Return how many pixels a picture may be wide or high on this card."""
    return min(_asked(gl.GL_MAX_RENDERBUFFER_SIZE), _asked(gl.GL_MAX_TEXTURE_SIZE))


def draws_in_software() -> bool:
    """Whether the processor draws, no graphics card: smooth edges take twice the time there."""
    told = gl.glGetString(gl.GL_RENDERER)
    name = ctypes.cast(told, ctypes.c_char_p).value or b""
    return any(word in name.lower() for word in (b"llvmpipe", b"softpipe", b"swrast", b"swr"))


def _asked(name: int) -> int:
    value = gl.GLint()
    gl.glGetIntegerv(name, value)
    return int(value.value)


class Program:
    """A pair of shaders, and the values of its uniforms by name."""

    def __init__(self, vertex: str, fragment: str) -> None:
        self._id = gl.glCreateProgram()
        for kind, source in ((gl.GL_VERTEX_SHADER, vertex), (gl.GL_FRAGMENT_SHADER, fragment)):
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
            raise SpecError(
                "a driver that compiles GLSL 3.30",
                got=" ".join(log.value.decode(errors="replace").split()) or "no reason",
                remedy="update the graphics driver, or in software: LIBGL_ALWAYS_SOFTWARE=1",
            )
        self._places: dict[str, int] = {}

    def use(self, uniforms: Mapping[str, Any] | None = None) -> None:
        """Draw with this from now on, after setting some uniforms."""
        gl.glUseProgram(self._id)
        for name, value in (uniforms or {}).items():
            self.set(name, value)

    def set(self, name: str, value: Any) -> None:  # noqa: ANN401 (a number or any array)
        """Set one uniform of the program in use: an int, or an array of floats by its shape."""
        if name not in self._places:
            self._places[name] = gl.glGetUniformLocation(self._id, name.encode())
        place = self._places[name]
        if isinstance(value, int):
            gl.glUniform1i(place, value)
            return
        array = np.ascontiguousarray(value, dtype=np.float32)
        pointer = array.ctypes.data_as(ctypes.POINTER(gl.GLfloat))
        match array.shape:
            case (4, 4):
                gl.glUniformMatrix4fv(place, 1, gl.GL_TRUE, pointer)
            case (4,):
                gl.glUniform4fv(place, 1, pointer)
            case (3,):
                gl.glUniform3fv(place, 1, pointer)
            case (2,):
                gl.glUniform2fv(place, 1, pointer)
            case _:
                gl.glUniform1fv(place, 1, pointer)


class Shape:
    """Triangles on the card.

    Args:
        rows: What is known of each vertex, shape [vertex_count, sum of `widths`].
        widths: How many numbers each attribute has, in the order of their locations.
        faces: Corners of the triangles, shape [face_count, 3].
    """

    def __init__(self, rows: Floats, widths: tuple[int, ...], faces: NDArray[np.uint32]) -> None:
        self._count = faces.size
        self._array = _made(gl.glGenVertexArrays)
        gl.glBindVertexArray(self._array)
        self._buffers = [
            _filled(gl.GL_ARRAY_BUFFER, rows),
            _filled(gl.GL_ELEMENT_ARRAY_BUFFER, faces),
        ]
        start, stride = 0, 4 * sum(widths)
        for location, width in enumerate(widths):
            gl.glEnableVertexAttribArray(location)
            gl.glVertexAttribPointer(location, width, gl.GL_FLOAT, gl.GL_FALSE, stride, start)
            start += 4 * width
        gl.glBindVertexArray(0)

    @classmethod
    def of(cls, surface: MeshSurface) -> "Shape":
        """Return the shape of a surface: position, normal and colour."""
        return cls(surface.interleaved, (3, 3, 3), surface.faces)

    def draw(self) -> None:
        """Draw it with the program in use."""
        gl.glBindVertexArray(self._array)
        gl.glDrawElements(gl.GL_TRIANGLES, self._count, gl.GL_UNSIGNED_INT, None)

    def draw_some(self, faces: NDArray[np.uint32]) -> None:
        """Draw other triangles of the same vertices, shape [face_count, 3]."""
        gl.glBindVertexArray(self._array)
        _fill(gl.GL_ELEMENT_ARRAY_BUFFER, faces)
        self._count = faces.size
        self.draw()

    def drop(self) -> None:
        """Give its memory back."""
        gl.glDeleteVertexArrays(1, gl.GLuint(self._array))
        gl.glDeleteBuffers(2, (gl.GLuint * 2)(*self._buffers))

    def draw_corners(self, count: int) -> None:
        """Draw so many vertices that the program places by itself."""
        gl.glBindVertexArray(self._array)
        gl.glDrawArrays(gl.GL_TRIANGLES, 0, count)


class DepthMap:
    """A square of depths, drawn into first and then asked by shaders that compare.

    Args:
        size: Pixels along a side.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._texture = _made(gl.glGenTextures)
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
        self._frame = _made(gl.glGenFramebuffers)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._frame)
        gl.glFramebufferTexture2D(
            gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, gl.GL_TEXTURE_2D, self._texture, 0
        )
        gl.glDrawBuffer(gl.GL_NONE)
        gl.glReadBuffer(gl.GL_NONE)

    def begin(self) -> None:
        """Draw into it from now on, from nothing."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._frame)
        gl.glViewport(0, 0, self.size, self.size)
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT)

    def bind(self) -> None:
        """Let shaders ask it as texture 0."""
        gl.glActiveTexture(gl.GL_TEXTURE0)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)


class RenderTarget:
    """A picture that is drawn into others.

    Args:
        pixels: RGBA with premultiplied colours, the top row first, shape [height, width, 4].
    """

    def __init__(self, pixels: NDArray[np.uint8]) -> None:
        height, width, _ = pixels.shape
        self._texture = _made(gl.glGenTextures)
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
        """Let shaders ask it as texture 0."""
        gl.glActiveTexture(gl.GL_TEXTURE0)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)

    def drop(self) -> None:
        """Give its memory back."""
        gl.glDeleteTextures(1, gl.GLuint(self._texture))


class GpuTarget:
    """A picture off the screen, with smooth edges where the card can.

    Args:
        width: Pixels.
        height: Pixels.
        samples: What is tried, most first.
    """

    def __init__(self, width: int, height: int, *, samples: tuple[int, ...] = _SAMPLES) -> None:
        self.size = (width, height)
        self._held: list[tuple[int, tuple[int, ...]]] = []
        most = _asked(gl.GL_MAX_SAMPLES)
        for count in samples:
            if count > most:
                continue
            self.frame = self._made(count)
            if gl.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER) == gl.GL_FRAMEBUFFER_COMPLETE:
                self.samples = count
                break
        else:
            raise SpecError(
                f"a graphics card with memory for {width}x{height} pixels",
                got="no complete framebuffer",
                remedy="--size 1280x720",
            )
        self._plain = self.frame if self.samples == 0 else self._made(0)

    def _made(self, samples: int) -> int:
        """Return a new framebuffer, bound."""
        frame, buffers = _buffers(*self.size, samples)
        self._held.append((frame, buffers))
        return frame

    def drop(self) -> None:
        """Give its memory back."""
        for frame, buffers in self._held:
            gl.glDeleteFramebuffers(1, gl.GLuint(frame))
            for buffer in buffers:
                gl.glDeleteRenderbuffers(1, gl.GLuint(buffer))
        self._held.clear()

    def show(self) -> None:
        """Put what was drawn into the window, which has the same size."""
        self._copy(0)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
        check()

    def _copy(self, frame: int) -> None:
        """Copy what was drawn into another framebuffer, each pixel the mean of its samples."""
        width, height = self.size
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self.frame)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, frame)
        box = (0, 0, width, height)
        gl.glBlitFramebuffer(*box, *box, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)

    def finish(self) -> None:
        """Wait until all that was asked for is drawn."""
        gl.glFinish()

    def read(self) -> NDArray[np.uint8]:
        """Return what was drawn, the top row first, shape [height, width, 4] of RGBA."""
        width, height = self.size
        if self.samples:
            self._copy(self._plain)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._plain)
        pixels = np.zeros((height, width, 4), dtype=np.uint8)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        gl.glReadPixels(
            0, 0, width, height, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE,
            pixels.ctypes.data_as(ctypes.c_void_p),
        )  # fmt: skip
        check()
        return pixels[::-1]


def _buffers(width: int, height: int, samples: int) -> tuple[int, tuple[int, ...]]:
    """Return a new framebuffer of colour and depth, bound, and what it keeps them in."""
    frame = _made(gl.glGenFramebuffers)
    buffers = []
    gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, frame)
    for attachment, form in (
        (gl.GL_COLOR_ATTACHMENT0, gl.GL_RGBA8),
        (gl.GL_DEPTH_ATTACHMENT, gl.GL_DEPTH_COMPONENT24),
    ):
        buffer = _made(gl.glGenRenderbuffers)
        buffers.append(buffer)
        gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, buffer)
        gl.glRenderbufferStorageMultisample(gl.GL_RENDERBUFFER, samples, form, width, height)
        gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, attachment, gl.GL_RENDERBUFFER, buffer)
    return frame, tuple(buffers)


def _made(generate: Any) -> int:  # noqa: ANN401 (a function of OpenGL)
    name = gl.GLuint()
    generate(1, name)
    return int(name.value)


def _filled(kind: int, values: NDArray[Any]) -> int:
    name = _made(gl.glGenBuffers)
    gl.glBindBuffer(kind, name)
    _fill(kind, values)
    return name


def _fill(kind: int, values: NDArray[Any]) -> None:
    """Copy values into the buffer that is bound."""
    data = np.ascontiguousarray(values)
    pointer = data.ctypes.data_as(ctypes.c_void_p)
    gl.glBufferData(kind, data.nbytes, pointer, gl.GL_STATIC_DRAW)
