// The same from afar, where a triangle is a pixel or two: light at every vertex.
#include "plastic.glsl"
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
