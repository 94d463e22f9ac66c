"""An expert that knows the whole grid: plays levels, and carries out plans with its help."""
