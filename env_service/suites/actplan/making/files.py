"""The files of activities: what something is made of, what a model has made, circumstances, and
activities in the published layout.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from env_service.chat.model_state import ModelState
from env_service.storage.atomic_files import write_atomically
from env_service.storage.plain_files import read_plain_text
from env_service.suites.actplan.dataset.published_files import (
    SPLIT_FILE,
    description_file,
    problem_file,
)
from env_service.suites.actplan.task import Circumstance, Variant

NORMAL, COUNTERFACTUAL = "problem0.bddl", "problem1.bddl"
_NAMES = {Variant.NORMAL: NORMAL, Variant.COUNTERFACTUAL: COUNTERFACTUAL}


@dataclass(frozen=True, slots=True)
class SourceActivity:
    """An activity as its folder has it (docs/actplan.md, Task sets). The text of a missing file is
    empty.

    Attributes:
        name: the folder's.
        folder: where it is.
        normal: BDDL.
        counterfactual: BDDL.
        description: of the normal problem.
        counterfactual_description: of the counterfactual problem.
    """

    name: str
    folder: Path
    normal: str = ""
    counterfactual: str = ""
    description: str = ""
    counterfactual_description: str = ""


def find_activities(places: Sequence[Path]) -> tuple[SourceActivity, ...]:
    """The activities in some places, by name: each a BDDL file, a folder of an activity, or a
    folder with such folders anywhere below it.

    Raises:
        SourceError: there is none in one of them, or two have the same name.
    """
    found: dict[str, SourceActivity] = {}
    for place in places:
        here = tuple(_in(place))
        if not here:
            raise SourceError(
                f"{place} has no {NORMAL} in it, nor in any folder below it; give a folder like"
                " bddl/activity_definitions/ACTIVITY"
            )
        for each in here:
            known = found.setdefault(each.name, each)
            if _at_odds(known.normal, each.normal) or _at_odds(
                known.counterfactual, each.counterfactual
            ):
                raise SourceError(
                    f"{known.folder} and {each.folder} define {each.name} differently; give one of"
                    " them"
                )
    return tuple(sorted(found.values(), key=lambda each: each.name))


def chosen(
    activities: Iterable[SourceActivity], patterns: Sequence[str], limit: int
) -> tuple[SourceActivity, ...]:
    """The first ``limit`` (0: all) of those that a pattern matches; no pattern matches all.

    Raises:
        SourceError: a pattern matches none.
    """
    every = tuple(activities)
    for pattern in patterns:
        if not any(fnmatchcase(each.name, pattern) for each in every):
            raise SourceError(f"no activity is called {pattern}; see houseguest actplan stats")
    wanted = tuple(
        each
        for each in every
        if not patterns or any(fnmatchcase(each.name, pattern) for pattern in patterns)
    )
    return wanted[:limit] if limit else wanted


def _at_odds(one: str, other: str) -> bool:
    return bool(one and other) and one.split() != other.split()


def read_file(path: Path) -> str:
    """A text file. Raises SourceError."""
    try:
        return read_plain_text(path, encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path} cannot be read: {error}") from error


def _in(place: Path) -> Iterator[SourceActivity]:
    if place.is_file():
        yield SourceActivity(place.parent.name or place.stem, place.parent, _text(place))
        return
    for file in sorted(place.rglob(NORMAL)):
        # Next to scenes, published copies are in folders "0" and "1".
        folder = file.parent
        name = folder.parent.name if folder.name in ("0", "1") else folder.name
        yield _read_activity(name, folder)


def _read_activity(name: str, folder: Path) -> SourceActivity:
    other = folder.with_name("1") if folder.name == "0" else folder
    return SourceActivity(
        name,
        folder,
        _text(folder / NORMAL),
        _text(other / COUNTERFACTUAL),
        _text(folder / "task_description_0.txt"),
        _text(other / "task_description_1.txt"),
    )


def _text(path: Path) -> str:
    return read_file(path) if path.exists() else ""


# --- What a model has made, and the file it is kept in


class Stage(Enum):
    """What a model is asked for."""

    DESCRIPTION = "description"
    CIRCUMSTANCES = "circumstances"
    COUNTERFACTUAL = "counterfactual"


Key = tuple[str, Stage, str]
"""An activity, a stage, and which one: a variant's number, a kind, a circumstance."""


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """The outcome of one question.

    Attributes:
        activity: whose.
        stage: what was asked for.
        which: which of them; see Key.
        texts: what came; empty: nothing usable.
        asked: SHA-256 (hex) of the question; the answer counts for that question alone.
        problem: why nothing usable came; empty where something did.
        requests: how often the model was asked.
    """

    activity: str
    stage: Stage
    which: str
    texts: tuple[str, ...]
    asked: str
    problem: str = ""
    requests: int = 1

    @property
    def key(self) -> Key:
        """What there is one of."""
        return self.activity, self.stage, self.which

    @property
    def done(self) -> bool:
        """Whether there is something to go on with."""
        return bool(self.texts)

    def to_json(self) -> dict[str, Any]:
        """As a line of the state file."""
        return {**asdict(self), "stage": self.stage.value, "texts": list(self.texts)}


