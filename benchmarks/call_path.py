"""The calls that an action, an answer and a score need in our code.

python -m benchmarks.call_path                     # one episode of the laboratory
python -m benchmarks.call_path --suite babybench   # of another suite, played by its expert

Plays one episode and prints what was called for it in the service and in its worker, in order:
one line for each function, indented by the calls that led to it. A call in another thread, task
or process begins at the left again. A function is listed where it is first called; comprehensions
are left out. tests/conformance/test_call_path.py holds the calls that matter.
"""

from __future__ import annotations

import argparse
import inspect
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from unittest.mock import patch

from houseguest.agent.v1 import action_pb2, agent_pb2

import env_service
from env_service.cli.main import run as cli
from env_service.domain.episode import Episode
from env_service.domain.observation import ObservationRequest
from env_service.suites.base import EpisodeOrder, Suite
from env_service.suites.registry import load_suite
from env_service.wire.actions import action_to_wire
from tests.support import lab
from tests.support.service import LAB, RawAgent, open_service, skill

TRACED = "benchmarks.call_path:traced_suite"
"""A suite whose episodes note what is called for them; see ``traced_suite``."""
SUITE_VARIABLE = "HOUSEGUEST_CALL_PATH_SUITE"
FILE_VARIABLE = "HOUSEGUEST_CALL_PATH_FILE"
_PRODUCT = f"{Path(env_service.__file__).parent}{os.sep}"
_SAMPLE = str(lab.__file__)
_IN_WORKER = Path(sys.argv[0]).parts[-2:] == ("engine", "worker.py")
_NOISE = ("<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>")
_COROUTINE = inspect.CO_COROUTINE | inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR

Chain = tuple[str, ...]
"""Calls that led to one another, the outermost first: ``gateway.agent_session AgentSession.step``,
or ``worker: …`` for one in the worker."""


def traced_suite() -> Suite:
    """The suite that SUITE_VARIABLE names. Where an episode of it is opened, a worker, calls are
    noted in the file that FILE_VARIABLE names, from then on."""
    suite = load_suite(os.environ[SUITE_VARIABLE])

    def open_episode(self: Suite, order: EpisodeOrder) -> Episode:
        if _IN_WORKER:
            sys.setprofile(Recorder(Path(os.environ[FILE_VARIABLE])))
        return kind.open_episode(self, order)

    kind = type(suite)
    traced: Suite = type(kind.__name__, (kind,), {"open_episode": open_episode})()
    return traced


class Recorder:
    """A function for ``sys.setprofile``: notes how each function of ours was first called.

    With ``file`` each is written there as a line, else it is kept in ``chains``.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.chains: list[Chain] = []
        self.active = file is not None
        self._file = file
        self._names: dict[CodeType, str] = {}
        self._seen: set[CodeType] = set()

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        """Notes a call."""
        code = frame.f_code
        if not self.active or event != "call" or code in self._seen or not self._name(code):
            return
        if code.co_flags & _COROUTINE and frame.f_lasti <= 0:
            return  # It is being made; it is called by whoever awaits it.
        self._seen.add(code)
        chain = self._chain(frame)
        self.chains.append(chain)
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as file:
                file.write("\t".join(chain) + "\n")

    def take(self) -> list[Chain]:
        """What was noted since the last call; then functions are noted anew."""
        chains, self.chains = self.chains, []
        self._seen.clear()
        return chains

    def _chain(self, frame: FrameType | None) -> Chain:
        names = []
        while frame is not None:
            if name := self._name(frame.f_code):
                names.append(name)
            frame = frame.f_back
        return tuple(reversed(names))

    def _name(self, code: CodeType) -> str:
        """Empty for what is not ours."""
        if code not in self._names:
            self._names[code] = _name(code)
        return self._names[code]


def _name(code: CodeType) -> str:
    file = code.co_filename
    if not (file.startswith(_PRODUCT) or file == _SAMPLE) or code.co_name in _NOISE:
        return ""
    if not code.co_flags & inspect.CO_OPTIMIZED:
        return ""  # The body of a module or a class.
    module = file.removeprefix(_PRODUCT).removesuffix(".py").replace(os.sep, ".")
    return f"{'lab' if file == _SAMPLE else module} {code.co_qualname}"


@dataclass(frozen=True, slots=True)
class CallPaths:
    """The calls of each stage of one episode, in order."""

    unary: Sequence[Chain]
    """A Step as a separate call."""
    play: Sequence[Chain]
    """A Step on Play."""
    end: Sequence[Chain]
    """EndEpisode, which scores and records it, and the run's summary."""
    report: Sequence[Chain]
    """``houseguest show`` of the run."""
    worker: Sequence[Chain]
    """All of it, in the worker."""

    def to(self, stage: str, name: str) -> Chain:
        """How a function of that qualified name was called. Raises LookupError."""
        for chain in getattr(self, stage):
            if chain[-1].split()[-1] == name:
                return tuple(each.split()[-1] for each in chain)
        raise LookupError(f"{name} is not called in {stage}")


