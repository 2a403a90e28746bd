#include "light.glsl"
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
