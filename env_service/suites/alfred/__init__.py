"""ALFRED with refined commands, on LoTa-Bench's skills (spec: alfred.md)."""
