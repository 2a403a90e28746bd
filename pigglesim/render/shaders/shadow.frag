// The factor by which board and table are darkened where shadows fall; it is multiplied with the picture.
#include "light.glsl"
in vec3 place;
out vec4 shown;
void main() { shown = vec4(mix(SHADED, vec3(1.0), lit(place, 0.0012)), 1.0); }
