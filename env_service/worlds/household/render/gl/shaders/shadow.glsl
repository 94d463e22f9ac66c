// Nothing is drawn into a shadow map but depth.
void main() {}
