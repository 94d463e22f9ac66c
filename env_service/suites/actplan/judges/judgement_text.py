"""A judged plan in words, for a terminal and for a replay's notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from env_service.domain.text import counted
from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.grounding.grounded_plan import Level
from env_service.suites.actplan.judges.judgement import Judgement, TracedStep
from env_service.suites.actplan.plans.plan_reader import ReadPlan, Repair
from env_service.worlds.activity.actions import action_text

LEVEL_TEXT: Mapping[Level, str] = {
    Level.STRICT: "exact names, relations as stated",
    Level.NAMES: "names by meaning, relations as stated",
    Level.RELAXED: "names by meaning, relations as people read them",
    Level.COLLECTIVE: "and one word for several things",
}


@dataclass(frozen=True, slots=True)
class StepRow:
    """One step. All texts are for people; each attribute but ``number`` and ``said`` may be empty.

    Attributes:
        done: what it was read as, one text an action.
        changes: what it changed.
        problems: what was wrong with it.
        repairs: what reading put right.
    """

    number: int
    said: str
    done: tuple[str, ...]
    changes: tuple[str, ...]
    problems: tuple[str, ...]
    repairs: tuple[str, ...]


def step_rows(judgement: Judgement) -> list[StepRow]:
    """A row for each step of the plan."""
    repairs: dict[int, list[str]] = {}
    for repair in judgement.repairs:
        text = f"{repair.kind.value.replace('_', ' ')}: {repair.described}"
        repairs.setdefault(repair.step, []).append(text)
    return [
        StepRow(
            number=each.grounded.step.number,
            said=each.grounded.step.spelling,
            done=tuple(map(action_text, each.grounded.actions)),
            changes=each.changes,
            problems=tuple(dict.fromkeys(_problems(each))),
            repairs=tuple(repairs.get(each.grounded.step.number, ())),
        )
        for each in judgement.trace
    ]


def _problems(traced: TracedStep) -> list[str]:
    grounded = traced.grounded
    lines = []
    if grounded.step.verb is None:
        lines.append(f"unknown action {grounded.step.word}")
    lines += grounded.refusals()
    return lines + [each.text for each in traced.violations]


def free_readings(judgement: Judgement) -> list[Repair]:
    """The names that were not read literally, those that fit worst first. A score of 1 says that
    all of the name is true ("candles" of all candles): that is a literal reading."""
    return [each for each in judgement.readings if each.score is not None and each.score < 1]


def reading_rows(judgement: Judgement) -> list[tuple[str, str, str, str]]:
    """(score, name as what, how, step) of each of the `free_readings`."""
    return [
        (f"{each.score:.2f}", each.text, each.kind.value.replace("_", " "), str(each.step))
        for each in free_readings(judgement)
    ]


def verdict_line(judgement: Judgement) -> str:
    """The verdict in a sentence."""
    said = "Correct" if judgement.correct else "Not correct"
    errors = ", ".join(each.value.replace("_", " ") for each in judgement.errors)
    return f"{said}, by the automatic judge{f': {errors}' if errors else ''}."


def judge_lines(judgement: Judgement) -> list[tuple[str, str]]:
    """(judge, what it says): the goal at each level, and commonsense."""
    lines = []
    for verdict in judgement.goals:
        met = sum(each.met for each in verdict.conditions)
        said = f"{met} of {counted(len(verdict.conditions), 'condition')}"
        name = f"goal, {verdict.level.name.lower()} ({LEVEL_TEXT[verdict.level]})"
        lines.append((name, f"{'reached' if verdict.reached else 'not reached'}: {said}"))
    count = len(judgement.violations)
    found = "no violation" if not count else f"{count} violation{'s' if count > 1 else ''}"
    lines.append((f"commonsense, profile {judgement.profile}", found))
    return lines


def notes(activity: Activity, plan: ReadPlan) -> list[str]:
    """What else there is to know: defects of the definition, and what reading left out."""
    lines = [f"The activity's definition: {each}" for each in activity.defects]
    lines += [f"{each.problem.value.replace('_', ' ')}: {each.text}" for each in plan.diagnoses]
    return lines


def verdict_notes(activity: Activity, plan: ReadPlan, judgement: Judgement) -> Iterator[str]:
    """The verdict line by line: what each judge says, what is left undone, and how it was read."""
    yield verdict_line(judgement)
    for name, said in judge_lines(judgement):
        yield f"{name}: {said}"
    for each in judgement.conditions:
        if each.undone:
            yield f"left undone for “{each.text}”: {each.undone}"
    for score, text, how, step in reading_rows(judgement):
        yield f"read {text} ({how}, step {step}, score {score})"
    yield from notes(activity, plan)
    for text in plan.residue:
        yield f"part of no step: {text}"
