"""The story of an answer to Decompose: its subgoals carried out with the expert's help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from env_service.suites.babybench.answers.reading import SubgoalList
from env_service.suites.babybench.expert import write_subgoal
from env_service.suites.babybench.grading import Grader
from env_service.suites.babybench.tracing.story import (
    ADDED,
    EXPERTS,
    PLANNED,
    REOPENING,
    StackLine,
    Step,
    Story,
    Track,
)
from env_service.suites.babybench.tracing.walking import walk_steps
from env_service.worlds.babyai.omnibot.records import Assistance, StackEntry, SubgoalName
from env_service.worlds.babyai.omnibot.solving import assist, solve
from env_service.worlds.babyai.state import Snapshot

Stacks = Sequence[Sequence[StackEntry]]

_REASONS = {"Open": "to open it", "PutNext": "to a free cell beside it", "Explore": "to explore"}


def assisted_story(
    grader: Grader, answer: str, asked: str, said: SubgoalList | None, verdict: str
) -> Story:
    """The story; ``verdict`` says why nothing was read where ``said`` is None."""
    subject, mode, facts = grader.subject, grader.rules.mode, grader.known.facts
    alone = solve(subject.level, subject.seed, mode=mode)
    tracks = [Track("The expert alone", tuple(_alone(facts.start, alone.actions, alone.stacks)))]
    if said is not None:
        played = assist(subject.level, subject.seed, said.subgoals, mode=mode)
        own = Track("The answer's subgoals", tuple(_assisted(facts.start, played)), _note(played))
        tracks.insert(0, own)
        verdict = _verdict(played, alone.help_added, alone.help_count)
    return Story(
        start=facts.start,
        mission=facts.mission,
        asked=asked,
        answer=answer,
        verdict=verdict,
        said=tuple(map(write_subgoal, said.subgoals)) if said else (),
        left_out=said.skipped if said else (),
        tracks=tuple(tracks),
    )


def _verdict(played: Assistance, added: int, count: int) -> str:
    done = "fulfilled" if played.terminated else "not fulfilled"
    used = f"{played.help_added} subgoal{'' if played.help_added == 1 else 's'} added"
    return (
        f"The mission is {done}, with {used} (the expert alone: {added}, or {count} with the"
        " translation of the mission)."
    )


def _note(played: Assistance) -> str:
    if played.problem is not None:
        return f"The expert cannot go on: {played.problem.message}."
    if played.truncated:
        return "The level's limit of steps is reached."
    return "" if played.terminated else "No subgoal is left."


def _assisted(start: Snapshot, played: Assistance) -> Iterator[Step]:
    told = zip(played.stacks, played.plan_left, played.help_at, strict=True)
    for step, (stack, left, help_) in zip(walk_steps(start, played.actions), told, strict=True):
        yield replace(step, stack=tuple(_lines(stack, left)), help=help_)


def _lines(stack: Sequence[StackEntry], left: int) -> Iterator[StackLine]:
    for place, entry in enumerate(stack):
        # Help never closes a door: only to open it again, as the plan wants, is one closed.
        helps = REOPENING if entry.name is SubgoalName.CLOSE else ADDED
        yield StackLine(describe_entry(entry), PLANNED if place < left else helps)


def _alone(start: Snapshot, actions: Sequence[str], stacks: Stacks) -> Iterator[Step]:
    for step, stack in zip(walk_steps(start, actions), stacks, strict=True):
        lines = (StackLine(describe_entry(entry), EXPERTS) for entry in stack)
        yield replace(step, stack=tuple(lines))


def describe_entry(entry: StackEntry) -> str:
    """A subgoal in words: "GoNextToSubgoal red ball (3, 4), to open it"."""
    where = str(entry.position) if entry.position else ""
    words = " ".join(filter(None, (entry.name.value, entry.target, where)))
    reason = _REASONS.get(entry.reason, "")
    return f"{words}, {reason}" if reason else words
