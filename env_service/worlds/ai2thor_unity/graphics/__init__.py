"""What a machine has for drawing: displays, GPUs, Vulkan; and the platform chosen by it."""
