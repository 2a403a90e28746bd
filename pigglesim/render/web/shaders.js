// What runs on the graphics card, on the page and for pictures and windows: `renderer.py` reads the
// same texts. Light is linear until the last line of each; out comes premultiplied sRGB.

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
  vec4 lamp = u_lamp * vec4(world.xyz + 0.0007 * normalize(v_normal), 1.0);
  v_lamp = lamp.xyz * 0.5 + 0.5;
  v_material = int(a_corner.w);
  gl_Position = u_seen * world;
}`;

// The light of the room: a sky of cool paper, a warm table, and a window over the left shoulder.
// A level surface without shadow has light 1, so that print has the colours of its ink. All shadow
// is the sky's light alone.
const LIGHT = `
const vec3 SKY = vec3(0.50, 0.52, 0.56), GROUND = vec3(0.30, 0.24, 0.19);
const vec3 WINDOW = vec3(-0.45, 0.50, 0.74);
vec3 shown(vec3 light) {
  light = min(light, 1.0);
#ifdef QUICK
  // The power 1 / 2.2 from roots, within 0.003: powers are slow without a graphics card.
  vec3 root = sqrt(light);
  return 0.9546 * root + 0.0957 * sqrt(root) - 0.0509 * light;
#else
  // Half a step of noise, so that no band is seen.
  float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  return pow(light, vec3(1.0 / 2.2)) + (noise - 0.5) / 255.0;
#endif
}`;

export const SOLID_FRAGMENT = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
// QUICK: motion without a graphics card. FLAT: board and table, matt and printed.
uniform vec4 u_palette[64]; // colour and roughness, which is below zero for metals
uniform sampler2DShadow u_shadow;
uniform sampler2D u_print;
uniform vec3 u_eye, u_sun;
uniform float u_opacity, u_fade, u_cover, u_board;
in vec3 v_world, v_normal, v_lamp;
flat in int v_material;
out vec4 colour;
${LIGHT}
float lit() {
#ifndef QUICK
  if (all(greaterThan(v_lamp, vec3(0.0))) && all(lessThan(v_lamp, vec3(1.0)))) {
    vec3 at = v_lamp - vec3(0.0, 0.0, 0.0006);
    vec2 step = 1.2 / vec2(textureSize(u_shadow, 0));
    float sum = texture(u_shadow, at + vec3(-step.x, -step.y * 0.4, 0.0));
    sum += texture(u_shadow, at + vec3(step.x * 0.4, -step.y, 0.0));
    sum += texture(u_shadow, at + vec3(step.x, step.y * 0.4, 0.0));
    return (sum + texture(u_shadow, at + vec3(-step.x * 0.4, step.y, 0.0))) * 0.25;
  }
#endif
  return 1.0;
}
// What a mirror sees in a direction, blurred by roughness.
vec3 room(vec3 way, float rough) {
  float soft = 0.10 + 0.55 * rough;
  vec3 seen = mix(0.55 * GROUND, 1.15 * SKY, smoothstep(-soft, soft, way.z));
  float pane = smoothstep(0.80 - 0.5 * soft, 0.86 + 0.25 * soft, dot(way, WINDOW));
  return seen + pane * mix(1.7, 0.35, rough);
}
void main() {
  vec4 material = u_palette[v_material];
  vec3 normal = normalize(v_normal), base = material.rgb, eye = normalize(u_eye - v_world), seen;
  float opacity = u_opacity, level = (u_sun.z + 0.2) / 1.2;
#ifdef FLAT
  if (normal.z > 0.9) base *= texture(u_print, vec2(v_world.x, -v_world.y) * u_cover + 0.5, -0.6).rgb;
  float sun = max(dot(normal, u_sun) + 0.2, 0.0) / 1.2 / level * lit();
  seen = base * (mix(GROUND, SKY, normal.z * 0.5 + 0.5) + (1.0 - SKY) * sun);
  if (u_fade > 0.0) {
    opacity *= 1.0 - smoothstep(0.4 * u_fade, u_fade, length(v_world.xy));
    // The board takes light from the table beside it.
    vec2 beside = max(abs(v_world.xy) - 0.5 * u_board, 0.0);
    seen *= mix(0.62 * SKY, vec3(1.0), 1.0 - exp(-length(beside) / 0.007));
  }
#else
  if (dot(normal, eye) < 0.0) normal = -normal;
  float edge = 1.0 - max(dot(normal, eye), 0.0), rim = edge * edge * edge * edge;
  vec3 way = reflect(-eye, normal);
#ifdef GLASS
  // Glass: seen at its edges and by what it reflects.
  float cover = 0.02 + 0.45 * edge * edge * edge;
  vec3 glint = room(way, 0.04) * (0.03 + 0.5 * rim);
  float whole = min(cover + max(glint.r, max(glint.g, glint.b)), 1.0);
  seen = (base * mix(0.95, 0.55, edge) * cover + glint) / whole;
  opacity *= whole;
#else
  float free = lit(), rough = abs(material.a);
  float sun = clamp((dot(normal, u_sun) + 0.2) / 1.2, 0.0, 1.0) / level * free;
  // Near the board little light comes in from the sides.
  float open = 0.45 + 0.55 * smoothstep(-0.002, 0.018, v_world.z);
  vec3 around = mix(GROUND * open, SKY, normal.z * 0.5 + 0.5) * mix(open, 1.0, max(normal.z, 0.0));
  float gloss = pow(max(dot(normal, normalize(u_sun + eye)), 0.0), mix(180.0, 12.0, rough)) * free;
  if (material.a < 0.0) {
    vec3 mirrored = room(way, rough) * mix(open, 1.0, way.z * 0.5 + 0.5) * 1.25;
    seen = mix(base, vec3(1.0), 0.5 * rim) * (mirrored + (1.0 - SKY) * (0.35 * sun + 1.6 * gloss));
  } else {
    float shine = (1.0 - rough) * (1.0 - rough);
    seen = base * (around + (1.0 - SKY) * sun);
    seen += shine * (0.9 * gloss + (0.05 + 0.45 * rim) * room(way, rough) * open);
  }
#endif
#endif
  colour = vec4(shown(seen) * opacity, opacity);
}`;

