"""A viewer of runs on a thread, and runs that are worth a look in a browser."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import uvicorn

from env_service.domain.action import Action
from env_service.domain.episode import Episode
from env_service.domain.observation import ObservationRequest
from env_service.results.run_folder import RunFolder
from env_service.results.transcript import BeginExchange, CloseExchange, StepExchange, Transcript
from env_service.storage.signing_key import SigningKey
from env_service.suites.base import EpisodeOrder, Suite
from env_service.view.app import make_app
from tests.support.indexed import new_index
from tests.support.played_run import Player, lab_manifest

HOSTILE = (
    '"><img src="x" onerror="window.hurt=1"><script>window.hurt=2</script>'
    "<svg onload=window.hurt=3>{{7*7}}${7*7}</textarea></title>javascript:window.hurt=4"
)
"""Runs something wherever a text is taken for markup."""

Exchange = BeginExchange | StepExchange | CloseExchange


class Talking(Player):
    """Its agent says what ``trace`` holds, in each step, and sends prompts. For tests of pages."""

    trace: Mapping[str, Any] = {"thought": "Next.", "raw_model_output": "I do it."}

    def _act(
        self,
        episode: Episode,
        order: EpisodeOrder,
        transcript: Transcript,
        actions: tuple[Action, ...],
    ) -> Any:
        append = transcript.append

        shown = "ab" * 32

        def talk(exchange: Exchange) -> Any:
            nonlocal shown
            if isinstance(exchange, StepExchange):
                prompt = prompt_of(exchange.index, shown)
                exchange = replace(exchange, trace={**self.trace, "prompt": prompt})
                images = exchange.step.observation.images
                shown = images[0].digest.hex() if images else shown
            return append(exchange)

        transcript.append = talk  # type: ignore[method-assign]
        try:
            return super()._act(episode, order, transcript, actions)
        finally:
            transcript.append = append  # type: ignore[method-assign]


def prompt_of(turn: int, picture: str) -> Mapping[str, Any]:
    """The whole request of a turn, which repeats those before."""
    said = [("system", "Play well. " + HOSTILE)]
    for past in range(turn):
        said += [("user", f"You see room {past}. " * 4), ("assistant", f"Act {past}.")]
    said.append(("user", f"You see room {turn}. " * 4 + "What do you do? 🏠"))
    messages = [{"role": role, "parts": [{"text": text}]} for role, text in said]
    messages[-1]["parts"].append({"picture": picture, "media_type": "image/png"})
    schema = json.dumps({"type": "object", "title": HOSTILE})
    return {"messages": messages, "parameters": {"seed": str(turn), "response_format": schema}}


def played(
    runs: Path, agent: str, episodes: Mapping[str, tuple[Action, ...]], **condition: str
) -> Path:
    """A finished run of the laboratory, by task."""
    manifest = lab_manifest()
    manifest = replace(
        manifest,
        run_id=f"run-{agent}",
        agent=f"{agent}/1.0",
        condition={**manifest.condition, **condition},
        task_ids=tuple(episodes),
    )
    folder = RunFolder.open(runs, manifest, SigningKey.load_or_create(runs.parent / "key.pem"))
    folder.declare({"agent_name": agent, "model": ""})
    player = Talking(folder)
    for task_id, actions in episodes.items():
        player.play(task_id, 0, actions)
    folder.write_summary()
    folder.close()
    return folder.path


def played_suite(
    runs: Path,
    suite: Suite,
    task_set: str,
    actions: tuple[Action, ...] = (),
    *,
    short: int = 0,
    **condition: str,
) -> tuple[Path, str]:
    """A finished run of the first task of a suite's set, and its episode's id. Without actions,
    the expert plays, and leaves out the last ``short`` of its actions."""
    whole = {each.name: each.default for each in suite.settings} | condition
    task = suite.under(suite.task_sets()[task_set], whole).tasks[0]
    world = suite.worlds_of(task_set)[0]
    manifest = replace(
        lab_manifest(),
        run_id=f"run-{suite.name}-{task_set}",
        suite=suite.name,
        suite_version=suite.version,
        task_set=task_set,
        task_ids=(task.id,),
        world=world,
        condition=whole,
    )
    folder = RunFolder.open(runs, manifest, SigningKey.load_or_create(runs.parent / "key.pem"))
    folder.declare({"agent_name": "scripted", "model": ""})
    if not actions:
        order = EpisodeOrder(task, world, whole, ObservationRequest(text=True), 7)
        actions = suite.expert(order).actions
    record = Player(folder, suite=suite).play(task.id, 0, actions[: len(actions) - short])
    folder.write_summary()
    folder.close()
    return folder.path, record.episode_id


@contextmanager
def viewer(runs: Path, place: Path) -> Iterator[str]:
    """The address of a viewer of these runs. ``place`` is for its index."""
    with new_index(runs, place / "index.sqlite3") as index:
        index.sync()
        app = make_app(index)
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{_port(server)}/"
        finally:
            app.state.changes.close()
            server.should_exit = True
            thread.join(30)


def _port(server: uvicorn.Server, patience: float = 30.0) -> int:
    deadline = time.monotonic() + patience
    while not server.started:
        assert time.monotonic() < deadline, "the viewer does not start"
        time.sleep(0.02)
    return int(server.servers[0].sockets[0].getsockname()[1])


@contextmanager
def quiet_stage(_name: str, _parts: int) -> Iterator[Callable[[], None]]:
    """Shows no progress."""
    yield lambda: None
