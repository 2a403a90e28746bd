// Lines that were made into triangles of clip space.
layout(location = 0) in vec4 place;
layout(location = 1) in vec3 colour_in;
out vec3 colour;
void main() { colour = colour_in; gl_Position = place; }
