"""A judged plan, step by step, as one self-contained HTML page, and as rows for a page or a
terminal.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from jinja2 import Environment, StrictUndefined
from PIL import Image

from env_service.domain.observation import Frame
from env_service.domain.text import counted, safe
from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.grounding.grounded_plan import Level
from env_service.suites.actplan.judges.judgement import Judgement, TracedStep
from env_service.suites.actplan.plans.plan_reader import ReadPlan, Repair
from env_service.suites.actplan.task import ActPlanTask
from env_service.worlds.activity.actions import action_text


@dataclass(frozen=True, slots=True)
class PlanTrace:
    """The content of a page. ``facts`` are (term, text): whose plan it is, and what was recorded of
    it."""

    task: ActPlanTask
    activity: Activity
    plan: ReadPlan
    judgement: Judgement
    pictures: tuple[Frame, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()


def as_page(trace: PlanTrace) -> str:
    """The page."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["safe_text"] = safe
    task = trace.task
    return environment.from_string(_text("plan.html.j2")).render(
        title=f"{task.activity.replace('_', ' ')}, {task.variant.value}",
        trace=trace,
        description=task.description.splitlines(),
        verdict=verdict_line(trace.judgement),
        judges=judge_lines(trace.judgement),
        notes=notes(trace.activity, trace.plan),
        rows=step_rows(trace.judgement),
        readings=reading_rows(trace.judgement),
        pictures=_embedded(trace.pictures),
        style=_text("plan.css"),
        policy="default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    )


def _embedded(frames: Sequence[Frame]) -> list[tuple[str, str]]:
    """(name, data URL) of each picture."""
    return [(each.view.replace("_", " "), _data_url(each)) for each in frames]


def _data_url(frame: Frame) -> str:
    written = io.BytesIO()
    Image.fromarray(frame.pixels).save(written, "PNG")
    return f"data:image/png;base64,{base64.b64encode(written.getvalue()).decode()}"


def _text(name: str) -> str:
    return (files(__package__) / "templates" / name).read_text(encoding="utf-8")


# --- A judged plan as rows that a page or a terminal shows

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
