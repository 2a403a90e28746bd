// Glass: seen at its edges and by what it reflects. Colours are premultiplied.
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
