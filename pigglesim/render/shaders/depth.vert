// Bodies as the lamp sees them.
layout(location = 0) in vec3 vertex;
uniform mat4 sun_matrix;
uniform mat4 model;
void main() { gl_Position = sun_matrix * (model * vec4(vertex, 1.0)); }
