"""The published trajectories, splits and refined commands (spec sections 1, 2, 6.1)."""
