"""The figures of a run's report: drawn by `houseguest report` in another process, kept in memory.

That process imports a suite and a plotting library, which the viewer's does not.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import BoundedSemaphore, Lock

from env_service.storage.plain_files import read_plain
from env_service.view.requests import RefusedError

SECONDS = 120.0
"""After which the process is killed."""
MOST_FIGURES = 40
"""Figures of a run."""
LARGEST_FIGURE = 4 * 2**20
"""Bytes of one figure."""
MOST_KEPT = 16 * 2**20
"""Bytes of figures to keep in memory, apart from the newest run's."""
MOST_WAITING = 4
"""Requests that wait for figures at once."""
_LARGEST_CONTENTS = 64 * 2**20
_CONTENTS = "report.json"

Key = tuple[str, int]
"""A run's folder, and the revision of its rows."""


@dataclass(frozen=True, slots=True)
class FigureView:
    """A figure, of which the API has an SVG by this name; ``note`` explains it."""

    name: str
    title: str
    note: str


@dataclass(frozen=True, slots=True)
class FiguresView:
    """The figures of a run. ``problem`` says why there are none. ``revision`` is the run's revision
    for which they were drawn."""

    problem: str
    rows: tuple[FigureView, ...]
    revision: int = 0


@dataclass(frozen=True, slots=True)
class DrawnFigures:
    """What the process wrote: figures, and the SVG of each by name."""

    view: FiguresView
    pictures: Mapping[str, bytes]

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(map(len, self.pictures.values()))


class Figures:
    """Draws the figures that somebody asks for. For several threads; close it."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, DrawnFigures] = OrderedDict()
        self._drawing, self._waiting = Lock(), BoundedSemaphore(MOST_WAITING)
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    def of(self, run: Path, revision: int) -> DrawnFigures:
        """The figures of a run, drawn now if they are not known. Raises RefusedError if too many
        others wait."""
        key = (str(run), revision)
        if (found := self._known(key)) is not None:
            return found
        if not self._waiting.acquire(blocking=False):
            raise RefusedError(503, "other figures are drawn: try again")
        try:
            with self._drawing:
                if (found := self._known(key)) is None:
                    drawn = self._draw(run)
                    found = replace(drawn, view=replace(drawn.view, revision=revision))
                    self._keep(key, found)
        finally:
            self._waiting.release()
        return found

    def newest(self, run: Path) -> DrawnFigures | None:
        """The figures of a run that were drawn last; None if they are not known."""
        with self._lock:
            drawn = [each for (name, _), each in self._kept.items() if name == str(run)]
        return max(drawn, key=lambda each: each.view.revision, default=None)

    def close(self) -> None:
        """Ends the process that draws."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.kill()

    def _known(self, key: Key) -> DrawnFigures | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _keep(self, key: Key, drawn: DrawnFigures) -> None:
        with self._lock:
            self._kept[key] = drawn
            size = sum(each.size for each in self._kept.values())
            while size > MOST_KEPT and len(self._kept) > 1:
                _, gone = self._kept.popitem(last=False)
                size -= gone.size

    def _draw(self, run: Path) -> DrawnFigures:
        with tempfile.TemporaryDirectory(prefix="houseguest-figures-") as place:
            out = Path(place) / "report"
            command = [sys.executable, "-m", "env_service", "report", str(run)]
            try:
                problem = self._run([*command, "--out", str(out), "--format", "svg"])
                return _nothing(problem) if problem else _read(out)
            except OSError as error:
                return _nothing(f"the figures cannot be drawn: {error.strerror}")
            except (ValueError, KeyError, TypeError, RecursionError):
                return _nothing("the report cannot be read")

    def _run(self, command: list[str]) -> str:
        """Why the process wrote nothing; empty if it did."""
        with self._lock:
            if self._closed:
                return "the viewer ends"
            process = self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
        try:
            _, said = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return f"the report took longer than {SECONDS:g} seconds"
        last = said.decode(errors="replace").strip().splitlines()[-1:]
        return (last or ["the report failed"])[0][:1000] if process.returncode else ""


def _nothing(problem: str) -> DrawnFigures:
    return DrawnFigures(FiguresView(problem, ()), {})


def _read(out: Path) -> DrawnFigures:
    contents = json.loads(read_plain(out / _CONTENTS, _LARGEST_CONTENTS, within=out))
    rows: list[FigureView] = []
    pictures: dict[str, bytes] = {}
    for table in _tables(contents):
        name = table["id"]
        if f"{name}.svg" not in contents["files"] or len(rows) == MOST_FIGURES:
            continue
        pictures[name] = read_plain(out / f"{name}.svg", LARGEST_FIGURE, within=out)
        rows.append(FigureView(name, table["title"], table["note"]))
    return DrawnFigures(FiguresView("", tuple(rows)), pictures)


def _tables(contents: Mapping[str, object]) -> Iterator[Mapping[str, str]]:
    sections = contents["sections"]
    for section in sections if isinstance(sections, list) else ():
        yield from section["tables"]
