"""The guests that were lost to a run, on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from env_service.domain.printable import safe
from env_service.results.scoreboard import printable


def print_lost_guests(console: Console, lost: Sequence[Mapping[str, Any]]) -> None:
    """Prints each with its class, the step at which it was, and its last words.

    ``lost`` are lines of ``logs/lost-guests.jsonl``, which nothing vouches for.
    """
    if not lost:
        console.print("\nNo guest was lost.")
    for each in lost:
        console.print()
        console.print(printable(_headline(each)), soft_wrap=True)
        for label in ("offence", "problem"):
            if said := each.get(label):
                console.print(printable(f"  {label}: {said}"), soft_wrap=True)
        for line in str(each.get("log_tail") or "(it wrote nothing)").splitlines():
            console.print(printable(f"  | {line}"), soft_wrap=True)


def _headline(lost: Mapping[str, Any]) -> str:
    seats = ", ".join(map(str, lost.get("seats") or []))
    words = [f"{lost['failure']}, session {seats}"]
    if (code := lost.get("exit_code")) is not None:
        words.append(f"exit code {code}")
    step = lost.get("first_offending_step")
    if isinstance(step, Mapping):
        words.append(f"step {step.get('step')} of {step.get('task_id')} ({step.get('episode_id')})")
    if lost.get("final"):
        words.append("given up")
    return safe(": ".join((words[0], ", ".join(words[1:]))) if words[1:] else words[0])
