"""Sandboxes: finding an agent's command or image, and running it."""
