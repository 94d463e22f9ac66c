"""Houseguest's environment service: worlds, suites, scoring, and the house they live in."""

__version__ = "0.1.0"
