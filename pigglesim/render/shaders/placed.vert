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
