layout(location = 0) in vec3 vertex;
uniform mat4 camera;
out vec3 place;
void main() {
    place = vertex;
    gl_Position = camera * vec4(vertex, 1.0);
}
