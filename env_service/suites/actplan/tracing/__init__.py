"""Shows a plan step by step: what was read, what it changed, and what was wrong."""
