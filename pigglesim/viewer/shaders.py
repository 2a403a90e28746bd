"""What the graphics card does with each vertex and each pixel, in GLSL 3.30."""

from pigglesim.spatial import Array
from pigglesim.viewer.light import GROUND, SKY, SUNLIGHT, encoded

__all__ = [
    "BACKDROP",
    "CUP",
    "DEPTH",
    "FAR_SKIN",
    "FLOOR",
    "MARK",
    "PLATE",
    "SHADOW",
    "SKIN",
]

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