export const SHADOW_VERTEX = `#version 300 es
uniform mat4 u_lamp, u_place;
uniform float u_unit;
uniform vec3 u_middle;
layout(location = 0) in vec4 a_corner;
void main() { gl_Position = u_lamp * u_place * vec4(u_middle + a_corner.xyz * u_unit, 1.0); }`;

export const SHADOW_FRAGMENT = `#version 300 es
void main() {}`;

export const MARK_VERTEX = `#version 300 es
uniform mat4 u_seen;
uniform vec3 u_middle;
uniform float u_reach;
layout(location = 0) in vec2 a_corner;
out vec2 v_across, v_world;
void main() {
  v_across = a_corner * u_reach;
  v_world = u_middle.xy + v_across;
  gl_Position = u_seen * vec4(v_world, u_middle.z, 1.0);
}`;

// The factor by which a body darkens the floor: of the sky over a level floor, a near ball takes
// (r / D)^2 times the cosine of its height. In quick pictures it takes the sun from a disc as well.
export const CONTACT_FRAGMENT = `#version 300 es
precision highp float;
uniform float u_reach, u_half, u_height, u_disc;
in vec2 v_across, v_world;
out vec4 colour;
${LIGHT}
void main() {
  if (max(abs(v_world.x), abs(v_world.y)) > u_half) discard;
  float d = length(v_across), h = max(u_height, 0.004), near = inversesqrt(d * d + h * h);
  float ball = 0.000121 * h * near * near * near;
  float dark = 0.8 * min(ball, 1.0) * (1.0 - smoothstep(0.35, 1.0, d / u_reach));
  vec3 light = mix(vec3(1.0), 0.62 * SKY, dark);
  if (u_disc > 0.0) light = mix(SKY, vec3(1.0), smoothstep(0.7 * u_disc, 1.15 * u_disc, d));
  colour = vec4(pow(light, vec3(1.0 / 2.2)), 1.0);
}`;

// A ring in its owner's colour, or a soft disc where its radius is 0; rings of B have gaps, for those
// who see no colours.
export const RING_FRAGMENT = `#version 300 es
precision highp float;
uniform float u_half, u_gaps, u_soft;
uniform vec3 u_ring; // radius, half its width, strength
uniform vec3 u_owner;
in vec2 v_across, v_world;
out vec4 colour;
void main() {
  if (max(abs(v_world.x), abs(v_world.y)) > u_half) discard;
  float d = length(v_across), soft = max(fwidth(d), u_soft);
  float band = 1.0 - smoothstep(u_ring.y - soft, u_ring.y + soft, abs(d - u_ring.x));
  // The cosine of eight times the angle, by doubling it three times.
  vec2 turn = v_across / max(d, 1e-6);
  for (int k = 0; k < 3; k++) turn = vec2(turn.x * turn.x - turn.y * turn.y, 2.0 * turn.x * turn.y);
  float inked = u_ring.z * band * mix(1.0, smoothstep(-0.75, -0.35, turn.x), u_gaps);
  colour = vec4(u_owner * inked, inked);
}`;

export const SCREEN_VERTEX = `#version 300 es
out vec2 v_at;
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  v_at = corner * 0.5 + 0.5;
  gl_Position = vec4(corner, 0.0, 1.0);
}`;

// A picture that was drawn before.
export const COPY_FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D u_print;
out vec4 colour;
void main() { colour = texelFetch(u_print, ivec2(gl_FragCoord.xy), 0); }`;

// A square of planks that can be repeated: how much of the wood's lightest colour is seen.
export const WOOD_FRAGMENT = `#version 300 es
precision highp float;
in vec2 v_at;
out vec4 colour;
float chance(vec2 p) { return fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453); }
float noise(vec2 p, vec2 period) {
  vec2 cell = floor(p), part = fract(p);
  part = part * part * (3.0 - 2.0 * part);
  vec2 low = mod(cell, period), high = mod(cell + 1.0, period);
  return mix(mix(chance(low), chance(vec2(high.x, low.y)), part.x), mix(chance(vec2(low.x, high.y)), chance(high), part.x), part.y);
}
void main() {
  const float PLANKS = 4.0;
  float plank = floor(v_at.y * PLANKS), y = fract(v_at.y * PLANKS), along = v_at.x + chance(vec2(plank, 3.0));
  float bend = noise(vec2(along * 5.0, v_at.y * 12.0), vec2(5.0, 12.0));
  float rings = noise(vec2(along * 4.0, v_at.y * 90.0 + 9.0 * bend), vec2(4.0, 90.0));
  float fibre = noise(vec2(along * 22.0, v_at.y * 420.0), vec2(22.0, 420.0));
  float tone = 0.90 - 0.13 * chance(vec2(plank, 9.0)) - 0.15 * rings - 0.09 * fibre;
  float seam = min(min(y, 1.0 - y) * 0.125, abs(fract(along) - 0.5) < 0.5 ? min(fract(along), 1.0 - fract(along)) * 0.5 : 1.0);
  colour = vec4(vec3(tone * mix(0.62, 1.0, smoothstep(0.0003, 0.0013, seam))), 1.0);
}`;