def record(suite: str = LAB) -> CallPaths:
    """Plays one episode of a suite's default task set: two steps, and its end. Then shows it."""
    recorder = Recorder()
    with TemporaryDirectory(prefix="paths-") as name, patch.dict(os.environ), _profiled(recorder):
        file = Path(name, "worker")
        os.environ.update({SUITE_VARIABLE: suite, FILE_VARIABLE: str(file)})
        with open_service() as service:
            run = service.open_run(TRACED, limit=1)
            agent = service.agent(run)
            agent.begin()
            actions = _actions(suite)
            recorder.active = True
            agent.step(actions[0])
            unary = recorder.take()
            _play(agent, actions[1])
            play = recorder.take()
            agent.end()
            service.call(run.wait_until_over())
            end = recorder.take()
            agent.close()
            recorder.active = False
            report = _shown(run.path)
        lines = file.read_text(encoding="utf-8").splitlines()
    worker = [tuple(line.split("\t")) for line in lines]
    return CallPaths(unary, play, end, report, worker)


@contextmanager
def _profiled(recorder: Recorder) -> Iterator[None]:
    """Every thread that is started meanwhile has its calls noted."""
    threading.setprofile(recorder)
    try:
        yield
    finally:
        threading.setprofile(None)  # type: ignore[arg-type] # none, as before


def _shown(folder: Path) -> list[Chain]:
    recorder = Recorder()
    with redirect_stdout(StringIO()):
        recorder.active = True
        sys.setprofile(recorder)
        try:
            cli(["show", str(folder)])
        finally:
            sys.setprofile(None)
    return recorder.chains


def _play(agent: RawAgent, action: action_pb2.Action) -> None:
    request = agent_pb2.PlayRequest(step=agent.step_request(action, agent.index))
    next(iter(agent.stub.Play(iter([request]), metadata=agent.metadata, timeout=60)))


def _actions(name: str) -> list[action_pb2.Action]:
    """Two actions of an episode, the first of its expert."""
    if name == LAB:
        return [skill("noop"), skill("noop")]
    suite = load_suite(name)
    task = next(iter(suite.task_sets().values())).tasks[0]
    condition = {setting.name: setting.default for setting in suite.settings}
    offer = suite.offer(condition)
    nothing = offer.grant(ObservationRequest())
    order = EpisodeOrder(task, suite.worlds[0], condition, nothing, 0)
    # An answer that ends the episode is sent once more, and refused.
    return [action_to_wire(action) for action in (suite.expert(order).actions * 2)[:2]]


def main() -> None:
    """Prints the calls."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--suite", default=LAB, help="by default the laboratory")
    paths = record(parser.parse_args().suite)
    for stage, title in (
        ("unary", "A Step as a separate call"),
        ("play", "A Step on Play"),
        ("end", "EndEpisode, and the end of the run"),
        ("report", "houseguest show"),
        ("worker", "All of it, in the worker"),
    ):
        print(f"\n--- {title}\n")
        for chain in getattr(paths, stage):
            print("  " * (len(chain) - 1) + chain[-1])


if __name__ == "__main__":
    main()
