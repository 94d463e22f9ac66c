"""Judges of plans, each named for what it is."""
