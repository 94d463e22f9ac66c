"""Checks an agent: plays every scene with it and judges the result by every rule of the kit."""

from __future__ import annotations

import asyncio
import secrets
import shlex
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from env_service.conformance.agent import episode_rules, session_rules
from env_service.conformance.agent.episode_rules import PLAIN
from env_service.conformance.agent.scene import (
    STOP_SECONDS,
    AgentRule,
    CallJournal,
    ConformanceScene,
    PlayedScene,
    SceneScript,
)
from env_service.conformance.agent.service import ScriptedService
from env_service.conformance.report import (
    ConformanceReport,
    NotApplicable,
    RuleBreach,
    RuleResult,
    RuleVerdict,
    Severity,
    merged,
    pick_rules,
)
from env_service.sandbox.agents import AgentCommand, AgentImage, AgentSpec, find_agent, parse_agent
from env_service.sandbox.errors import AgentSpecError
from env_service.sandbox.factory import open_sandbox
from env_service.sandbox.interface import AgentExit, AgentStart, RunningAgent, Sandbox
from env_service.sandbox.options import SandboxOptions
from env_service.storage.atomic_files import write_atomically


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """Options of `check_agent`.

    Attributes:
        only: Ids of the rules to check; all if empty.
        jobs: The number of scenes that run at the same time. An external agent plays one at a
            time.
        start_limit: Seconds within which an agent has to call Hello.
        scene_limit: Seconds for one scene after Hello, without the waits that the service causes.
        logs: The folder for the agent's output in each scene; None discards it.
        sandbox: The agent's isolation.
        subject: The agent's name in the report.
        listen: The address for an external agent, ``unix:/path`` or ``host:port``.
        token: The external agent's token; empty draws one.
        token_folder: The folder for the file with the external agent's token.
        progress: Called after each scene with the numbers of scenes played and planned.
    """

    only: tuple[str, ...] = ()
    jobs: int = 4
    start_limit: float = 60.0
    scene_limit: float = 30.0
    logs: Path | None = None
    sandbox: SandboxOptions = field(default_factory=SandboxOptions)
    subject: str = "agent"
    listen: str = ""
    token: str = ""
    token_folder: Path | None = None
    progress: Callable[[int, int], None] | None = None


# --- TARGET


def parse_target(text: str, words: Sequence[str] = ()) -> AgentSpec:
    """Reads a target as ``houseguest run`` reads ``--agent``; ``words`` are the agent's options.

    The command of a bundled agent, or of one in a folder, gets the words unchanged. Raises
    UnknownNameError and AgentSpecError.
    """
    manifest = find_agent(text)
    if manifest is None:
        return parse_agent(text, shlex.join(words))
    manifest.check_requirements()
    agent = AgentCommand((*manifest.command, *words), manifest.shared)
    return AgentSpec(f"{text} {shlex.join(words)}".rstrip(), agent)


# --- The session of an external agent

SESSION_FILE = "seat-0"


@contextmanager
def external_lease(options: AgentOptions) -> Iterator[AgentOptions]:
    """Yields the options with a token, whose file exists in ``token_folder`` meanwhile.

    Prints on standard error how to start the agent. Raises AgentSpecError if ``listen`` is empty,
    and OSError.
    """
    if not options.listen:
        raise AgentSpecError(
            "an external agent needs an address to call: set one to listen on, unix:/path or"
            " host:port"
        )
    token = options.token or secrets.token_urlsafe(16)
    shown = token
    written: Path | None = None
    if options.token_folder is not None:
        options.token_folder.mkdir(parents=True, exist_ok=True)
        written = options.token_folder / SESSION_FILE
        write_atomically(written, f"{token}\n".encode())
        shown = f"$(cat {written})"
    sys.stderr.write(
        "Start the agent with these variables, and start it again whenever it has exited:\n"
        f"  HOUSEGUEST_ADDRESS={options.listen}\n  HOUSEGUEST_TOKEN={shown}\n"
    )
    sys.stderr.flush()
    try:
        yield replace(options, token=token)
    finally:
        if written is not None:
            written.unlink(missing_ok=True)


# --- Playing one scene with one agent

GOODBYE_SECONDS = 10.0
"""Seconds that an agent has to exit after AllDone."""
_POLL = 0.05
_SETTLED = 1.0
"""An external agent has left after so many seconds without a stream and without a call."""
_LOG_LINES = 12


@dataclass(slots=True)
class _Clock:
    """The agent's remaining time; restarts with its first Hello."""

    journal: CallJournal
    options: AgentOptions
    waits: float
    started: float = field(default_factory=time.monotonic)

    def over(self) -> bool:
        """Whether the time is up."""
        now = time.monotonic()
        done = self.journal.marks.get("all done")
        if done is not None and now - done > GOODBYE_SECONDS:
            return True
        if not self.journal.calls:
            return now - self.started > self.options.start_limit
        begun = self.journal.calls[0].at
        return now - begun > self.options.scene_limit + self.waits


