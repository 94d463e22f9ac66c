"""LoTa-Bench's skills: their words, and how the robot carries them out (docs/alfred-rules.md,
"Skills")."""
