"""The twelve actions: what each asks for, and what it does (docs/asgard-rules.md, "Actions")."""
