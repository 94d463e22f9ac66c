"""Evaluations and environments from Python, as a program or a notebook uses them."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from houseguest_agent import Episode, SetupError

import houseguest as hg
from tests.support.command_line import LAB, orphans, until
from tests.support.model_server import MODEL, ModelServer

BABYAI: Any = {"suite": "babyai", "tasks": ["GoToLocal"], "progress": False}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A current folder of its own, with a key, and no thread left behind."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    yield tmp_path
    names = [each.name for each in threading.enumerate()]
    assert not {"houseguest-run", "houseguest-sweep", "houseguest-practice"} & set(names)


def settings(place: Path, **changes: Any) -> dict[str, Any]:
    return {**BABYAI, "out": place / "runs", "signing_key": place / "key.pem", **changes}


def turning(episode: Episode) -> None:
    """Plays three moves."""
    for _ in range(3):
        if episode.running:
            episode.act("left")


class Counting:
    """An agent with a state for each session."""

    made = 0

    def __init__(self) -> None:
        Counting.made += 1

    def __call__(self, episode: Episode) -> None:
        """Plays one move."""
        episode.act("left", trace="why not")


def test_a_function_plays_a_signed_run_that_is_marked_and_resumed(place: Path) -> None:
    events: list[str] = []
    given = settings(place, limit=2, on_event=lambda event: events.append(event.kind))
    run = hg.evaluate(agent=turning, **given)
    assert (run.status, len(run.episodes), run.isolated) == ("complete", 2, False)
    assert run.manifest.guest["sandbox"] == "in-process"
    assert run.agent == "python:turning"
    assert [step.action for step in run.episodes[0]] == ["left"] * 3
    assert events.count("closed") == 2
    assert hg.verify(run).problems == ()
    # Complete already: nothing is played again.
    again = hg.evaluate(agent=turning, **given)
    assert again == run
    assert events.count("closed") == 2


def test_a_class_is_called_once_for_each_session(place: Path) -> None:
    run = hg.evaluate(agent=Counting, **settings(place, limit=4, parallel=2))
    assert run.status == "complete"
    assert Counting.made == 2
    assert run.episodes[0].steps[0].thought == "why not"


def test_an_exception_of_the_agent_fails_its_episode_and_warns(place: Path) -> None:
    def broken(episode: Episode) -> None:
        episode.act("left")
        raise ZeroDivisionError("my mistake")

    with pytest.warns(UserWarning, match="The agent failed in 1 of 1 episode"):
        run = hg.evaluate(agent=broken, **settings(place, limit=1))
    assert run.episodes[0].failure is not None
    (log,) = (run.path / "logs").glob("guest-*")
    assert "my mistake" in log.read_text(encoding="utf-8")


def test_an_exception_of_the_callback_stops_the_run_which_resumes(place: Path) -> None:
    def full(event: Any) -> None:
        if event.kind == "closed":
            raise RuntimeError("disk full")

    given = settings(place, limit=6)
    with pytest.raises(RuntimeError, match="disk full"):
        hg.evaluate(agent=turning, **given, on_event=full)
    (stopped,) = hg.load(place / "runs")
    played = {episode.id for episode in stopped}
    run = hg.evaluate(agent=turning, **given)
    assert run.status == "complete"
    assert len(run.episodes) == 6
    assert played <= {episode.id for episode in run}


PROGRAM = """
from houseguest_agent import Client

with Client("program") as client:
    for episode in client.episodes():
        episode.act("left")
