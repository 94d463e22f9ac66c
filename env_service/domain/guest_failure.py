"""How a guest was lost to its run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from env_service.domain.failure import GuestFailureClass


@dataclass(frozen=True, slots=True)
class Place:
    """Where in an episode a guest was: ``step`` is the index of the step that was due."""

    episode_id: str
    task_id: str
    step: int


@dataclass(frozen=True, slots=True)
class Offence:
    """The first of several calls in a row that the house refused as against the protocol.

    ``reason`` is a name of ``domain.reasons.Reason``; ``place`` None: no episode was open.
    """

    reason: str
    message: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class LostGuest:
    """A guest that was lost, and the seats that it held.

    ``exit_code`` is negative for a signal, and None for a guest that was stopped or never came
    to run. ``times``: how often in a row the guest of these seats was lost before it began an
    episode. ``place`` is where it was; ``offence`` what it had done against the protocol.
    ``problem`` is set where there is more to say than the class does. ``final``: nobody takes
    the seats again in this process.
    """

    failure: GuestFailureClass
    seats: tuple[int, ...]
    exit_code: int | None
    times: int
    log_tail: str
    place: Place | None = None
    offence: Offence | None = None
    problem: str = ""
    final: bool = False

    def to_json(self) -> dict[str, Any]:
        """The failure as its line in ``logs/lost-guests.jsonl`` holds it."""
        offence = self.offence
        return {
            "failure": self.failure.value,
            "seats": list(self.seats),
            "exit_code": self.exit_code,
            "times": self.times,
            "final": self.final,
            "first_offending_step": _place_json(offence.place if offence else self.place),
            "offence": None if offence is None else f"{offence.reason}: {offence.message}",
            "problem": self.problem,
            "log_tail": self.log_tail,
        }


def _place_json(place: Place | None) -> dict[str, Any] | None:
    if place is None:
        return None
    return {"episode_id": place.episode_id, "task_id": place.task_id, "step": place.step}
