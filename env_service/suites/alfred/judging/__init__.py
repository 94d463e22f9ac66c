"""Why an episode failed: the paper's three types, decided without a model (spec section 4)."""
