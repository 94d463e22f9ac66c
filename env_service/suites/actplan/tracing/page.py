"""A judged plan as one HTML page that needs nothing else: no network, no script, no other file."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from jinja2 import Environment, StrictUndefined
from PIL import Image

from env_service.domain.observation import Frame
from env_service.domain.printable import safe
from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.judges.judgement import Judgement
from env_service.suites.actplan.plans.step import ReadPlan
from env_service.suites.actplan.task import ActPlanTask
from env_service.suites.actplan.tracing.rows import (
    judge_lines,
    notes,
    reading_rows,
    step_rows,
    verdict_line,
)


@dataclass(frozen=True, slots=True)
class Story:
    """All that a page tells. ``facts`` are (term, text): whose plan it is, and what was recorded of
    it."""

    task: ActPlanTask
    activity: Activity
    plan: ReadPlan
    judgement: Judgement
    pictures: tuple[Frame, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()


def as_page(story: Story) -> str:
    """The page."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["safe_text"] = safe
    task = story.task
    return environment.from_string(_text("plan.html.j2")).render(
        title=f"{task.activity.replace('_', ' ')}, {task.variant.value}",
        story=story,
        description=task.description.splitlines(),
        verdict=verdict_line(story.judgement),
        judges=judge_lines(story.judgement),
        notes=notes(story.activity, story.plan),
        rows=step_rows(story.judgement),
        readings=reading_rows(story.judgement),
        pictures=_embedded(story.pictures),
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
