"""How the robot shifts its body while a receptacle does not take what it holds (spec section 3.3,
"put down")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Move = tuple[str, Mapping[str, Any]]

LOOK = 15.0
"""Degrees of one look up or down: ALFRED's step of the camera."""

_UP: Move = ("LookUp", {"degrees": LOOK})
_DOWN: Move = ("LookDown", {"degrees": LOOK})
_AHEAD: Move = ("MoveAhead", {})
_BACK: Move = ("MoveBack", {})
_LEFT: Move = ("MoveLeft", {})
_RIGHT: Move = ("MoveRight", {})
_TURNED: Move = ("RotateHeldObject", {"rotation": {"x": 40.0, "y": 0.0, "z": 0.0}})

POSTURES: tuple[tuple[Move, ...], ...] = (
    (),
    (_UP,) * 2,
    (_DOWN,) * 4,
    (*(_UP,) * 2, _BACK),
    (_AHEAD, *(_RIGHT,) * 4),
    (_LEFT,) * 8,
    (*(_RIGHT,) * 4, _TURNED),
)
"""What comes before each try; they add up. A move that is refused is left out."""

OPENING: tuple[tuple[Move, ...], ...] = ((), (_BACK,), (_BACK, _RIGHT), (_LEFT,) * 2)
"""The same for something that does not open."""
