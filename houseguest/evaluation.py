"""Evaluations of agents: the same as ``houseguest run``, from Python."""

from __future__ import annotations

import asyncio
import shlex
import sys
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
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
    ``signing_key`` (a PEM file; your own key).

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
    playing = _Playing(_read(suite, agent, settings), _Watcher.of(settings))
    playing.start()
    try:
        run, problem = playing.result.result()
    except KeyboardInterrupt:
        playing.stop()
        playing.result.exception()
        raise
    if problem:
        warnings.warn(problem, stacklevel=2)
    return run


async def evaluate_async(suite: str, agent: Agent, **settings: Unpack[Settings]) -> Run:
    """As ``evaluate``, for a program with an event loop. Cancelling it stops the run in order."""
    asked = await asyncio.to_thread(_read, suite, agent, settings)
    playing = _Playing(asked, _Watcher.of(settings))
    playing.start()
    ended = asyncio.wrap_future(playing.result)
    try:
        run, problem = await asyncio.shield(ended)
    except asyncio.CancelledError:
        playing.stop()
        await asyncio.wait([ended])
        raise
    if problem:
        warnings.warn(problem, stacklevel=2)
    return run


# --- Reads the arguments


def _read(suite: str, agent: Agent, settings: Settings) -> RunOptions:
    if unknown := sorted(set(settings) - set(Settings.__annotations__)):
        known = ", ".join(Settings.__annotations__)
        raise UsageError(f"evaluate has no argument {unknown[0]!r}. Arguments: {known}.")
    with translated():
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
        self._on_event, self._shown = on_event, shown
        self.run: PlayedRun | None = None
        self.error: Exception | None = None
        self.stop: Callable[[], object] = lambda: None

    @staticmethod
    def of(settings: Settings) -> _Watcher:
        return _Watcher(settings.get("on_event"), shown=settings.get("progress", True))

    def opened(self, run: PlayedRun, isolation: str) -> None:
        del isolation
        self.run = run

    def issued(self, run: PlayedRun, address: str, tokens: Mapping[int, str]) -> None:
        del run, address, tokens

    def reporter(self, counts: Counts) -> Reporter:
        shown = self._own_reporter(counts)
        return shown if self._on_event is None else _Calling(shown, self)

    def _own_reporter(self, counts: Counts) -> Reporter:
        if not self._shown:
            return Silent()
        if in_notebook():
            return NotebookBar(counts)
        return reporter(Console(stderr=True), counts, quiet=False)

    def say(self, text: str) -> None:
        if self._shown:
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


class _Playing:
    """A run that is played on a thread. ``result`` has it with a problem in words, or what it
    raised."""

    def __init__(self, options: RunOptions, watcher: _Watcher) -> None:
        self.result: Future[tuple[Run, str]] = Future()
        self._options, self._watcher = options, watcher
        self._loop = uvloop.new_event_loop()
        self._stop = asyncio.Event()
        watcher.stop = self._stop.set

    def start(self) -> None:
        """Starts the thread."""
        threading.Thread(target=self._run, name="houseguest-run").start()

    def stop(self) -> None:
        """Asks the run to stop, so that it can be resumed. Any thread may call it."""
        if not self.result.done():
            self._loop.call_soon_threadsafe(self._stop.set)

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner, translated():
                played, interrupted = runner.run(play_run(self._options, self._watcher, self._stop))
            if self._watcher.error is not None:
                raise self._watcher.error
            run = _concluded(played, interrupted=interrupted)
        except BaseException as error:  # noqa: BLE001 - raised again where the user waits
            self.result.set_exception(error)
        else:
            self.result.set_result(run)


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
