"""The household world: AI2-THOR's controller API over our deterministic, rendered simulator."""