"""


def test_a_program_plays_as_a_command_and_as_a_path(place: Path) -> None:
    (place / "program.py").write_text(PROGRAM, encoding="utf-8")
    by_words = hg.evaluate(agent=["python", "program.py"], **settings(place, limit=1))
    by_path = hg.evaluate(agent=Path("program.py"), **settings(place, limit=1, seed=1))
    for run in (by_words, by_path):
        assert (run.status, run.isolated) == ("complete", False)
        assert [step.action for step in run.episodes[0]] == ["left"]


def test_a_models_server_plays_within_a_budget_and_continues_with_a_larger_one(
    place: Path,
) -> None:
    with ModelServer() as server:
        given = settings(place, suite=LAB, tasks=[], limit=3, agent_options={"model": MODEL})
        with pytest.warns(UserWarning, match="300 tokens"):
            run = hg.evaluate(agent=server.url, max_tokens=300, **given)
        assert run.status == "incomplete"
        before = {episode.id for episode in run.episodes.filter(scored=True)}
        run = hg.evaluate(agent=server.url, max_tokens=1_000_000, **given)
    assert (run.status, run.model, len(run)) == ("complete", MODEL, 3)
    assert before <= {episode.id for episode in run}
    assert run.summary.usage.input_tokens > 300


def test_a_bundled_agent_plays_while_an_event_loop_runs(place: Path) -> None:
    async def notebook() -> tuple[hg.Run, hg.Run]:
        given = settings(place, limit=1)
        waited = await hg.evaluate_async(agent="random", **given)
        # In Jupyter, the call happens in the loop's own thread.
        return waited, hg.evaluate(agent="random", **given)

    first, second = asyncio.run(notebook())
    assert first == second
    assert first.status == "complete"


def test_a_cancelled_evaluation_keeps_its_episodes(place: Path) -> None:
    def slow(episode: Episode) -> None:
        while episode.running:
            time.sleep(0.05)
            episode.act("left")

    async def cancel() -> None:
        one_more = asyncio.Event()
        loop = asyncio.get_running_loop()
        given = settings(place, on_event=lambda _: loop.call_soon_threadsafe(one_more.set))
        task = asyncio.create_task(hg.evaluate_async(agent=slow, **given))
        await one_more.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    (run,) = hg.load(place / "runs")
    assert run.status == "incomplete"


INTERRUPTED = """
import time
import houseguest as hg

def slow(episode):
    while episode.running:
        time.sleep(0.02)
        episode.act("left")

def seen(event):
    print(event.kind, flush=True)

try:
    hg.evaluate("babyai", slow, tasks=["GoToLocal"], signing_key="key.pem", on_event=seen)
except KeyboardInterrupt:
    run = hg.load("runs")[0]
    print(run.status, len(run), bool(hg.verify(run, replay=False)))
"""


def test_ctrl_c_stops_the_run_and_keeps_what_was_played(place: Path) -> None:
    (place / "program.py").write_text(INTERRUPTED, encoding="utf-8")
    pipe = subprocess.PIPE
    command = (sys.executable, "program.py")
    with subprocess.Popen(command, cwd=place, stdout=pipe, text=True) as program:
        assert program.stdout is not None
        for line in program.stdout:
            if line == "closed\n":
                program.send_signal(signal.SIGINT)
                break
        *_, last = program.stdout.read().splitlines()
    status, episodes, good = last.split()
    assert (status, good) == ("incomplete", "True")
    assert int(episodes) >= 1
    assert program.returncode == 0


def test_wrong_arguments_are_refused_before_anything_starts(place: Path) -> None:
    for changes, words in (
        ({"suite": "babyay"}, "babyai"),
        ({"agent": "randm"}, "random"),
        ({"agent": 7}, "cannot be 7"),
        ({"agent": "external"}, "Python function"),
        ({"tasks": "GoToLocal"}, "list of texts"),
        ({"agent": "vlm", "agent_options": {"modle": "x"}}, "--model"),
        ({"agent_args": "-x"}, "not for an agent that is Python code"),
        ({"limt": 3}, "'limt'"),
        ({"settings": {"viev": "full"}}, "viev"),
        ({"repeats": 0}, "repeats"),
        ({"track": "mlfow"}, "Did you mean 'mlflow'"),
    ):
        with pytest.raises(hg.HouseguestError, match=words):
            hg.evaluate(**{"agent": turning, **settings(place), **changes})
    assert not list(place.glob("runs/*"))


def test_an_environment_brings_its_service_and_ends_it(place: Path) -> None:
    env = hg.make("babyai", "GoToLocal/2")
    first, _ = env.reset(seed=1)
    env.step(env.action_space.sample())
    again, _ = env.reset(seed=1)
    assert str(first) == str(again)
    env.close()
    env.close()
    with pytest.raises(hg.UsageError, match="babyai"):
        hg.make("babyay")
    with pytest.raises(SetupError, match="pictures"):
        hg.make("babyai", "GoToLocal/2", settings={"observation": "text"}, render_mode="rgb_array")
    forgotten = hg.make("babyai", reward="goal_conditions_gained")
    forgotten.reset()
    del forgotten
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hg.make("babyai", "GoToObj*").close() is None


PLAN = f"""
baseline = "quitter"
[[agents]]
name = "quitter"
agent = "cmd:python quitter.py"
[[agents]]
name = "slow"
agent = "cmd:python slow.py"
[[suites]]
name = "lab"
suite = "{LAB}"
limit = 4
"""
AGENT = """
import time
from houseguest_agent import Client

