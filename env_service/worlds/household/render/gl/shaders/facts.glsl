// The visible instance, its depth and its surface normal.
in vec3 room_point;
in vec3 room_normal;
in float depth;

uniform int instance;
uniform vec3 eye;

layout(location = 0) out int seen;
layout(location = 1) out float deep;
layout(location = 2) out vec4 facing;

void main() {
    vec3 n = normalize(room_normal);
    seen = instance;
    deep = depth;
    facing = vec4(dot(n, room_point - eye) > 0.0 ? -n : n, 1.0);
}
