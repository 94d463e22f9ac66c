"""What runs in the images of the environment service, beside the service itself."""
