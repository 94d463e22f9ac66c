"""Houseguest's environment service: worlds, task suites, scoring and results."""

__version__ = "0.1.0"
