"""The published trajectories, splits and refined commands (docs/alfred.md, "Task")."""
