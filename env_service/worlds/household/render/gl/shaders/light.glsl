// Light from a point to the camera, with the formulas of render/soft/lighting.py.
#define LAMPS 16

in vec3 room_point;
in vec3 room_normal;
in vec2 texel;

uniform vec3 eye;
uniform vec3 color;
uniform float opacity, gloss, metal, glow;
uniform int patterned, clear, shiny;
uniform sampler2D pattern;
uniform sampler2D occlusion;

uniform vec3 above, below, sky, sky_from, ceiling, wall, floor_;
uniform int lamps, shadowed;
uniform vec3 lamp_at[LAMPS];
uniform vec3 lamp_color[LAMPS];
uniform float lamp_fade[LAMPS];
uniform sampler2DShadow shadow_0;
uniform sampler2DShadow shadow_1;
uniform vec2 shadow_range;

layout(location = 0, index = 0) out vec4 own;
layout(location = 0, index = 1) out vec4 kept;

float looked_up(int k, vec3 place) {
    return k == 0 ? texture(shadow_0, place) : texture(shadow_1, place);
}

float lit(int k, vec3 normal) {
    vec3 away = room_point + normal * 0.006 - lamp_at[k];
    float z = -away.y;
    if (z < 0.05) return 1.0;
    vec2 at = vec2(away.x, away.z) / z / 2.747 * 0.5 + 0.5;
    if (any(lessThan(at, vec2(0.002))) || any(greaterThan(at, vec2(0.998)))) return 1.0;
    float n = shadow_range.x, f = shadow_range.y;
    float nearer = z / 1.003;
    float depth = ((nearer * (f + n) - 2.0 * f * n) / (f - n) / nearer) * 0.5 + 0.5;
    vec2 step = 1.0 / vec2(textureSize(shadow_0, 0));
    float total = 0.0;
    for (int y = -1; y < 2; y++)
        for (int x = -1; x < 2; x++)
            total += looked_up(k, vec3(at + vec2(x, y) * step, depth));
    return total / 9.0;
}

void main() {
    vec3 ray = normalize(room_point - eye);
    vec3 normal = normalize(room_normal);
    if (dot(normal, ray) > 0.0) normal = -normal;
    float cosine = dot(normal, ray);
    vec3 albedo = color;
    if (patterned == 1) albedo *= texture(pattern, texel).rgb;
    float open = texelFetch(occlusion, ivec2(gl_FragCoord.xy), 0).r;

    float upward = normal.y * 0.5 + 0.5;
    float facing = clamp(dot(normal, sky_from), 0.0, 1.0);
    vec3 light = (mix(below, above, upward) + sky * facing) * open;
    vec3 gleam = vec3(0.0);
    for (int k = 0; k < lamps; k++) {
        vec3 away = lamp_at[k] - room_point;
        float square = dot(away, away) + 1e-6;
        vec3 towards = away * inversesqrt(square);
        float share = max(1.0 - square * lamp_fade[k], 0.0);
        float falls = share * share / (0.5 + 0.45 * square);
        float seen = k < shadowed ? lit(k, normal) : 1.0;
        light += lamp_color[k] * max(dot(normal, towards), 0.0) * falls * seen
               * (0.55 + 0.45 * open);
        if (shiny == 1) {
            vec3 half_way = normalize(towards - ray);
            float spot = max(dot(normal, half_way), 0.0);
            float p16 = pow(spot, 16.0), p128 = pow(spot, 128.0);
            gleam += lamp_color[k] * (p16 * 0.12 + p128 * gloss * 0.9) * gloss * falls * seen;
        }
    }
    vec3 sent = albedo * (light + glow);
    if (shiny == 1) {
        vec3 r = ray - normal * cosine * 2.0;
        float upper = clamp(r.y * 2.0, 0.0, 1.0), lower = clamp(-r.y * 2.0, 0.0, 1.0);
        upper = upper * upper * (3.0 - 2.0 * upper);
        lower = lower * lower * (3.0 - 2.0 * lower);
        float broken = r.x * (4.0 * r.x * r.x - 3.0);
        float level = (1.0 + 0.3 * (abs(r.x) - abs(r.z) + broken)) * (1.0 - upper - lower);
        float window = pow(clamp(dot(r, sky_from), 0.0, 1.0), 4.0);
        vec3 mirror = wall * level + ceiling * upper + floor_ * lower + sky * window;
        float grazing = clamp(1.0 + cosine, 0.0, 1.0);
        float sheen = gloss * 0.35 * grazing * grazing * grazing * open * (1.0 - metal);
        float diffuse = 1.0 - metal * 0.88;
        sent = albedo * (light * diffuse + glow + mirror * metal * (0.5 + 0.5 * open))
             + mirror * sheen + gleam;
    }
    if (clear == 1) {
        float grazing = clamp(1.0 + cosine, 0.0, 1.0);
        float share = clamp(opacity + 0.5 * grazing * grazing * grazing, 0.0, 1.0);
        own = vec4(sent * share, 1.0);
        kept = vec4((0.35 + 0.65 * color) * (1.0 - share), 0.0);
    } else {
        own = vec4(sent, 1.0);
        kept = vec4(0.0);
    }
}
