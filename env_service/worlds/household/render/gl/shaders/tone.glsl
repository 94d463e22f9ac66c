// Linear light to sRGB; see render/soft/tone.py.
uniform sampler2D light;

out vec4 shown;

vec3 srgb(vec3 x) {
    return mix(12.92 * x, 1.055 * pow(x, vec3(1.0 / 2.4)) - 0.055, greaterThan(x, vec3(0.0031308)));
}

void main() {
    vec3 x = max(texelFetch(light, ivec2(gl_FragCoord.xy), 0).rgb, 0.0);
    vec3 bent = 1.0 - 0.25 / max(x, vec3(0.5));
    shown = vec4(srgb(mix(x, bent, greaterThanEqual(x, vec3(0.5)))), 1.0);
}
