"""The rules of the household world: what actions do to its state."""
