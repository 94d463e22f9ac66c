"""LoTa-Bench's skills: their words, and how the robot carries them out (spec sections 3.2, 3.3)."""
