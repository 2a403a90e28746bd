uniform vec3 sun;
uniform mat4 sun_matrix;
uniform sampler2DShadow shade;

// How much of the sun reaches a place, from four looks at the map of depths.
float lit(vec3 place, float bias) {
    vec3 at = (sun_matrix * vec4(place, 1.0)).xyz * 0.5 + 0.5;
    at.z -= bias;
    vec2 step = 0.75 / vec2(textureSize(shade, 0));
    float sum = texture(shade, at + vec3(-step.x, -step.y * 0.4, 0.0));
    sum += texture(shade, at + vec3(step.x * 0.4, -step.y, 0.0));
    sum += texture(shade, at + vec3(step.x, step.y * 0.4, 0.0));
    sum += texture(shade, at + vec3(-step.x * 0.4, step.y, 0.0));
    return sum * 0.25;
}
