// Mean of the occlusion over 4 x 4 neighbours at about the same depth.
uniform sampler2D open;
uniform sampler2D deep;

out float smoothed;

void main() {
    ivec2 size = textureSize(deep, 0);
    ivec2 here = ivec2(gl_FragCoord.xy);
    float inverse = 1.0 / texelFetch(deep, here, 0).r;
    float total = 0.0, weight = 0.0;
    for (int y = -1; y < 3; y++) {
        for (int x = -1; x < 3; x++) {
            ivec2 at = clamp(here + ivec2(x, y), ivec2(0), size - 1);
            float other = 1.0 / texelFetch(deep, at, 0).r;
            float share = max(1.0 - abs(other - inverse) * 12.0 / inverse, 0.004);
            total += texelFetch(open, at, 0).r * share;
            weight += share;
        }
    }
    smoothed = total / weight;
}
