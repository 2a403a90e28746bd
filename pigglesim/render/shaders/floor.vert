// Board and table, whose colours have the light in them.
layout(location = 0) in vec3 vertex;
layout(location = 2) in vec3 colour_in;
uniform mat4 camera;
out vec3 colour;
void main() {
    colour = colour_in;
    gl_Position = camera * vec4(vertex, 1.0);
}
