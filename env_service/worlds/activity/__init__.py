"""The world `activity`: household activities as symbols, defined in BDDL and changed by the steps
of procedural plans."""
