"""Recorded questions that are made up: a viewer's page, its pictures, and packs that hold them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from PIL import Image

from env_service.datasets.errors import DataPackMissingError
from env_service.suites.asgard.action_language import Command, Verb
from env_service.suites.asgard.plan import LocationGoal, SetupAction
from env_service.suites.asgard.recorded.task_set import RECORDED_PACK, VIEWER, RecordedQuestion
from env_service.suites.asgard.task_sets import ITEM_CACHE
from tests.support.asgard import NAME, ROOM, SOLUTION, mirror_plan

PIXELS = 48
"""Of a made-up picture."""

WORDS = ("Cloth", "CounterTop", "Mirror", "Shelf", "SprayBottle", "Towel")
"""What the made-up room holds."""

_PHRASES = {
    "FIND": "Find {0}",
    "PICKUP": "Pickup {0}",
    "PUT": "Put {1} in {0}",
    "SPRAY": "Spray {0}",
    "CLEAN": "Clean {0}",
}


def frame(number: int) -> str:
    """The path of the picture from before a step, from 1."""
    return f"static/plan_images/{number:032x}.webp"


def entry(name: str = NAME, actions: Sequence[str] = SOLUTION, **changes: Any) -> dict[str, Any]:
    """A solution as the page has it. ``changes`` are keys of its top level."""
    steps = [
        {"action": _phrase(action), "image": frame(number)}
        for number, action in enumerate(actions, start=1)
    ]
    told = {
        "name": f"{name} [{len(actions)}]",
        "task_description": "Clean the mirror",
        "steps": steps,
    }
    return {**told, **changes}


def _phrase(action: str) -> str:
    verb, kind = action.split()
    return _PHRASES[verb].format(kind, "SprayBottle")


def page(*entries: dict[str, Any]) -> str:
    """The page that shows solutions."""
    return f"<html>\n<script>\n  const PLANS = {json.dumps(entries)};\n</script>\n"


class FakePack:
    """A data pack in a folder: it has every file as published."""

    def __init__(self, folder: Path, modified: Iterable[str] = ()) -> None:
        self.folder, self.modified = folder, tuple(modified)

    def path(self, relative: str) -> Path:
        (found,) = self.require([relative])
        return self.folder / found

    def files(self, *patterns: str) -> tuple[str, ...]:
        held = (path for path in self.folder.rglob("*") if path.is_file())
        names = sorted(path.relative_to(self.folder).as_posix() for path in held)
        return tuple(n for n in names if any(n == p or fnmatchcase(n, p) for p in patterns))

    def require(self, patterns: Iterable[str]) -> tuple[str, ...]:
        found = []
        for pattern in patterns:
            there = (self.folder / pattern).is_file()
            matching = (pattern,) if there else self.files(pattern)
            if not matching:
                raise DataPackMissingError(RECORDED_PACK, [pattern])
            found += matching
        return tuple(found)

    def describe(self, *patterns: str) -> SimpleNamespace:
        held = self.files(*patterns)
        return SimpleNamespace(modified=tuple(each for each in self.modified if each in held))


def write_pictures(folder: Path, numbers: Iterable[int]) -> None:
    """Pictures of one colour each, of 48 x 48 pixels."""
    for number in numbers:
        path = folder / frame(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        colour = (20 * number, 255 - 20 * number, 60)
        Image.new("RGB", (PIXELS, PIXELS), colour).save(path, lossless=True)


def recorded_pack(folder: Path, text: str = "", numbers: Iterable[int] = range(1, 11)) -> Any:
    """The pack of the viewer, by default of the one solution that cleans the mirror."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / VIEWER).write_text(text or page(entry()), encoding="utf-8")
    write_pictures(folder, numbers)
    return FakePack(folder)


def plans_pack(folder: Path) -> Any:
    """The pack of the plans, of the one that the solution is of."""
    plan = folder / "Generated" / "magt_benchmark" / f"{NAME} [10]" / "plan.json"
    plan.parent.mkdir(parents=True, exist_ok=True)
    plan.write_text(json.dumps(mirror_plan()), encoding="utf-8")
    cache = folder / ITEM_CACHE
    cache.parent.mkdir(parents=True, exist_ok=True)
    names = ["Mirror_2638293f"]
    cache.write_text(json.dumps({"types": {ROOM: WORDS}, "names": {ROOM: names}}))
    return FakePack(folder)


def command(text: str) -> Command:
    """Such as "FIND Mirror"."""
    verb, kind = text.split()
    return Command(Verb(verb), kind)


def question(
    *history: str,
    answer: str = "FIND Mug",
    available: Iterable[str] = ("CounterTop", "DiningTable", "Mug"),
    setup: Iterable[SetupAction] = (),
    goals: Iterable[LocationGoal] = (),
) -> RecordedQuestion:
    """A question after some actions."""
    return RecordedQuestion(
        plan="coffee__FloorPlan1_V1",
        task_type="coffee",
        variation="",
        description="Drink coffee",
        history=tuple(map(command, history)),
        steps=len(history) + 2,
        answer=command(answer),
        frame=frame(len(history) + 1),
        frame_before=frame(len(history)) if history else "",
        available=tuple(available),
        setup=tuple(setup),
        location_goals=tuple(goals),
    )
