"""Seconds, to and from the wire."""

from __future__ import annotations

from google.protobuf.duration_pb2 import Duration


def duration(seconds: float | None) -> Duration | None:
    """Writes seconds; None stays None, which leaves the field absent."""
    if seconds is None:
        return None
    whole = int(seconds)
    return Duration(seconds=whole, nanos=int((seconds - whole) * 1e9))


def seconds(message: Duration) -> float:
    """Reads seconds."""
    return message.seconds + message.nanos / 1e9
