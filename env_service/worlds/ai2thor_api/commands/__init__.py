"""Commands that play AI2-THOR's controller API: captures of scenes, parity of worlds."""
