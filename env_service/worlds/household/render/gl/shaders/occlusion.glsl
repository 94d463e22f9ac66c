// Ambient occlusion, with the method of render/soft/occlusion.py.
uniform sampler2D deep;
uniform sampler2D facing;
uniform vec3 right, up, forward;
uniform vec2 tangent;
uniform float radius, strength, slack, turns;
uniform int taps;

out float open;

const int ORDER[16] = int[16](0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5);
const float FULL = 6.2831853;

vec3 local(ivec2 at, vec2 size) {
    float z = texelFetch(deep, at, 0).r;
    vec2 t = ((vec2(at) + 0.5) / size * 2.0 - 1.0) * tangent;
    return vec3(t * z, z);
}

void main() {
    vec2 size = vec2(textureSize(deep, 0));
    ivec2 here = ivec2(gl_FragCoord.xy);
    vec3 point = local(here, size);
    vec3 n = texelFetch(facing, here, 0).xyz;
    if (dot(n, n) < 0.5) { open = 1.0; return; }
    vec3 normal = vec3(dot(n, right), dot(n, up), dot(n, forward));
    float reach = min(radius * size.y / (2.0 * tangent.y * point.z), 0.3 * min(size.x, size.y));
    float turn = FULL * float(ORDER[(here.y & 3) * 4 + (here.x & 3)]) / 16.0 / turns;
    mat2 turned = mat2(cos(turn), sin(turn), -sin(turn), cos(turn));
    float total = 0.0;
    for (int tap = 0; tap < taps; tap++) {
        float share = (float(tap) + 0.5) / float(taps);
        float angle = share * turns * FULL;
        vec2 aside = turned * (vec2(cos(angle), sin(angle)) * pow(share, 1.5)) * reach;
        ivec2 at = clamp(here + ivec2(floor(aside + 0.5)), ivec2(0), ivec2(size) - 1);
        vec3 away = local(at, size) - point;
        float square = dot(away, away);
        float rise = max(dot(away, normal) - slack * point.z, 0.0);
        float close = max(1.0 - square / (radius * radius), 0.0);
        total += rise / sqrt(square + 1e-6) * close;
    }
    open = max(1.0 - total * strength / float(taps), 0.0);
}
