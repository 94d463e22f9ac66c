"""The agent kit: guests that keep to the protocol pass, and each other one fails its rule."""

from __future__ import annotations

import importlib.util
import json
import random
import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import pytest
from houseguest_agent import (
    Channel,
    Client,
    HouseguestError,
    ImageEncoding,
    ImageRequest,
    ObservationRequest,
    Options,
)
from houseguest_agent.options import Transport

from env_service.conformance.agent import AgentOptions, check_agent, check_sandbox, episode_rules
from env_service.conformance.agent.check import AGENT_RULES, parse_target
from env_service.conformance.report import ConformanceReport, RuleVerdict
from env_service.sandbox.agents import AgentCommand
from env_service.sandbox.errors import AgentSpecError
from env_service.sandbox.interface import AgentStart
from tests.support.broken_guests import BROKEN
from tests.support.guest_threads import Make, ThreadSandbox
from tests.support.plain_guest import PlainGuest

AGENTS = Path(__file__).resolve().parents[2] / "agents"
ORDINARY = (
    *("finishes", "hello-first", "token", "session", "episode-order", "step-order"),
    *("after-the-end", "same-action", "repeats", "resumes", "resume-token", "voided", "truncated"),
)
"""Rules of six scenes that every guest meets."""
ALONE = ("revoked", "token-refused", "draining", "keeps-attached")
"""Who breaks these goes on for as long as one lets it, or can do nothing else."""
PASSES_OVER = ("png-pictures", "webp-pictures")
"""Rules about what a guest may ask for, and the guests here do not."""


def check(make: Make, only: tuple[str, ...] = (), seconds: float = 60.0) -> ConformanceReport:
    """Checks a guest that runs in threads."""
    return check_sandbox(ThreadSandbox(make), AgentOptions(only=only, jobs=8, scene_limit=seconds))


def failures(report: ConformanceReport) -> list[str]:
    """The rules that failed, each with what came."""
    return [f"{each.rule.id}: {each.findings} {each.log}" for each in report.failed]


def broken_rules(report: ConformanceReport) -> list[str]:
    return [each.rule.id for each in report.failed]


def not_applicable(report: ConformanceReport) -> list[str]:
    return [each.rule.id for each in report.results if each.verdict is RuleVerdict.NOT_APPLICABLE]


def test_a_guest_of_plain_stubs_passes() -> None:
    report = check(PlainGuest)
    assert failures(report) == []
    assert not_applicable(report) == [*PASSES_OVER, "unchanged-pictures"]
    assert report.conforms


@pytest.mark.parametrize("guest", BROKEN, ids=lambda guest: guest.__name__)
def test_a_broken_guest_fails_the_rule_that_it_breaks(guest: type[PlainGuest]) -> None:
    breaks = str(guest.breaks)  # type: ignore[attr-defined]
    alone = breaks in ALONE
    report = check(guest, (breaks,) if alone else (*ORDINARY, breaks), 6.0 if alone else 60.0)
    if alone and broken_rules(report) != [breaks]:
        # On a busy machine six seconds may end before the guest has come to what it breaks.
        report = check(guest, (breaks,), 60.0)
    assert broken_rules(report) == [breaks]
    assert not report.passed


def test_what_is_reported_says_what_was_sent_expected_and_came() -> None:
    guest = next(each for each in BROKEN if each.__name__ == "CountsFromOne")
    finding = check(guest, ("step-order",)).result("step-order").findings[0]
    assert finding.sent == "the answers to 0 steps of episode 0"
    assert finding.expected == "a Step with step_index 0"
    assert finding.came == "a Step with step_index 1"


