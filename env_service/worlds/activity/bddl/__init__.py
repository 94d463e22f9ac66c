"""BDDL, the language in which BEHAVIOR's household activities are defined."""
