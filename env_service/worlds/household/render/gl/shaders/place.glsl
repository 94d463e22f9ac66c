// Transforms from the mesh to the room, the camera and the picture.
// A left-handed camera: x right, y up, z forward.
in vec3 point;
in vec3 normal;
in vec2 uv;

uniform mat4x3 place;
uniform vec3 eye, right, up, forward;
uniform vec2 tangent;  // of half the fields of view, across and along
uniform vec2 range;    // near and far, metres

out vec3 room_point;
out vec3 room_normal;
out vec2 texel;
out float depth;

void main() {
    room_point = place * vec4(point, 1.0);
    room_normal = mat3(place) * normal;
    texel = uv;
    vec3 away = room_point - eye;
    depth = dot(away, forward);
    float n = range.x, f = range.y;
    gl_Position = vec4(
        dot(away, right) / tangent.x,
        dot(away, up) / tangent.y,
        (depth * (f + n) - 2.0 * f * n) / (f - n),
        depth
    );
}
