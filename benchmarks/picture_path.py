"""The forms that a picture takes in our code between the renderer and the wire.

    python -m benchmarks.picture_path

Plays a step of AsgardBench in a built-in room, and prints every function that hands the
picture on, in order, with the type that then holds it: in the worker up to the message to the
engine, in the service from there to the bytes of the answer. A function is listed once for each
type. tests/conformance/test_picture_path.py holds how many types there are.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

import numpy as np

import env_service
from env_service.domain.action import Action
from env_service.domain.episode import Episode, StepReport
from env_service.suites.base import EpisodeOrder, Suite
from env_service.suites.registry import load_suite
from env_service.worlds.household.render.selection import VARIABLE as RENDERER
from tests.support.service import open_service, skill

SUITE = "benchmarks.picture_path:traced_suite"
FILE_VARIABLE = "HOUSEGUEST_PICTURE_PATH_FILE"
"""Names the file in which a worker notes what it hands on."""
_PRODUCT = f"{Path(env_service.__file__).parent}{os.sep}"
_IN_WORKER = Path(sys.argv[0]).name == "worker.py"
_PICTURE_BYTES = 300 * 300 * 3
"""AsgardBench's pictures; whatever is smaller is none."""
_DEPTH = 6
"""How deep a picture may lie: report, observation, its frames, one of them, its pixels."""


@dataclass(frozen=True, slots=True)
class Handover:
    """A function that gave a picture back, and the type that held the pixels."""

    function: str
    holder: str


def traced_suite() -> Suite:
    """AsgardBench, whose worker notes the pictures that its functions give back."""
    suite = load_suite("asgard")

    def open_episode(self: Suite, order: EpisodeOrder) -> Episode:
        episode = kind.open_episode(self, order)
        if _IN_WORKER:
            act, recorder = episode.act, Recorder(Path(os.environ[FILE_VARIABLE]))

            def traced_act(action: Action) -> StepReport:
                recorder.active = True
                sys.setprofile(recorder)
                return act(action)

            episode.act = traced_act  # type: ignore[method-assign]
        return episode

    kind = type(suite)
    traced: Suite = type(kind.__name__, (kind,), {"open_episode": open_episode})()
    return traced


class Recorder:
    """A function for ``sys.setprofile``: notes once who gave back which holder of a picture."""

    def __init__(self, file: Path) -> None:
        self.active = False
        self._file = file
        self._seen: set[Handover] = set()

    def __call__(self, frame: FrameType, event: str, value: object) -> None:
        """Looks at what a function of ours returns."""
        code = frame.f_code
        if not self.active or event != "return" or not code.co_filename.startswith(_PRODUCT):
            return
        module = code.co_filename.removeprefix(_PRODUCT).removesuffix(".py").replace(os.sep, ".")
        for holder in sorted(holders(value)):
            found = Handover(f"{module} {code.co_qualname}", holder)
            if found not in self._seen:
                self._seen.add(found)
                with self._file.open("a", encoding="utf-8") as file:
                    file.write(f"{found.function}\t{found.holder}\n")


def holders(value: object, depth: int = _DEPTH) -> set[str]:
    """Names of the types in a value that hold a picture's pixels or bytes themselves."""
    if isinstance(value, np.ndarray):
        return {"array"} if value.nbytes == _PICTURE_BYTES and value.ndim == 3 else set()
    if isinstance(value, bytes | memoryview):
        return {"bytes"} if len(value) >= _PICTURE_BYTES else set()
    if depth == 0:
        return set()
    if isinstance(value, tuple | list):
        return set().union(*(holders(each, depth - 1) for each in value[:8]))
    if not is_dataclass(value) or isinstance(value, type):
        return set()
    parts = [getattr(value, field.name, None) for field in fields(value)]
    found: set[str] = set().union(*(holders(each, depth - 1) for each in parts))
    return {type(value).__name__ if each in ("array", "bytes") else each for each in found}


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    before: Mapping[str, str | None] = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def record() -> tuple[list[Handover], list[Handover]]:
    """Who handed the picture on: in the worker, and in the service."""
    with TemporaryDirectory(prefix="pictures-") as name:
        worker, service = Path(name, "worker"), Path(name, "service")
        with _environment(**{FILE_VARIABLE: str(worker), RENDERER: "soft"}):
            recorder = Recorder(service)
            threading.setprofile(recorder)
            try:
                _play(recorder)
            finally:
                threading.setprofile(None)  # type: ignore[arg-type] # none, as before
        return _read(worker), _read(service)


def _play(recorder: Recorder) -> None:
    with open_service() as service:
        run = service.open_run(SUITE, task_set="builtin-2-0", condition={"picture": "300"}, limit=1)
        agent = service.agent(run)
        agent.begin()
        recorder.active = True
        agent.step(skill("FIND", object="CounterTop"))
        recorder.active = False
        agent.end()
        service.call(run.wait_until_over())
        agent.close()


def _read(file: Path) -> list[Handover]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return [Handover(*line.split("\t")) for line in lines]


def main() -> None:
    """Prints who handed the picture on, and as what."""
    for title, handovers in zip(("In the worker", "In the service"), record(), strict=True):
        print(f"\n--- {title}\n")
        for each in handovers:
            print(f"{each.holder:16}{each.function}")


if __name__ == "__main__":
    main()
