"""The activities that something is made of: files, folders, or the data pack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from env_service.making.errors import SourceError
from env_service.plain_files import read_plain_text
from env_service.suites.actplan.task import Variant

NORMAL, COUNTERFACTUAL = "problem0.bddl", "problem1.bddl"
_NAMES = {Variant.NORMAL: NORMAL, Variant.COUNTERFACTUAL: COUNTERFACTUAL}


@dataclass(frozen=True, slots=True)
class SourceActivity:
    """An activity as its folder has it (spec: actplan.md section 1.2). Texts are empty where there
    is no file.

    Attributes:
        name: the folder's.
        folder: where it is.
        normal: BDDL.
        counterfactual: BDDL.
        description: of the normal problem.
        told: of the counterfactual.
    """

    name: str
    folder: Path
    normal: str = ""
    counterfactual: str = ""
    description: str = ""
    told: str = ""


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
        # Beside scenes, published copies lie in folders "0" and "1".
        folder = file.parent
        name = folder.parent.name if folder.name in ("0", "1") else folder.name
        yield _read(name, folder)


def _read(name: str, folder: Path) -> SourceActivity:
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
