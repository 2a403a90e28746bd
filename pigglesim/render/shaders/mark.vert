layout(location = 0) in vec2 corner;
uniform mat4 camera;
uniform vec3 centre;
uniform float reach;
out vec2 across;
out vec2 place;
void main() {
    across = corner * reach;
    place = centre.xy + across;
    gl_Position = camera * vec4(place, centre.z, 1.0);
}
