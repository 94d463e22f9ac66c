"""Goal conditions of the seven task types (spec section 3.7)."""