class ScenePlayer:
    """Plays scenes, with agents that a sandbox starts, or with external ones if it is None."""

    def __init__(self, sandbox: Sandbox | None, options: AgentOptions) -> None:
        self._sandbox, self._options = sandbox, options
        self._token = options.token or secrets.token_urlsafe(16)

    @property
    def token(self) -> str:
        """The token that every agent has to send."""
        return self._token

    @property
    def external(self) -> bool:
        """Whether the agents are started outside the kit."""
        return self._sandbox is None

    async def play(self, scene: ConformanceScene, script: SceneScript, name: str) -> PlayedScene:
        """Plays a scene's script to its end and logs the agent's output under ``name``.

        Raises AgentStartError if no agent can be started.
        """
        journal = CallJournal()
        async with self._service(script, journal) as service:
            clock = _Clock(journal, self._options, scene.waits)
            if self._sandbox is None:
                return await self._external(service, clock)
            return await self._managed(service, clock, self._sandbox, name)

    @asynccontextmanager
    async def _service(
        self, script: SceneScript, journal: CallJournal
    ) -> AsyncIterator[ScriptedService]:
        with _readable_folder() as folder:
            address = self._options.listen or f"unix:{folder}/agent.sock"
            service = ScriptedService(script, address, self._token, journal)
            await service.start()
            try:
                yield service
            finally:
                await service.stop()

    async def _managed(
        self, service: ScriptedService, clock: _Clock, sandbox: Sandbox, name: str
    ) -> PlayedScene:
        with tempfile.TemporaryDirectory(prefix="houseguest-logs-") as spare:
            log = (self._options.logs or Path(spare)) / f"{name}.log"
            start = AgentStart(service.address, (self._token,), seed=1)
            agent = await sandbox.start(start, log)
            try:
                ending, stopping = await _attend(agent, service, clock)
            finally:
                await agent.stop()
            return replace(
                _played(service, left=ending is not None),
                ending=ending,
                stopping=stopping,
                log=agent.log_tail(_LOG_LINES),
            )

    async def _external(self, service: ScriptedService, clock: _Clock) -> PlayedScene:
        while not clock.over() and not service.stop_agent.is_set():
            if _has_left(service):
                return replace(_played(service, left=True), external=True)
            await asyncio.sleep(_POLL)
        return replace(_played(service, left=False), external=True)