def agent_module(name: str) -> ModuleType:
    """A bundled agent's module."""
    spec = importlib.util.spec_from_file_location(f"agent_{name}", AGENTS / name / "agent.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class SdkGuest:
    """The bundled random agent, on a transport of the SDK's."""

    transport: Transport = "play"

    def __init__(self, agent_start: AgentStart, stop: threading.Event) -> None:
        self._options = Options(
            address=agent_start.address, token=agent_start.tokens[0], transport=self.transport
        )

    def run(self) -> int:
        play = agent_module("random").play
        try:
            with Client("random", options=self._options) as client:
                for episode in client.episodes():
                    play(episode, random.Random(1))
        except HouseguestError:
            return 1
        return 0


class UnarySdkGuest(SdkGuest):
    transport: Transport = "unary"


def test_the_sdk_passes_with_play() -> None:
    # A thread gets no signals: processes show that, below.
    only = tuple(each.rule.id for each in AGENT_RULES if each.rule.id != "ends-when-asked")
    report = check(SdkGuest, only)
    assert failures(report) == []
    assert not_applicable(report) == list(PASSES_OVER)


def test_the_sdk_passes_without_play() -> None:
    # Scenes that go both ways were played so above.
    rules = [each for each in AGENT_RULES if not each.scene.both_ways]
    only = tuple(each.rule.id for each in rules if each.rule.id != "ends-when-asked")
    report = check(UnarySdkGuest, only)
    assert failures(report) == []
    assert set(not_applicable(report)) <= set(PASSES_OVER)


class LookingGuest:
    """Asks for every encoding, and for depth, and reads every picture."""

    def __init__(self, agent_start: AgentStart, stop: threading.Event) -> None:
        encodings = (ImageEncoding.RAW, ImageEncoding.PNG, ImageEncoding.WEBP_LOSSLESS)
        wanted = (ImageRequest(Channel.RGB, encodings, previous_frame=True), DEPTH)
        self._options = Options(
            address=agent_start.address,
            token=agent_start.tokens[0],
            observation=ObservationRequest(wanted, text=True),
        )

    def run(self) -> int:
        with Client("looking", options=self._options) as client:
            for episode in client.episodes():
                while episode.running:
                    for image in episode.observation.images:
                        known = image.channel in (Channel.RGB, Channel.DEPTH)
                        assert not known or image.pixels.shape[:2] == (image.height, image.width)
                    episode.act(episode.action_space.skills[0].name)
        return 0


DEPTH = ImageRequest(Channel.DEPTH)


def test_pictures_come_as_they_were_asked_for() -> None:
    only = tuple(each.rule.id for each in episode_rules.PICTURE_RULES)
    report = check(LookingGuest, (*only, "later-revision"))
    assert failures(report) == []
    assert not_applicable(report) == []


def test_bundled_guests_pass_as_processes(tmp_path: Path) -> None:
    actions = tmp_path / "actions.jsonl"
    opening = {
        "instruction": "Walk three steps ahead.",
        "text": "You stand in a kitchen. 0 steps are behind you.",
        "images": [],
    }
    steps = [{"skill": "forward", "arguments": {}}] * 2
    actions.write_text(json.dumps({"task": "t", "opening": opening, "actions": steps}))
    few = ("finishes", "action-fits", "ends-when-asked")
    for name, words, only in (
        # What it does beside, all three have from the SDK.
        ("random", ["--seed", "7"], (*few, "no-episodes", "token-refused")),
        ("scripted", ["--actions", str(actions)], few),
        ("translation", [], few),
    ):
        target = parse_target(name, words)
        report = check_agent(target.launch, AgentOptions(only=only, jobs=2))
        assert failures(report) == [], name
        assert report.conforms, name


def test_a_guest_that_never_calls_is_told_at_once() -> None:
    idle = AgentCommand((sys.executable, "-c", "print('no idea what to do')"))
    report = check_agent(idle, AgentOptions(only=("finishes", "voided"), start_limit=120.0))
    finishes, voided = report.results
    assert finishes.verdict is RuleVerdict.FAILED
    assert "exited with status 0; its last call: no call at all" in finishes.findings[0].came
    assert finishes.log == "no idea what to do"
    assert voided.verdict is RuleVerdict.BLOCKED


def test_an_external_agent_needs_an_address() -> None:
    with pytest.raises(AgentSpecError, match="needs an address"):
        check_agent(None)


def test_an_external_guest_is_checked_that_is_started_again_and_again(tmp_path: Path) -> None:
    seats, checked = tmp_path / "seats", threading.Event()
    # A Unix socket's path has to be short.
    with TemporaryDirectory(prefix="hg-") as folder:
        address = f"unix:{folder}/agent.sock"

        def keep_starting() -> None:
            while not checked.is_set():
                if (seats / "seat-0").exists():
                    token = (seats / "seat-0").read_text(encoding="utf-8").strip()
                    PlainGuest(AgentStart(address, (token,), seed=1), checked).run()

        keeper = threading.Thread(target=keep_starting)
        keeper.start()
        only = ("finishes", "voided", "revoked", "resume-token", "token-refused")
        try:
            report = check_agent(None, AgentOptions(only=only, listen=address, token_folder=seats))
        finally:
            checked.set()
            keeper.join()
    assert failures(report) == []
    assert not_applicable(report) == ["token-refused"]
    assert not (seats / "seat-0").exists()
