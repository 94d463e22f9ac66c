"""What an agent answers, read as a plan or as one step (docs/alfred.md, "Conditions").

LoTa-Bench splits a reply at commas and strips blanks, digits and full stops from both ends of each
part. Models also write one step a line, quote them, or answer with a JSON list; such dress is taken
off, the words stay.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from env_service.domain.action import Action, Plan, SkillCall, Text, Unreadable
from env_service.suites.alfred.skills.steps import SkillStep, Verb
from env_service.suites.alfred.skills.vocabulary import parse_skill, split_skill

MOST_PLAN_STEPS = 200
"""Steps of one plan. ALFRED's official plans have 32 at most; LoTa-Bench has no limit, so that one
answer could occupy a worker for hours."""

LONGEST_SAID = 200
"""Characters of a step's words that are kept."""


class PlanProblem(Enum):
    """Why nothing of an answer is carried out."""

    EMPTY = "empty_plan"
    TOO_LONG = "plan_too_long"
    UNREADABLE = "unreadable"
    """No part of it begins as any skill does."""


@dataclass(frozen=True, slots=True)
class PlanReading:
    """An answer as steps.

    Attributes:
        steps: what was said, and the skill that it is, None for none; to "done", which is the last
            where it was said. Empty where there is a problem.
        problem: None for a plan that can be tried.
        explanation: the problem in a sentence, fit for the agent; empty without one.
    """

    steps: tuple[tuple[str, SkillStep | None], ...]
    problem: PlanProblem | None = None
    explanation: str = ""


def read_plan(
    action: Action, *, synonyms: bool = False, present: Collection[str] = ()
) -> PlanReading:
    """Reads an answer as a whole plan. For ``synonyms`` and ``present`` see `parse_skill`."""
    if isinstance(action, Unreadable):
        return _refused(PlanProblem.UNREADABLE, action.problem)
    steps: list[tuple[str, SkillStep | None]] = []
    for said in _parts(action):
        if len(steps) == MOST_PLAN_STEPS:
            return _refused(
                PlanProblem.TOO_LONG,
                f"The plan has more than {MOST_PLAN_STEPS} steps; give {MOST_PLAN_STEPS} at most.",
            )
        step = parse_skill(said, synonyms=synonyms, present=present)
        steps.append((said[:LONGEST_SAID], step))
        if step is not None and step.verb is Verb.DONE:
            break
    if not steps:
        return _refused(
            PlanProblem.EMPTY, "The plan is empty; write skills with commas between them."
        )
    if all(split_skill(said)[0] is None for said, _ in steps):
        return _refused(
            PlanProblem.UNREADABLE,
            "No part of the answer begins as a skill does; write skills of the list with commas"
            f" between them. It begins {steps[0][0][:60]!r}.",
        )
    return PlanReading(tuple(steps))


def read_step(
    action: Action, *, synonyms: bool = False, present: Collection[str] = ()
) -> tuple[str, SkillStep | None]:
    """Reads an answer as one step: what was said, and the skill that it is. None for no skill, and
    for an answer of several steps. For ``synonyms`` and ``present`` see `parse_skill`."""
    if isinstance(action, Unreadable):
        return action.problem[:LONGEST_SAID], None
    first: list[str] = []
    for said in _parts(action):
        first.append(said)
        if len(first) > 1:
            return ", ".join(first)[:LONGEST_SAID], None
    said = first[0] if first else ""
    return said[:LONGEST_SAID], parse_skill(said, synonyms=synonyms, present=present)


def _refused(problem: PlanProblem, explanation: str) -> PlanReading:
    return PlanReading((), problem, explanation)


def _parts(action: SkillCall | Plan | Text) -> Iterator[str]:
    match action:
        case SkillCall():
            yield _spoken(action)
        case Plan(steps):
            yield from map(_spoken, steps)
        case Text(text):
            yield from _stripped(_listed(text))


def _spoken(call: SkillCall) -> str:
    """A call as a skill string; the name alone may be the whole string."""
    values = [value.strip() for _, value in call.arguments]
    return " ".join([call.name.strip(), *filter(None, values)])


def _listed(text: str) -> Iterable[str]:
    """The parts of a text: the entries of a JSON list, or the text between commas and line ends."""
    fenced = _FENCE.search(text)
    inner = (fenced.group(1) if fenced else text).strip()
    if inner.startswith("["):
        try:
            entries = json.loads(inner)
        except (ValueError, RecursionError):
            entries = None
        if isinstance(entries, list) and all(isinstance(each, str) for each in entries):
            return entries
    return (found.group() for found in _PART.finditer(inner))


def _stripped(parts: Iterable[str]) -> Iterator[str]:
    """Without numbers, bullets, quotes and the speaker's name; what is empty then is left out."""
    for part in parts:
        bare = _SPEAKER.sub("", part.strip(_DRESS)).strip(_DRESS)
        if bare:
            yield bare


_DRESS = " \t\r\n0123456789.)-*•\"'`“”‘’[];"
_SPEAKER = re.compile(r"^(?:robot|plan|answer)\s*:", re.IGNORECASE)
_FENCE = re.compile(r"```[a-zA-Z]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_PART = re.compile(r"[^,\n]+")
