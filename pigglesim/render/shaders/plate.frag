// Words on plates, pixel for pixel. Colours are premultiplied.
in vec2 at;
uniform sampler2D words;
out vec4 shown;
void main() { shown = texture(words, at); }
