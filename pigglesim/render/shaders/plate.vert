layout(location = 0) in vec2 corner;
uniform vec4 box;
out vec2 at;
void main() {
    at = vec2(0.5 + corner.x * 0.5, 0.5 - corner.y * 0.5);
    gl_Position = vec4(mix(box.xy, box.zw, corner * 0.5 + 0.5), 0.0, 1.0);
}
