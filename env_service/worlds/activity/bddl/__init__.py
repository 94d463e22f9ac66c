"""BDDL, the language in which BEHAVIOR's household activities are defined (spec: actplan.md section
2)."""
