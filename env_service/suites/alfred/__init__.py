"""ALFRED with refined commands, on LoTa-Bench's skills (docs/alfred.md)."""
