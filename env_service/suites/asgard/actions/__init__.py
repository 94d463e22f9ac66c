"""The twelve actions: what each asks for, and what it does (spec section 2.3)."""
