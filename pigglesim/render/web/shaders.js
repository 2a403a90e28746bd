// What runs on the graphics card. Light is linear until the last line; out comes premultiplied sRGB.

export const SOLID_VERTEX = `#version 300 es
uniform mat4 u_seen, u_place, u_lamp;
uniform float u_unit;
uniform vec3 u_middle;
layout(location = 0) in vec4 a_corner;
layout(location = 1) in vec3 a_normal;
out vec3 v_world, v_normal, v_lamp;
flat out int v_material;
void main() {
  vec4 world = u_place * vec4(u_middle + a_corner.xyz * u_unit, 1.0);
  v_world = world.xyz;
  v_normal = mat3(u_place) * a_normal;
  // A little along the normal, so that no surface shadows itself.
  vec4 lamp = u_lamp * vec4(world.xyz + 0.0006 * normalize(v_normal), 1.0);
  v_lamp = lamp.xyz * 0.5 + 0.5;
  v_material = int(a_corner.w);
  gl_Position = u_seen * world;
}`;

export const SOLID_FRAGMENT = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
// QUICK: motion without a graphics card. MATTE: neither shiny nor glass.
uniform vec4 u_palette[64];
uniform sampler2DShadow u_shadow;
uniform vec3 u_eye, u_sun;
uniform float u_opacity, u_fade;
in vec3 v_world, v_normal, v_lamp;
flat in int v_material;
out vec4 colour;
float lit() {
  if (any(lessThan(v_lamp, vec3(0.0))) || any(greaterThan(v_lamp, vec3(1.0)))) return 1.0;
#ifdef QUICK
  const int ROWS = 0; // three points in a row are one period of the glass's pattern
  float step = 1.0
#else
  const int ROWS = 1;
  float step = 1.3
#endif
    / float(textureSize(u_shadow, 0).x), sum = 0.0;
  for (int x = -1; x <= 1; x++)
    for (int y = -ROWS; y <= ROWS; y++)
      sum += texture(u_shadow, v_lamp + vec3(vec2(x, y) * step, -0.0006));
  return sum / float(6 * ROWS + 3);
}
void main() {
  vec4 material = u_palette[v_material];
  vec3 normal = normalize(v_normal), eye = normalize(u_eye - v_world);
  if (dot(normal, eye) < 0.0 && u_opacity < 1.0) normal = -normal;
  float sun = clamp((dot(normal, u_sun) + 0.15) / 1.15, 0.0, 1.0) * lit();
  // Skylight from above; near the board little of it comes in from the sides.
  float low = smoothstep(-0.002, 0.016, v_world.z) * 0.45 + 0.55;
  float sky = mix(0.27, 0.41, normal.z * 0.5 + 0.5) * mix(low, 1.0, step(0.99, normal.z));
  vec3 warm = vec3(1.0, 0.96, 0.90) * 0.68 * sun, cool = vec3(0.94, 0.97, 1.0) * sky;
  vec3 seen = material.rgb * (warm + cool);
  float opacity = u_opacity;
#ifndef MATTE
  vec3 half_way = normalize(u_sun + eye);
  float shine = 1.0 - material.a, edge = pow(1.0 - max(dot(normal, eye), 0.0), 4.0);
  seen += shine * shine * sun * pow(max(dot(normal, half_way), 0.0), mix(8.0, 160.0, shine)) * 0.6;
  seen += edge * 0.10 * shine;
  if (u_opacity < 1.0) {
    // Tinted glass: darker where one looks along its wall, so that it is seen before any ground.
    float along = pow(1.0 - max(dot(normal, eye), 0.0), 2.0);
    opacity = mix(0.45 * u_opacity, 0.85, along);
    seen = material.rgb * mix(vec3(0.62, 0.80, 0.86), vec3(0.20, 0.34, 0.40), along) * (0.55 + 0.45 * sun);
    seen += pow(max(dot(normal, half_way), 0.0), 90.0) * 0.8;
  }
#endif
  if (u_fade > 0.0) opacity *= 1.0 - smoothstep(0.45 * u_fade, u_fade, length(v_world.xy));
#ifdef QUICK
  // The power 1 / 2.2 from roots, within 0.003: powers are slow without a graphics card.
  vec3 root = sqrt(min(seen, 1.0));
  vec3 shown = 0.9546 * root + 0.0957 * sqrt(root) - 0.0509 * min(seen, 1.0);
#else
  vec3 shown = pow(min(seen, 1.0), vec3(1.0 / 2.2));
#endif
  colour = vec4(shown * opacity, opacity);
}`;

export const SHADOW_VERTEX = `#version 300 es
uniform mat4 u_lamp, u_place;
uniform float u_unit;
uniform vec3 u_middle;
layout(location = 0) in vec4 a_corner;
void main() { gl_Position = u_lamp * u_place * vec4(u_middle + a_corner.xyz * u_unit, 1.0); }`;

export const SHADOW_FRAGMENT = `#version 300 es
precision highp float;
uniform float u_opacity;
// Glass lets two thirds of the light through: a third of the points of its shadow are dark.
void main() { if (u_opacity < 1.0 && (int(gl_FragCoord.x) + int(gl_FragCoord.y)) % 3 != 0) discard; }`;
