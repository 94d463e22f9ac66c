"""Checks an agent: plays every scene with it and judges the result by every rule of the kit."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from env_service.conformance.agent import episode_rules, picture_rules, session_rules
from env_service.conformance.agent.episode_rules import PLAIN
from env_service.conformance.agent.options import AgentOptions, external_lease
from env_service.conformance.agent.player import ScenePlayer
from env_service.conformance.agent.scene import AgentRule, ConformanceScene, PlayedScene
from env_service.conformance.report import (
    ConformanceReport,
    NotApplicable,
    RuleBreach,
    RuleResult,
    RuleVerdict,
    merged,
)
from env_service.conformance.rules import Severity, pick_rules
from env_service.sandbox.agents import AgentCommand, AgentImage
from env_service.sandbox.factory import open_sandbox
from env_service.sandbox.interface import Sandbox

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
    *picture_rules.RULES,
    *session_rules.LINK_RULES,
    *session_rules.LEAVING_RULES,
)