@contextmanager
def _readable_folder() -> Iterator[Path]:
    """A folder for a socket. All users can read it: an agent in a container may run as another."""
    with tempfile.TemporaryDirectory(prefix="houseguest-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


async def _attend(
    agent: RunningAgent, service: ScriptedService, clock: _Clock
) -> tuple[AgentExit | None, float | None]:
    """How the agent exited, and how many seconds it took after it was asked to.

    The exit is None if the agent had to be stopped, the seconds if it was not asked to exit.
    """
    gone = asyncio.ensure_future(agent.wait())
    try:
        while not clock.over():
            with suppress(TimeoutError):
                return await asyncio.wait_for(asyncio.shield(gone), _POLL), None
            if service.stop_agent.is_set():
                asked = time.monotonic()
                await agent.stop(STOP_SECONDS)
                return await gone, time.monotonic() - asked
        return None, None
    finally:
        gone.cancel()


def _has_left(service: ScriptedService) -> bool:
    """Whether an external agent has left: another one has called Hello, or it holds no stream and
    has made no call for a while."""
    if service.successor.is_set():
        return True
    calls, now = service.journal.calls, time.monotonic()
    if not calls or service.attachments.open:
        return False
    return now - max(calls[-1].at, service.attachments.closed_at or 0.0) > _SETTLED


def _played(service: ScriptedService, *, left: bool) -> PlayedScene:
    """The play as the service recorded it."""
    return PlayedScene(
        service.journal,
        ending=None,
        left=left,
        referred=service.session.referred,
        sent_large=service.session.sent_large,
        struck=all(fault in service.faults.struck for fault in service.script.faults),
    )


# --- Checking an agent: judging the scenes by the rules

Plays = Mapping[str, Sequence[PlayedScene]]
"""The plays of each scene, by its name: one, or two if the scene also runs without Play."""


def check_agent(
    agent: AgentCommand | AgentImage | None, options: AgentOptions | None = None
) -> ConformanceReport:
    """Plays the kit's scenes with the agent. Each scene gets a fresh agent process.

    ``agent`` None is an external agent, which you start again each time it exits.

    Raises:
        UnknownNameError: ``options.only`` names an unknown rule.
        AgentSpecError, AgentStartError: the agent cannot be started.
    """
    options = options or AgentOptions()
    wanted = pick_agent_rules(options.only)
    if agent is None:
        with external_lease(options) as leased:
            return asyncio.run(_check(wanted, ScenePlayer(None, leased), replace(leased, jobs=1)))
    return asyncio.run(_check_sandbox(wanted, open_sandbox(agent, options.sandbox), options))


def check_sandbox(sandbox: Sandbox, options: AgentOptions | None = None) -> ConformanceReport:
    """As `check_agent`, for the agents that this sandbox starts."""
    options = options or AgentOptions()
    return asyncio.run(_check_sandbox(pick_agent_rules(options.only), sandbox, options))


def pick_agent_rules(only: Iterable[str]) -> tuple[AgentRule, ...]:
    """The rules with these ids; all of them if there are none. Raises UnknownNameError."""
    picked = set(pick_rules([each.rule for each in AGENT_RULES], only))
    return tuple(each for each in AGENT_RULES if each.rule in picked)


async def _check_sandbox(
    wanted: Sequence[AgentRule], sandbox: Sandbox, options: AgentOptions
) -> ConformanceReport:
    try:
        return await _check(wanted, ScenePlayer(sandbox, options), options)
    finally:
        await sandbox.close()


async def _check(
    wanted: Sequence[AgentRule], stage: ScenePlayer, options: AgentOptions
) -> ConformanceReport:
    scenes = list(dict.fromkeys(each.scene for each in wanted))
    unseen = {scene for scene in scenes if scene.managed and stage.external}
    scenes = [scene for scene in scenes if scene not in unseen]
    plays: dict[str, list[PlayedScene]] = {}
    if PLAIN in scenes:
        # An agent that makes no call at all would let every scene time out.
        scenes.remove(PLAIN)
        plays[PLAIN.name] = await _play(stage, PLAIN)
        if not plays[PLAIN.name][0].journal.calls:
            scenes = []
    gate = asyncio.Semaphore(options.jobs)
    total = len(plays) + len(scenes)

    async def play(scene: ConformanceScene) -> None:
        async with gate:
            plays[scene.name] = await _play(stage, scene)
            if options.progress is not None:
                options.progress(len(plays), total)

    playing = [asyncio.ensure_future(play(scene)) for scene in scenes]
    try:
        await asyncio.gather(*playing)
    finally:
        # If one agent cannot be started, no other can.
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
    noted = _noted(plays)
    results = tuple(
        _unseen(each) if each.scene in unseen else _judge(each, plays, noted, wanted)
        for each in wanted
    )
    return ConformanceReport("agent", options.subject, results)


async def _play(stage: ScenePlayer, scene: ConformanceScene) -> list[PlayedScene]:
    """Plays a scene, and plays it again without Play if the agent used Play and it matters."""
    first = await stage.play(scene, scene.script, scene.name)
    if not scene.both_ways or not first.journal.streamed:
        return [first]
    unary = replace(scene.script, features=())
    return [first, await stage.play(scene, unary, f"{scene.name}-without-play")]


def _noted(plays: Plays) -> dict[str, tuple[list[RuleBreach], str]]:
    """For each rule: its violations in all scenes, and the log of the first such scene."""
    noted: dict[str, tuple[list[RuleBreach], str]] = {}
    for played in (played for scene in plays.values() for played in scene):
        for violation in played.journal.violations:
            findings, _ = noted.setdefault(violation.rule, ([], played.log))
            findings.append(violation.finding)
    return noted


def _unseen(each: AgentRule) -> RuleResult:
    reason = "The kit can check this only for an agent that it starts itself."
    return RuleResult(each.rule, RuleVerdict.NOT_APPLICABLE, reason=reason)


def _judge(
    each: AgentRule,
    plays: Plays,
    noted: Mapping[str, tuple[list[RuleBreach], str]],
    wanted: Sequence[AgentRule],
) -> RuleResult:
    rule = each.rule
    if rule.id in noted:
        findings, log = noted[rule.id]
        return RuleResult(rule, RuleVerdict.FAILED, merged(findings), log=log)
    if each.scene.name not in plays:
        return RuleResult(
            rule, RuleVerdict.BLOCKED, reason="The agent made no call in the first scene."
        )
    reasons = []
    for played in plays[each.scene.name]:
        judgement = each.judge(played)
        if isinstance(judgement, NotApplicable):
            reasons.append(str(judgement))
        elif judgement:
            return _failed(each, played, judgement, wanted)
    if len(reasons) == len(plays[each.scene.name]):
        return RuleResult(rule, RuleVerdict.NOT_APPLICABLE, reason=reasons[0])
    return RuleResult(rule, RuleVerdict.PASSED)


def _failed(
    each: AgentRule, played: PlayedScene, found: tuple[RuleBreach, ...], wanted: Sequence[AgentRule]
) -> RuleResult:
    """A rule's failure, or BLOCKED if another checked rule was broken first in its scene."""
    musts = {other.rule.id for other in wanted if other.rule.severity is Severity.MUST}
    for violation in played.journal.violations:
        if violation.rule in musts - {each.rule.id}:
            reason = f"The agent broke {violation.rule} first, in the same scene."
            return RuleResult(each.rule, RuleVerdict.BLOCKED, reason=reason)
    noted = tuple(violation.finding for violation in played.journal.violations)
    return RuleResult(each.rule, RuleVerdict.FAILED, merged((*found, *noted)), log=played.log)


# --- All rules of the agent kit, in the order of the report

AGENT_RULES: tuple[AgentRule, ...] = (
    *episode_rules.PLAYING_RULES,
    *session_rules.BEGINNING_RULES,
    *episode_rules.EPISODE_RULES,
    *episode_rules.PICTURE_RULES,
    *session_rules.LINK_RULES,
    *session_rules.LEAVING_RULES,
)
