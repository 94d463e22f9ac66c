"""A plan: the agents, suites, overrides and limits of a sweep, read with all problems at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from houseguest_model_client.config import EndpointConfig

from env_service.domain.names import nearest
from env_service.domain.run_bounds import COST_USD, TOKENS, Range
from env_service.gateway.environment_service import RunRequest
from env_service.sandbox.agents import AgentSpec
from env_service.sweep.plan_text import PlanText, Problem, read_plan_text

RUNS_AT_ONCE = Range(1, 1024)
RETRIES = Range(0, 100)
_MOST_ENTRIES = 1000
"""The largest number of agents, of suites and of overrides in a plan."""

Options = Mapping[str, Any]
"""Options of ``houseguest run``, by their names without ``--``: texts, numbers, booleans, lists."""


class OptionError(Exception):
    """Options that a run does not accept. ``key`` is the option in question, empty if unknown."""

    def __init__(self, text: str, key: str = "") -> None:
        super().__init__(text)
        self.key = key


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The model server that an agent calls: ``url`` is its address without secrets, ``model`` the
    name that the server has to list; empty where a list would say nothing."""

    url: str
    model: str
    config: EndpointConfig = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class AskedRun:
    """A run as its options describe it: the service's request, and who starts the agent.

    ``spends`` says whether the agent calls a model, None where that is unknown. ``prices`` is its
    file of prices.
    """

    request: RunRequest
    agent: AgentSpec
    step_budget: float
    endpoint: Endpoint | None
    spends: bool | None
    prices: Path | None


class RunOptionTable(Protocol):
    """The options of ``houseguest run``: the command line implements it, so that a plan has the
    same words and checks."""

    def check_agent(self, agent: str) -> None:
        """Raises OptionError if there is no such agent."""

    def keys(self, agent: str) -> Collection[str]:
        """The options that a run of this agent takes: for an empty name those of ``run`` alone, for
        an unknown one those of every installed agent too."""

    def takes_list(self, key: str, agent: str) -> bool:
        """Whether one run takes several values of this option."""

    def check(self, key: str, value: Any, agent: str) -> None:
        """Raises OptionError for a value that the option does not accept."""

    def words(self, options: Options) -> list[str]:
        """The options as words of a command line."""

    def selection(self, options: Options) -> RunRequest:
        """What a run plays, whoever its agent is. Raises OptionError."""

    def asked(self, options: Options) -> AskedRun:
        """The run. Raises OptionError."""


@dataclass(frozen=True, slots=True)
class PlanTable:
    """An agent, a suite, or the defaults: ``options`` with the line of each."""

    name: str
    line: int
    options: Mapping[str, Any]
    lines: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Override:
    """Options for some combinations. ``agents`` and ``suites`` are names or shell patterns; empty:
    all. ``skip``: these are not played."""

    agents: tuple[str, ...]
    suites: tuple[str, ...]
    skip: bool
    table: PlanTable


@dataclass(frozen=True, slots=True)
class Limits:
    """``runs`` at once on this machine (0: one a core), ``servers``: at once by model server.

    ``max_cost`` (US dollars) and ``max_tokens`` bound all runs together. ``retries`` is how often a
    run that stopped is started again without a new episode.
    """

    runs: int = 0
    servers: Mapping[str, int] = field(default_factory=dict)
    max_cost: float | None = None
    max_tokens: int | None = None
    retries: int = 5


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan as its file describes it. ``baseline`` is an agent's name, empty for none."""

    path: Path
    out: Path
    baseline: str
    baseline_line: int
    defaults: PlanTable
    agents: tuple[PlanTable, ...]
    suites: tuple[PlanTable, ...]
    overrides: tuple[Override, ...]
    limits: Limits


def read_plan(path: Path, table: RunOptionTable) -> tuple[Plan, list[Problem]]:
    """Reads a plan and lists every problem that it shows without looking at suites' tasks.

    Raises PlanError for a file that cannot be parsed, and OSError.
    """
    reader = _Reader(read_plan_text(path), table)
    plan = reader.read()
    return plan, reader.problems


TOP_KEYS = ("out", "baseline", "defaults", "limits", "agents", "suites", "overrides")
LIMIT_KEYS = ("runs", "servers", "max-cost", "max-tokens", "retries")


