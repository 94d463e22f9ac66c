"""How guests were lost whose seats were given up, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import click

from env_service.domain.failure import GuestFailureClass
from env_service.domain.guest_failure import LostGuest, Place
from env_service.domain.printable import safe
from env_service.gateway.guests import MISUSED
from env_service.gateway.run import Run

_MEANING = {
    GuestFailureClass.IMAGE_MISSING: "has no image",
    GuestFailureClass.START_FAILED: "did not start",
    GuestFailureClass.PROTOCOL_ERROR: "broke the protocol",
    GuestFailureClass.AGENT_CRASH: "crashed",
    GuestFailureClass.AGENT_OOM: "ran out of memory",
    GuestFailureClass.AGENT_TIMEOUT: "ran out of time",
    GuestFailureClass.AGENT_LOST: "left",
}


def started_wrongly(run: Run, lost: Sequence[LostGuest]) -> str:
    """What the agents of a run that was never played say of how they were started; empty where
    that is not why the run cannot go on."""
    folder = run.table.folder
    if folder.finished() or folder.voids() or folder.uncounted():
        return ""
    if any(each.exit_code != MISUSED for each in lost):
        return ""
    last = safe_lines(lost[0].log_tail) or "(it wrote nothing)"
    return f"the agent was started wrongly (exit code {MISUSED}):\n{last}"


def tell_lost(lost: Sequence[LostGuest]) -> str:
    """Shows on standard error how guests were lost, those that were lost alike together;
    returns a sentence that says it."""
    sentences = []
    for each in _merged(lost):
        told = _sentence(each)
        click.echo(f"{told}. Its last lines:\n{safe_lines(each.log_tail) or '(none)'}", err=True)
        last = safe(each.log_tail.strip().rpartition("\n")[2])
        sentences.append(f"{told}: {last}" if last else told)
    return "; ".join(sentences)


def safe_lines(text: str) -> str:
    """A guest's own words, fit for a terminal."""
    return "\n".join(map(safe, text.splitlines()))


def _merged(lost: Iterable[LostGuest]) -> list[LostGuest]:
    """One for those that were lost alike; where they were is told of one alone."""
    alike: dict[LostGuest, list[LostGuest]] = {}
    for each in lost:
        alike.setdefault(replace(each, seats=(), place=None), []).append(each)
    return [
        group[0]
        if len(group) == 1
        else replace(kind, seats=tuple(sorted(seat for each in group for seat in each.seats)))
        for kind, group in alike.items()
    ]


def _sentence(lost: LostGuest) -> str:
    who = f"session{'' if len(lost.seats) == 1 else 's'} {', '.join(map(str, lost.seats))}"
    parts = [f"{lost.failure.value}: the agent of {who} {_MEANING[lost.failure]}"]
    if lost.problem:
        parts.append(f"({safe(lost.problem)})")
    if lost.exit_code is not None:
        parts.append(_ending(lost.exit_code))
    if lost.times > 1:
        parts.append(f"{lost.times} times in a row, before an episode")
    if lost.offence is not None:
        offence = lost.offence
        at = _at(offence.place)
        parts.append(f"first refused{at} as {offence.reason} ({safe(offence.message)})")
    elif lost.place is not None:
        parts.append(f"last seen{_at(lost.place)}")
    return ", ".join(parts).replace(", (", " (")


def _ending(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"killed by signal {-code}"


def _at(place: Place | None) -> str:
    if place is None:
        return " outside of an episode"
    return f" at step {place.step} of {safe(place.task_id)} ({place.episode_id})"
