// Piggles and dice seen closely: light at every pixel.
#include "plastic.glsl"
in vec3 place;
in vec3 normal;
in vec3 colour;
out vec4 shown;
void main() { shown = vec4(seen(place, normalize(normal), colour), 1.0); }