class _Reader:
    """Reads one document and collects its problems."""

    def __init__(self, text: PlanText, table: RunOptionTable) -> None:
        self.text, self.table = text, table
        self.problems: list[Problem] = []
        self._agents: tuple[str, ...] = ()
        self._unusable: set[str] = set()
        """Agents that do not exist."""

    def read(self) -> Plan:
        self._check_keys(self.text.value, TOP_KEYS, "a plan")
        listed = self._tables("agents")
        found = [str(each.get("agent", "")) for each in listed if isinstance(each, dict)]
        self._agents = tuple(dict.fromkeys(filter(None, found)))
        agents = self._named("agents", "agent")
        suites = self._named("suites", "suite")
        baseline = self.text.value.get("baseline", "")
        if not isinstance(baseline, str):
            self._problem(("baseline",), "baseline must be the name of an agent")
            baseline = ""
        return Plan(
            path=self.text.path,
            out=self._out(),
            baseline=baseline,
            baseline_line=self.text.line("baseline"),
            defaults=self._options(("defaults",), self._table("defaults"), "", ()),
            agents=agents,
            suites=suites,
            overrides=self._overrides(),
            limits=self._limits(),
        )

    def _problem(self, place: tuple[str | int, ...], text: str) -> None:
        self.problems.append(Problem(self.text.line(*place), text))

    def _check_keys(
        self, value: Mapping[str, Any], known: Collection[str], what: str, *place: str | int
    ) -> None:
        for key in value:
            if key not in known:
                self._problem((*place, key), _unknown(str(key), known, what))

    def _out(self) -> Path:
        out = self.text.value.get("out", "runs")
        if not isinstance(out, str) or not out or "\0" in out:
            self._problem(("out",), "out must be the path of a folder")
            return Path("runs")
        return Path(out)

    def _table(self, name: str) -> Mapping[str, Any]:
        value = self.text.value.get(name, {})
        if isinstance(value, dict):
            return value
        self._problem((name,), f"{name} must be a table, such as [{name}]")
        return {}

    def _tables(self, name: str) -> list[Any]:
        value = self.text.value.get(name, [])
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            self._problem((name,), f"{name} must be a list of tables, such as [[{name}]]")
            return []
        if len(value) > _MOST_ENTRIES:
            self._problem((name,), f"{len(value)} {name}; at most {_MOST_ENTRIES} are allowed")
        return value[:_MOST_ENTRIES]

    def _named(self, name: str, key: str) -> tuple[PlanTable, ...]:
        """The agents or the suites."""
        tables = self._tables(name)
        if not tables:
            self._problem((name,), f"no {name}: a plan needs at least one [[{name}]]")
        found = []
        for place, value in enumerate(tables):
            here = (name, place)
            what = value.get(key)
            if not isinstance(what, str) or not what:
                self._problem(here, f"{key} is missing: it names the {key} of this entry")
                for misspelt in (each for each in value if nearest(each, [key])):
                    self._problem((*here, misspelt), _unknown(misspelt, [key], f"[[{name}]]"))
                continue
            own = value.get("name", "")
            if not isinstance(own, str):
                self._problem((*here, "name"), "name must be a text")
                own = ""
            table = self._options(here, value, what if key == "agent" else "", ("name",))
            found.append(PlanTable(own or _usual_name(key, value), *_rest(table)))
        self._check_names(found, key)
        return tuple(found)

    def _check_names(self, found: list[PlanTable], key: str) -> None:
        first: dict[str, int] = {}
        for table in found:
            if table.name in first:
                other = f"the {key} in line {first[table.name]}"
                text = f"{other} is also called {table.name!r}: give one of them another name"
                self.problems.append(Problem(table.line, text))
            first.setdefault(table.name, table.line)

    def _options(
        self,
        place: tuple[str | int, ...],
        value: Mapping[str, Any],
        agent: str,
        own: Collection[str],
    ) -> PlanTable:
        """The options of a table; ``own`` are its keys that are no options."""
        part = str(place[0])
        agents = (agent,) if part == "agents" else self._agents
        if part == "agents":
            self._check_agent(agent, (*place, "agent"))
        lines, options = {}, {}
        for key, given in value.items():
            if key in own:
                continue
            here = (*place, key)
            if problem := _misplaced(key, part) or self._option_problem(key, given, agents):
                self._problem(here, problem)
            else:
                options[key], lines[key] = given, self.text.line(*here)
        return PlanTable("", self.text.line(*place), options, lines)

    def _check_agent(self, agent: str, place: tuple[str | int, ...]) -> None:
        try:
            self.table.check_agent(agent)
        except OptionError as error:
            self._problem(place, str(error))
            self._unusable.add(agent)

    def _option_problem(self, key: str, value: Any, agents: Collection[str]) -> str:
        takers = [each for each in ("", *agents) if key in self.table.keys(each)]
        if not takers:
            names = {name for each in ("", *agents) for name in self.table.keys(each)}
            return _unknown(key, sorted(names), "a run")
        usable = [each for each in takers if each not in self._unusable]
        return self._value_problem(key, value, usable[0]) if usable else ""

    def _value_problem(self, key: str, value: Any, agent: str) -> str:
        several = isinstance(value, list) and not self.table.takes_list(key, agent)
        if several and not value:
            return f"{key} is an empty list"
        values = value if several else [value]
        if len({repr(each) for each in values}) < len(values):
            return f"{key} has a value twice"
        if len(values) > _MOST_ENTRIES:
            return f"{key} has {len(values)} values; at most {_MOST_ENTRIES} are allowed"
        for each in values:
            try:
                self.table.check(key, each, agent)
            except OptionError as error:
                return str(error)
        return ""

    def _overrides(self) -> tuple[Override, ...]:
        found = []
        for place, value in enumerate(self._tables("overrides")):
            here = ("overrides", place)
            skip = value.get("skip", False)
            if not isinstance(skip, bool):
                self._problem((*here, "skip"), "skip must be true or false")
                skip = False
            found.append(
                Override(
                    agents=self._names((*here, "agents"), value.get("agents", [])),
                    suites=self._names((*here, "suites"), value.get("suites", [])),
                    skip=skip,
                    table=self._options(here, value, "", ("agents", "suites", "skip")),
                )
            )
        return tuple(found)

    def _names(self, place: tuple[str | int, ...], value: Any) -> tuple[str, ...]:
        names = [value] if isinstance(value, str) else value
        if isinstance(names, list) and all(isinstance(each, str) for each in names):
            return tuple(names)
        self._problem(place, f"{place[-1]} must be a name or a list of names")
        return ()

    def _limits(self) -> Limits:
        given = self._table("limits")
        self._check_keys(given, LIMIT_KEYS, "the limits", "limits")
        servers = given.get("servers", {})
        if not isinstance(servers, dict):
            self._problem(("limits", "servers"), "servers must be a table of URLs and numbers")
            servers = {}
        usual = Limits()
        return Limits(
            runs=self._number(("limits", "runs"), given, RUNS_AT_ONCE, usual.runs),
            servers={
                str(url): self._number(("limits", "servers", url), servers, RUNS_AT_ONCE, 1)
                for url in servers
            },
            max_cost=self._number(("limits", "max-cost"), given, COST_USD, None, whole=False),
            max_tokens=self._number(("limits", "max-tokens"), given, TOKENS, None),
            retries=self._number(("limits", "retries"), given, RETRIES, usual.retries),
        )

    def _number(
        self,
        place: tuple[str, ...],
        given: Mapping[str, Any],
        within: Range,
        usual: Any,
        *,
        whole: bool = True,
    ) -> Any:
        if (key := place[-1]) not in given:
            return usual
        value = given[key]
        kinds = (int,) if whole else (int, float)
        if not isinstance(value, kinds) or isinstance(value, bool) or not within.holds(value):
            kind = "a whole number" if whole else "a number"
            self._problem(place, f"{key} is {value!r:.60}; it must be {kind} {within}")
            return usual
        return value


def _misplaced(key: str, part: str) -> str:
    """Why a key does not belong into this part of the plan; empty if it may."""
    if key in ("agent", "agent-args") and part != "agents":
        return f"{key} belongs into [[agents]]"
    if key == "suite" and part != "suites":
        return "suite belongs into [[suites]]"
    return ""


def _usual_name(key: str, value: Mapping[str, Any]) -> str:
    """The name of an entry that gives none."""
    parts = [value[key]]
    if key == "suite":
        more = (value.get(name) for name in ("task-set", "world", "condition"))
        parts += [each for each in more if isinstance(each, str) and each]
    return "/".join(parts)


def _rest(table: PlanTable) -> tuple[int, Mapping[str, Any], Mapping[str, int]]:
    return table.line, table.options, table.lines


def _unknown(key: str, known: Collection[str], what: str) -> str:
    near = nearest(key, known)
    if near:
        return f"{key!r} is not a key of {what}. Did you mean {near!r}?"
    listed = ", ".join(list(known)[:12]) + (", …" if len(known) > 12 else "")
    return f"{key!r} is not a key of {what}. Valid: {listed}."
