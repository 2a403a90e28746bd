"""What the graphics card does with each vertex and each pixel, in GLSL 3.30.

Light adds up in linear RGB and is encoded last. White that faces the sky in the sun is white: the
light of sky and sun on a level surface add up to one.
"""

__all__ = [
    "BACKDROP",
    "CUP",
    "DEPTH",
    "FLOOR",
    "MARK",
    "PLATE",
    "SKIN",
]

_VERSION = "#version 330 core\n"

_LIGHT = """
uniform vec3 sun;
uniform mat4 sun_matrix;
uniform sampler2DShadow shade;
const vec3 SKY = vec3(0.520, 0.545, 0.580);
const vec3 GROUND = vec3(0.300, 0.262, 0.225);
const vec3 SUNLIGHT = vec3(0.480, 0.455, 0.420);

vec3 encode(vec3 light) { return pow(min(light, vec3(1.0)), vec3(1.0 / 2.2)); }

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

SKIN = (
    _VERSION + _PLACED,
    _VERSION
    + _LIGHT
    + """
in vec3 place;
in vec3 normal;
in vec3 colour;
uniform vec3 eye;
out vec4 shown;
void main() {
    vec3 n = normalize(normal);
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
    shown = vec4(encode(light), 1.0);
}
""",
)
"""Piggles and dice: soft plastic."""

FLOOR = (
    _VERSION + _PLACED,
    _VERSION
    + _LIGHT
    + """
in vec3 place;
in vec3 normal;
in vec3 colour;
uniform vec3 haze;
uniform vec2 fade;
out vec4 shown;
void main() {
    vec3 around = mix(GROUND, SKY, 0.5 + 0.5 * normal.z);
    float sunny = clamp(dot(normal, sun) / sun.z, 0.0, 1.0);
    vec3 light = encode(colour * (around + SUNLIGHT * sunny * lit(place, 0.0012)));
    float far = smoothstep(fade.x, fade.y, length(place.xy));
    shown = vec4(mix(light, haze, far), 1.0);
}
""",
)
"""Board and table: flat colours, shadows, and haze where the table ends."""

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
    float ball = 0.011 * 0.011 * h / pow(d * d + h * h, 1.5);
    float dark = 0.62 * min(ball, 1.0) * (1.0 - smoothstep(0.5, 1.0, d / reach));
    float soft = fwidth(d);
    float band = 1.0 - smoothstep(ring.y - soft, ring.y + soft, abs(d - ring.x));
    float cut = 1.0;
    if (gaps > 0.0) {
        float turn = abs(fract(atan(across.y, across.x) * gaps / 6.2831853) - 0.5);
        cut = smoothstep(0.10 - soft / d, 0.10 + soft / d, turn);
    }
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
uniform float thin;
out vec4 shown;
void main() {
    vec3 n = normalize(normal);
    vec3 to_eye = normalize(eye - place);
    n = dot(n, to_eye) < 0.0 ? -n : n;
    float edge = 1.0 - clamp(dot(n, to_eye), 0.0, 1.0);
    float gloss = pow(clamp(dot(n, normalize(sun + to_eye)), 0.0, 1.0), 90.0);
    float window = smoothstep(0.86, 0.93, dot(reflect(-to_eye, n), vec3(-0.35, 0.62, 0.70)));
    float cover = thin * (0.05 + 0.55 * edge * edge * edge) + 0.10 * window;
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
    at = vec2(corner.x, 1.0 - corner.y) * 0.5 + vec2(0.5, 0.0);
    at.y = 0.5 - corner.y * 0.5;
    gl_Position = vec4(mix(box.xy, box.zw, corner * 0.5 + 0.5), 0.0, 1.0);
}
""",
    _VERSION
    + """
in vec2 at;
uniform sampler2D words;
uniform float strength;
out vec4 shown;
void main() { shown = texture(words, at) * strength; }
""",
)
"""Words on plates, pixel for pixel. Colours are premultiplied."""
