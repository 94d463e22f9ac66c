"""The kits as pytest tests, one per rule, and fixtures for your own tests.

``pytest --houseguest-agent 'cmd:"node dist/agent.js"'`` and ``pytest --houseguest-server ADDRESS
--houseguest-token TOKEN`` need no test files. The functions import the kits when they need them,
so that this module does not slow down other pytest sessions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from env_service.conformance.report import ConformanceReport, Rule, RuleResult

_AGENT, _SERVER = "agent", "server"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("houseguest", "conformance to Houseguest's protocol")
    group.addoption(
        "--houseguest-agent",
        metavar="TARGET",
        help='check this agent: a name, a folder, cmd:"…" or image:REF',
    )
    group.addoption(
        "--houseguest-agent-args",
        metavar="ARGS",
        default="",
        help="options of that agent, split as a shell would",
    )
    group.addoption(
        "--houseguest-server", metavar="ADDRESS", help="check this service: unix:/path or host:port"
    )
    group.addoption(
        "--houseguest-token",
        metavar="TOKEN",
        action="append",
        default=[],
        help="the lease token of a session of that service; may be repeated",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Raises pytest.UsageError under pytest-xdist: each of its processes would run the whole kit,
    and take the sessions of the others."""
    asked = [kit for kit in (_AGENT, _SERVER) if config.getoption(f"--houseguest-{kit}")]
    if asked and config.getoption("dist", "no") != "no":
        raise pytest.UsageError(f"--houseguest-{asked[0]} runs in one process: omit -n")


def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Adds one test per rule of each kit that the options ask for."""
    for kit in (_AGENT, _SERVER):
        if config.getoption(f"--houseguest-{kit}"):
            checks = KitRun(config, kit)
            from env_service.conformance.catalogue import rules_of  # noqa: PLC0415 - only then

            items.extend(
                RuleItem.from_parent(session, name=f"{kit}/{rule.id}", rule=rule, checks=checks)
                for rule in rules_of(kit)
            )


class KitRun:
    """One run of a kit, with the rules whose tests were not deselected."""

    def __init__(self, config: pytest.Config, kit: str) -> None:
        self.kit = kit
        self._config = config
        self._report: ConformanceReport | None = None

    def result(self, session: pytest.Session, rule: Rule) -> RuleResult:
        """The verdict on a rule; the first call runs the kit."""
        if self._report is None:
            chosen = (each for each in session.items if isinstance(each, RuleItem))
            only = tuple(each.rule.id for each in chosen if each.checks is self)
            option = self._config.getoption
            if self.kit == _AGENT:
                words = option("--houseguest-agent-args")
                self._report = _check_agent(option("--houseguest-agent"), words, only=only)
            else:
                tokens = option("--houseguest-token")
                self._report = _check_server(option("--houseguest-server"), tokens, only=only)
        return self._report.result(rule.id)


class RuleItem(pytest.Item):
    """The test of one rule."""

    def __init__(self, *, rule: Rule, checks: KitRun, **rest: Any) -> None:
        super().__init__(**rest)
        self.rule, self.checks = rule, checks

    def runtest(self) -> None:
        """Raises RuleBrokenError, or skips a rule that is not applicable."""
        from env_service.conformance.report import (  # noqa: PLC0415 - as the kits
            RuleVerdict,
            result_lines,
        )

        result = self.checks.result(self.session, self.rule)
        if result.verdict is RuleVerdict.FAILED:
            raise RuleBrokenError("\n".join(result_lines(result)))
        if result.verdict is not RuleVerdict.PASSED:
            pytest.skip(result.reason)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: Any) -> Any:
        """What was sent, expected and received, without a traceback."""
        if isinstance(excinfo.value, RuleBrokenError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[str, None, str]:
        """The test's location in pytest's listings."""
        return "houseguest conformance", None, f"{self.name}: {self.rule.requirement}"


class RuleBrokenError(Exception):
    """An agent or a service breaks a rule; the message says how."""


@pytest.fixture(scope="session")
def houseguest_check_agent() -> Callable[..., ConformanceReport]:
    """A function that checks an agent.

    ``houseguest_check_agent('cmd:"python a.py"', only=("finishes",))`` takes the target, its
    options as one string, and the fields of AgentOptions by name.
    """
    return _check_agent


@pytest.fixture(scope="session")
def houseguest_check_server() -> Callable[..., ConformanceReport]:
    """A function that checks a service.

    ``houseguest_check_server(address, tokens, only=("hello",))`` takes the address, lease tokens,
    and the fields of ServerOptions by name.
    """
    return _check_server


def _check_agent(target: str, arguments: str = "", **options: Any) -> ConformanceReport:
    import shlex  # noqa: PLC0415 - as the kits

    from env_service.conformance.agent.check import (  # noqa: PLC0415 - as the kits
        AgentOptions,
        check_agent,
        parse_target,
    )

    spec = parse_target(target, shlex.split(arguments))
    return check_agent(spec.launch, AgentOptions(**{"subject": spec.label, **options}))


def _check_server(address: str, tokens: list[str], **options: Any) -> ConformanceReport:
    from env_service.conformance.server.check import (  # noqa: PLC0415 - as the kits
        ServerOptions,
        check_server,
    )

    return check_server(address, tokens, ServerOptions(**options))
