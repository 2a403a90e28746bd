in vec3 colour;
out vec4 shown;
void main() { shown = vec4(colour, 1.0); }
