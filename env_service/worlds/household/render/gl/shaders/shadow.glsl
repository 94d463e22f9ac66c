// A shadow map contains only depth.
void main() {}
