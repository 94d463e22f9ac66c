"""Sweeps: many runs from one plan file, played, resumed and compared by one command."""