def read_result(value: Mapping[str, Any]) -> QuestionResult:
    """What `QuestionResult.to_json` wrote. Raises KeyError, TypeError or ValueError."""
    names = ("activity", "which", "problem", "asked")
    fields = {name: value[name] for name in names}
    if not all(isinstance(each, str) for each in (*fields.values(), *value["texts"])):
        raise TypeError("a text is not a string")
    requests = value["requests"]
    if not isinstance(requests, int):
        raise TypeError("requests is not a whole number")
    return QuestionResult(
        stage=Stage(value["stage"]), texts=tuple(value["texts"]), requests=requests, **fields
    )


class MakingState(ModelState[Key, QuestionResult]):
    """What is made so far."""

    FORMAT = "houseguest-making-1"
    COMMAND = "houseguest actplan make"
    read = staticmethod(read_result)


# --- Circumstances that make an activity another one, and the files that they are kept in

KINDS = (Circumstance.PROPERTY, Circumstance.FUNCTION, Circumstance.CAUSALITY)
"""The three kinds of the paper's Figure 4."""


@dataclass(frozen=True, slots=True)
class StatedCircumstance:
    """A circumstance.

    Attributes:
        activity: of which activity.
        kind: one of KINDS.
        text: one English sentence, which the description is given too.
        rule: the rule that makes it; empty: a model has to.
        by: the model that proposed it; empty: the rule did.
    """

    activity: str
    kind: Circumstance
    text: str
    rule: str = ""
    by: str = ""

    def to_json(self) -> dict[str, str]:
        """As a line of a file."""
        return {**asdict(self), "kind": self.kind.value}


def read_stated_circumstance(value: Mapping[str, Any]) -> StatedCircumstance:
    """What `StatedCircumstance.to_json` made. Raises KeyError, TypeError or ValueError."""
    texts = {name: value.get(name, "") for name in ("rule", "by")}
    needed = {name: value[name] for name in ("activity", "text")}
    if not all(isinstance(each, str) for each in (*texts.values(), *needed.values())):
        raise TypeError("a text is not a string")
    if not needed["activity"] or not needed["text"].strip():
        raise ValueError("activity or text is empty")
    kind = Circumstance(value["kind"])
    if kind not in KINDS:
        raise ValueError(f"kind is {kind.value!r}")
    return StatedCircumstance(kind=kind, **needed, **texts)


def read_circumstances(path: Path) -> tuple[StatedCircumstance, ...]:
    """A file of circumstances: JSON Lines. Raises CircumstanceError."""
    try:
        lines = read_plain_text(path, encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CircumstanceError(f"{path} cannot be read: {error}") from error
    return tuple(
        _read_circumstance(path, number, line)
        for number, line in enumerate(lines, 1)
        if line.strip()
    )


def written(stated: Iterable[StatedCircumstance]) -> bytes:
    """Circumstances as a file."""
    lines = (json.dumps(each.to_json(), ensure_ascii=False) for each in stated)
    return "".join(f"{line}\n" for line in lines).encode()


def _read_circumstance(path: Path, number: int, line: str) -> StatedCircumstance:
    try:
        return read_stated_circumstance(json.loads(line))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        kinds = ", ".join(each.value for each in KINDS)
        raise CircumstanceError(
            f"{path}, line {number} is not a circumstance ({type(error).__name__}: {error}); write"
            f' {{"activity": NAME, "kind": one of {kinds}, "text": SENTENCE}}'
        ) from error


# --- Writes activities in the published layout (docs/actplan.md, Task sets)

SPLIT = "test"
"""What made activities are in: nothing is to be tuned on them unasked."""


@dataclass(frozen=True, slots=True)
class WrittenVariant:
    """One variant of an activity: its BDDL and its description."""

    activity: str
    variant: Variant
    problem: str
    description: str


class TaskFolder:
    """A folder with activities, such as `data import actplan` reads."""

    def __init__(self, root: Path) -> None:
        """Writes nothing yet."""
        self.root = root

    def write(self, made: WrittenVariant) -> None:
        """Writes one variant, over what was there, and enters its activity."""
        for path, text in (
            (problem_file(made.activity, made.variant), made.problem),
            (description_file(made.activity, made.variant), made.description),
        ):
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(place, text.encode())
        self._enter(made.activity)

    def _enter(self, activity: str) -> None:
        """Adds an activity to the file of splits, which the loader looks them up in."""
        path = self.root / SPLIT_FILE
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        names = {line.partition("\t")[0] for line in lines}
        if activity in names:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{line}\n" for line in sorted((*lines, f"{activity}\t{SPLIT}")))
        write_atomically(path, text.encode())


# --- What can go wrong while activities are made. Every message is fit for a user


class MakingError(Exception):
    """Something keeps activities from being made."""


class SourceError(MakingError):
    """The activities to start from cannot be had; the message says where they were looked for."""


class CircumstanceError(MakingError):
    """A file of circumstances cannot be read; the message names the line."""