with Client("{name}") as client:
    for episode in client.episodes():
        time.sleep({pause})
        episode.act("{action}")
"""


@pytest.fixture
def plan(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two agents in the laboratory; the second takes a while."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    for name, pause, action in (("quitter", 0, "lose"), ("slow", 0.3, "win")):
        text = AGENT.format(name=name, pause=pause, action=action)
        (place / f"{name}.py").write_text(text, encoding="utf-8")
    (place / "plan.toml").write_text(PLAN, encoding="utf-8")
    return place / "plan.toml"


def playing(place: Path) -> bool:
    """Whether the slow agent has begun an episode."""
    return any(place.glob("runs/*slow*/transcripts/*"))


def test_a_sweep_is_stopped_resumed_and_ends_with_its_tables(place: Path, plan: Path) -> None:
    given: dict[str, Any] = {"signing_key": place / "key.pem", "progress": False}

    async def cancel() -> None:
        task = asyncio.create_task(hg.sweep_async(plan, **given))
        await asyncio.to_thread(until, lambda: playing(place))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    kept = {episode.id for episode in hg.load("runs").episodes}
    assert {run.name for run in hg.load("runs") if run.status == "incomplete"}
    sweep = hg.sweep(plan, **given)
    assert sweep.complete
    assert kept <= {episode.id for episode in sweep.runs.episodes}
    assert [len(run) for run in sweep.runs] == [4, 4]
    rates = sweep.tables["success"].to_pandas().set_index("agent")["lab"]
    assert dict(rates) == {"quitter": 0.0, "slow": 1.0}
    written = hg.tables("runs/plan-leaderboard")["differences"].to_pandas()
    assert written.equals(sweep.tables["differences"].to_pandas())
    assert list(sweep.to_pandas()["status"]) == ["complete", "complete"]
    # Complete already, also for the command: nothing is played again.
    (only,) = asyncio.run(hg.sweep_async("plan.toml", only=["slow"], **given)).runs
    assert {episode.id for episode in only} == {episode.id for episode in sweep.runs[1]}


def test_a_sweep_that_cannot_be_finished_warns(place: Path, plan: Path) -> None:
    (place / "quitter.py").write_text("raise SystemExit(3)", encoding="utf-8")
    plan.write_text(f"{PLAN}[limits]\nretries = 0\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="1 of 2 runs are not complete: quitter/lab: "):
        sweep = hg.sweep(plan, signing_key=place / "key.pem", progress=False)
    assert (sweep.complete, list(sweep.to_pandas()["done"])) == (False, [0, 4])
    assert "quitter/lab" in sweep._repr_html_()


def test_problems_of_a_plan_are_named_at_once(place: Path, plan: Path) -> None:
    text = PLAN.replace("baseline", "basline").replace("limit = 4", "limit = -1")
    plan.write_text(text, encoding="utf-8")
    with pytest.raises(hg.UsageError, match=r"(?s)^2 problems .*line 2: .*line 12: limit"):
        hg.sweep(plan)
    mistakes: list[tuple[dict[str, Any], str]] = [
        ({"plan": "plam.toml"}, "houseguest init"),
        ({"only": "slow"}, "list of names"),
        ({"shard": (3, 2)}, "shard"),
        ({"track": "mlfow"}, "Did you mean 'mlflow'"),
        ({"outt": "x"}, "'outt'"),
    ]
    plan.write_text(PLAN, encoding="utf-8")
    for wrong, words in mistakes:
        with pytest.raises(hg.UsageError, match=words):
            hg.sweep(**{"plan": plan, **wrong})
    assert not list(place.glob("runs/*"))


SWEEPING = """
import houseguest as hg

try:
    hg.sweep("plan.toml", signing_key="key.pem")
except KeyboardInterrupt:
    print(all(hg.verify(run, replay=False) for run in hg.load("runs")))
"""


def test_ctrl_c_stops_a_sweep_and_keeps_what_was_played(
    place: Path, plan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(plan.parent.parent)
    (place / "program.py").write_text(SWEEPING, encoding="utf-8")
    command, pipe = (sys.executable, "program.py"), subprocess.PIPE
    with subprocess.Popen(command, cwd=place, stdout=pipe, stderr=pipe, text=True) as program:
        assert program.stdout is not None
        until(lambda: playing(place))
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=60)
    assert (out, program.returncode) == ("True\n", 0)
    assert "press Ctrl-C again to kill" in err
    assert orphans(place) == []
