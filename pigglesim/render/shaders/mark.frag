// Under each body: the dark of its nearness, and its owner's ring. Colours are premultiplied.
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
