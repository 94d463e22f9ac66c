"""Versions."""

__version__ = "0.1.0"

PROTOCOL_REVISION = 4
"""The revision of houseguest.agent.v1 that this library was built against."""
