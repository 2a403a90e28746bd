// A soft sky from the horizon upwards; haze below it.
in float height;
uniform vec3 haze;
uniform float horizon;
out vec4 shown;
void main() {
    float above = clamp(height - horizon, 0.0, 2.0);
    shown = vec4(mix(haze, vec3(0.83, 0.88, 0.91), 1.0 - exp(-1.1 * above)), 1.0);
}
