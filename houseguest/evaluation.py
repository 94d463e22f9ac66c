"""Evaluations of agents: the same as ``houseguest run``, from Python."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import TypedDict, Unpack

import uvloop
from rich.console import Console

from env_service.evaluation.agent_options import read_agent_options
from env_service.evaluation.run_evaluation import Reporter, RunOptions
from env_service.evaluation.run_evaluation import evaluate as play_run
from env_service.evaluation.run_problems import RunProblems
from env_service.evaluation.run_progress import Silent, reporter
from env_service.exports.formats import check_tracker
from env_service.exports.tracking_process import Tracking
from env_service.gateway.environment_service import RunRequest
from env_service.gateway.run import Run as PlayedRun
from env_service.gateway.run_state import Counts, RunEvent
from env_service.results.frame_packer import pack_all
from env_service.sandbox.agent_files import files_of
from env_service.sandbox.agents import (
    COMMAND_PREFIX,
    EXTERNAL,
    PATH_PREFIX,
    AgentImage,
    AgentSpec,
    find_agent,
    parse_agent,
)
from env_service.sandbox.docker.engine import settle_image
from env_service.sandbox.factory import OpenedSandbox, settle_kind
from env_service.sandbox.options import IN_PROCESS, SandboxOptions
from houseguest.background import Background
from houseguest.errors import HouseguestError, UsageError, translated
from houseguest.function_agents import FunctionAgent, InProcessSandbox, Play
from houseguest.notebook_progress import NotebookBar, in_notebook
from houseguest.runs import Run

Agent = str | PathLike[str] | Sequence[str] | Play | type
"""A name, a path, a command in words, ``image:NAME``, the URL of a model's server, or Python code
that plays an episode."""

OnEvent = Callable[[RunEvent], object]
_MODEL_AGENT = "vlm"


class Settings(TypedDict, total=False):
    """The optional arguments of ``evaluate``, with their defaults.

    Tasks: ``task_set`` (the suite's first), ``tasks`` (ids, groups or shell patterns; all),
    ``limit`` (only the first N tasks; 0 for all), ``world`` (the task set's first), ``condition``
    (a named condition), ``settings`` (values of single settings).

    Agent: ``agent_options`` (options of a bundled agent by name, such as ``{"model": "NAME"}``; a
    list repeats an option, True sets a flag), ``agent_args`` (arguments for a command or an image,
    as a shell would split them), ``sandbox`` (docker, bwrap or process; by kind of agent),
    ``model_server`` (URL that a sandboxed agent may reach).

    Run: ``parallel`` (concurrent sessions; 1), ``repeats`` (1), ``seed`` (0), ``out``
    (parent folder of the run's folder; "runs"), ``fresh`` (start a new run; False),
    ``resume_anyway`` (resume although the agent changed; False), ``workers`` (processes; 0 lets the
    service choose), ``step_budget`` and ``episode_budget`` (the agent's seconds for a decision and
    an episode; 600 and 3600), ``max_cost`` (dollars; unbounded), ``max_tokens`` (unbounded),
    ``signing_key`` (a PEM file; your own key), ``track`` ("wandb" or "mlflow" gets the run while it
    plays; none).

    Display: ``on_event`` (called with each RunEvent, on another thread), ``progress`` (False shows
    only what the agent reports).
    """

    task_set: str
    tasks: Sequence[str]
    limit: int
    world: str
    condition: str
    settings: Mapping[str, str]
    agent_options: Mapping[str, object]
    agent_args: str
    sandbox: str
    model_server: str
    parallel: int
    repeats: int
    seed: int
    out: str | PathLike[str]
    fresh: bool
    resume_anyway: bool
    workers: int
    step_budget: float
    episode_budget: float
    max_cost: float | None
    max_tokens: int | None
    signing_key: str | PathLike[str] | None
    track: str | None
    on_event: OnEvent | None
    progress: bool


def evaluate(suite: str, agent: Agent, **settings: Unpack[Settings]) -> Run:
    """Plays a suite's tasks with an agent, and returns the signed run.

        def agent(episode):
            while episode.running:
                episode.act(episode.random.choice(["left", "right", "forward"]))

        run = hg.evaluate("babyai", agent, tasks=["GoToLocal"], limit=12, parallel=2)

    ``agent`` is what ``houseguest run --agent`` takes: a bundled agent's name, a path, ``cmd:…``,
    ``image:NAME``; or a command as a list of words, the URL of a model's server (with
    ``agent_options={"model": NAME}``), or a Python function. A function gets a
    ``houseguest_agent.Episode`` and plays it; a class is called once for each session, and its
    object for each episode. Python code plays on threads of this process: its run is marked as not
    isolated (``Run.isolated``).

    ``Settings`` lists the other arguments. The same call resumes a stopped run and never plays a
    finished episode again; an edited agent is another agent. Ctrl-C stops the run, keeps every
    finished episode, and raises KeyboardInterrupt; press it again to stop while the tasks load.

    Works in notebooks too. Warns if the run stopped early or the agent failed. Raises UsageError
    for arguments that cannot be used, and HouseguestError if the run cannot be played.
    """
    options = _read(suite, agent, settings)
    return _start(options, _Watcher.of(settings), settings.get("track")).wait()


async def evaluate_async(suite: str, agent: Agent, **settings: Unpack[Settings]) -> Run:
    """As ``evaluate``, for a program with an event loop. Cancelling it stops the run in order."""
    options = await asyncio.to_thread(_read, suite, agent, settings)
    return await _start(options, _Watcher.of(settings), settings.get("track")).wait_async()


# --- Reads the arguments


def _read(suite: str, agent: Agent, settings: Settings) -> RunOptions:
    if unknown := sorted(set(settings) - set(Settings.__annotations__)):
        known = ", ".join(Settings.__annotations__)
        raise UsageError(f"evaluate has no argument {unknown[0]!r}. Arguments: {known}.")
    with translated():
        if (tracker := settings.get("track")) is not None:
            check_tracker(tracker)
        return _options(suite, agent, settings)


def _options(suite: str, agent: Agent, settings: Settings) -> RunOptions:
    sandbox = SandboxOptions(
        kind=settings.get("sandbox", ""),
        model_server=settings.get("model_server", ""),
        asked=frozenset({"--model-server"} if settings.get("model_server") else ()),
    )
    function = FunctionAgent(agent) if callable(agent) else None
    spec = AgentSpec(function.label, None) if function else _spec(agent, settings, sandbox)
    made_of = function.files() if function else files_of(spec)
    named = {"condition": settings["condition"]} if settings.get("condition") else {}
    request = RunRequest(
        suite=suite,
        task_set=settings.get("task_set", ""),
        tasks=_words("tasks", settings.get("tasks", ())),
        limit=settings.get("limit", 0),
        world=settings.get("world", ""),
        condition={**named, **{k: str(v) for k, v in settings.get("settings", {}).items()}},
        seed=settings.get("seed", 0),
        repeats=settings.get("repeats", 1),
        sessions=settings.get("parallel", 1),
        workers=settings.get("workers", 0),
        fresh=settings.get("fresh", False),
        resume_anyway=settings.get("resume_anyway", False),
        agent=spec.label,
        agent_files={} if made_of is None else made_of.to_json(),
        episode_budget=settings.get("episode_budget", 3600.0),
        max_cost_usd=settings.get("max_cost"),
        max_tokens=settings.get("max_tokens"),
    )
    key = settings.get("signing_key")
    return RunOptions(
        request=request,
        agent=spec,
        out=Path(settings.get("out", "runs")),
        key_file=None if key is None else Path(key),
        step_budget=settings.get("step_budget", 600.0),
        sandbox=sandbox,
        opened=None if function is None else _in_process(function, settings),
        # The program's own log stays its own.
        log_of="env_service",
    )


def _in_process(agent: FunctionAgent, settings: Settings) -> OpenedSandbox:
    for name in ("agent_options", "agent_args", "sandbox", "model_server"):
        if settings.get(name):
            raise UsageError(f"{name} is not for an agent that is Python code.")
    return OpenedSandbox(InProcessSandbox(agent), {"sandbox": IN_PROCESS, "limits": {}})


def _spec(agent: Agent, settings: Settings, sandbox: SandboxOptions) -> AgentSpec:
    text, options = _agent_text(agent), dict(settings.get("agent_options", {}))
    if text.startswith(("http://", "https://")):
        text, options = _MODEL_AGENT, {"base_url": text, **options}
    if text == EXTERNAL:
        raise UsageError(
            "An external agent needs a service that waits for it: use `houseguest run --agent"
            " external`, or pass a Python function."
        )
    manifest = find_agent(text)
    if options and manifest is None:
        raise UsageError(
            "agent_options is for bundled agents and folders with an agent.toml; pass the"
            " arguments of your own program in agent_args."
        )
    given = None if manifest is None else read_agent_options(manifest, _typed(options))
    spec = parse_agent(text, settings.get("agent_args", ""), given)
    if isinstance(spec.launch, AgentImage):
        settle_kind(spec.launch, sandbox)
        return settle_image(spec)
    return spec


def _agent_text(agent: object) -> str:
    if isinstance(agent, str):
        return agent
    if isinstance(agent, PathLike):
        return f"{PATH_PREFIX}{Path(agent)}"
    if isinstance(agent, Sequence) and agent and all(isinstance(word, str) for word in agent):
        return f"{COMMAND_PREFIX}{shlex.join(agent)}"
    raise UsageError(
        f"agent cannot be {agent!r:.80}: pass a name, a path, a list of words, or a function."
    )


def _typed(options: Mapping[str, object]) -> list[str]:
    """The options as a user would type them."""
    words = []
    for name, value in options.items():
        option = f"--{name.lstrip('-').replace('_', '-')}"
        if isinstance(value, bool):
            words += [option] if value else []
        else:
            values = value if isinstance(value, list | tuple) else [value]
            words += [f"{option}={each}" for each in values]
    return words


def _words(name: str, given: object) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise UsageError(f'{name} must be a list of texts, such as ["GoToLocal"].')
    return tuple(map(str, given))


# --- Plays on a thread with an event loop, so that any program can wait for it


class _Watcher:
    """Shows the progress, and passes on events."""

    def __init__(self, on_event: OnEvent | None, *, shown: bool) -> None:
        self._on_event, self.shown = on_event, shown
        self.error: Exception | None = None
        self.stop: Callable[[], object] = lambda: None
        self.track: Callable[[Path], object] = lambda _: None

    @staticmethod
    def of(settings: Settings) -> _Watcher:
        return _Watcher(settings.get("on_event"), shown=settings.get("progress", True))

    def opened(self, run: PlayedRun, isolation: str) -> None:
        del isolation
        self.track(run.context.folder.path)

    def issued(self, run: PlayedRun, address: str, tokens: Mapping[int, str]) -> None:
        del run, address, tokens

    def reporter(self, counts: Counts) -> Reporter:
        shown = self._own_reporter(counts)
        return shown if self._on_event is None else _Calling(shown, self)

    def _own_reporter(self, counts: Counts) -> Reporter:
        if not self.shown:
            return Silent()
        if in_notebook():
            return NotebookBar(counts)
        return reporter(Console(stderr=True), counts, quiet=False)

    def say(self, text: str) -> None:
        if self.shown:
            sys.stderr.write(f"{text}\n")

    def call(self, event: RunEvent) -> None:
        """Calls the user's function; its first exception stops the run."""
        if self._on_event is None or self.error is not None:
            return
        try:
            self._on_event(event)
        except Exception as error:  # noqa: BLE001 - raised again where the user waits
            self.error = error
            self.stop()


class _Calling:
    """A reporter that also passes on events."""

    def __init__(self, shown: Reporter, watcher: _Watcher) -> None:
        self._shown, self._watcher = shown, watcher

    def __enter__(self) -> _Calling:
        self._shown.__enter__()
        return self

    def __exit__(self, *why: object) -> None:
        self._shown.__exit__(*why)

    def update(self, counts: Counts, events: list[RunEvent]) -> None:
        for event in events:
            self._watcher.call(event)
        self._shown.update(counts, events)

    def say(self, text: str) -> None:
        self._shown.say(text)


def _start(options: RunOptions, watcher: _Watcher, tracker: str | None) -> Background[Run]:
    loop, stop = uvloop.new_event_loop(), asyncio.Event()
    tracking = Tracking(tracker, watcher.say, brief=not watcher.shown)
    watcher.track = tracking.start

    def play() -> tuple[Run, str]:
        with tracking:
            run, problem = _play(options, watcher, stop, loop)
        return run, "\n".join(filter(None, (problem, tracking.unsent)))

    def end() -> None:
        if loop.is_closed():
            tracking.skip()
        with suppress(RuntimeError):
            # The loop may have been closed meanwhile.
            loop.call_soon_threadsafe(stop.set)

    watcher.stop = stop.set
    return Background(play, end, "houseguest-run")


def _play(
    options: RunOptions, watcher: _Watcher, stop: asyncio.Event, loop: asyncio.AbstractEventLoop
) -> tuple[Run, str]:
    """Plays the run on this thread; the run, with its problem in words."""
    with asyncio.Runner(loop_factory=lambda: loop) as runner, translated():
        played, interrupted = runner.run(play_run(options, watcher, stop))
    if watcher.error is not None:
        raise watcher.error
    return _concluded(played, interrupted=interrupted)


def _concluded(played: PlayedRun, *, interrupted: bool) -> tuple[Run, str]:
    """The run's folder, finished, and its problem in words."""
    folder, summary = played.context.folder, played.summary
    if summary is None:
        raise HouseguestError(
            f"The summary of {folder.path} could not be written; logs/service.log has the reason."
            " Finished episodes are kept. Fix the problem and call it again to continue."
        )
    problem = ""
    if not interrupted:
        pack_all(folder.frames, lambda _done, _total: None)
        problems = RunProblems.of(played, summary)
        if played.stopped:
            problem = f"The run stopped and can be resumed: {played.stopped}"
        elif problems:
            problem = f"{problems.words()}; the log is in {folder.logs}"
    return Run(folder.path), problem
