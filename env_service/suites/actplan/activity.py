"""What judges and planners may read of a task: never a gold plan, nor anything made from one."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from env_service.suites.actplan.task import ActPlanTask, Variant
from env_service.worlds.activity.actions import ActivityAction, Verb
from env_service.worlds.activity.bddl.expressions import Expression
from env_service.worlds.activity.bddl.problem import Problem


@dataclass(frozen=True, slots=True)
class Pattern:
    """Actions of a kind. Each attribute that is empty matches everything; categories are BDDL's
    ("sink.n.01").

    Attributes:
        verbs: one of these.
        targets: the target's category is one of these.
        items: so is the item's.
        tools: so is that of one of the tools, or of something held.
    """

    verbs: tuple[Verb, ...] = ()
    targets: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()

    def matches(
        self, action: ActivityAction, held: Collection[str], categories: Mapping[str, str]
    ) -> bool:
        """Whether an action is of this kind. ``held``: what was in hand before it; ``categories``:
        of instances."""

        def one_of(wanted: tuple[str, ...], names: Collection[str]) -> bool:
            return not wanted or any(categories.get(name, name) in wanted for name in names)

        return (
            (not self.verbs or action.verb in self.verbs)
            and one_of(self.targets, (action.target,))
            and one_of(self.items, (action.item,))
            and one_of(self.tools, (*action.tools, *held))
        )


class AssertionKind(Enum):
    """What an assertion says of a plan."""

    GOAL = "goal"
    """A condition holds at the end, in addition to the goal."""
    DOES = "does"
    """An action of ``first`` is done."""
    NEVER = "never"
    """No action of ``first`` is done."""
    BEFORE = "before"
    """An action of ``first`` is done before every action of ``second``; nothing of ``second`` at
    all is right too."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """A constraint that a task's description states and its goal does not carry.

    Attributes:
        text: the constraint, for people.
        goal: of GOAL.
        first: of DOES, NEVER and BEFORE.
        second: of BEFORE.
    """

    kind: AssertionKind
    text: str
    goal: Expression | None = None
    first: Pattern | None = None
    second: Pattern | None = None


@dataclass(frozen=True, slots=True)
class Activity:
    """One task, understood.

    Attributes:
        problem: with the overlay's corrections where these are on.
        description: the text that the agent reads.
        assertions: the overlay's, for counterfactuals.
        defects: why the published goal cannot be decided; empty if it can.
    """

    name: str
    variant: Variant
    problem: Problem
    description: str
    assertions: tuple[Assertion, ...] = ()
    defects: tuple[str, ...] = ()


# --- Constraints of built-in problems that no BDDL goal can carry: comments of the problem's text


MARK = "; assertion: "
"""How a line begins that states an assertion."""

_LISTS = ("targets", "items", "tools")
_PATTERNS = ("first", "second")
_NEEDS = {
    AssertionKind.DOES: ("first",),
    AssertionKind.NEVER: ("first",),
    AssertionKind.BEFORE: _PATTERNS,
}
"""Without its patterns an assertion would speak of every action."""


def assertions_of(task: ActPlanTask) -> tuple[Assertion, ...]:
    """Those that a task's problem states; of published tasks none. See `assertions_in`."""
    return assertions_in(task.problem)


def assertions_in(problem: str) -> tuple[Assertion, ...]:
    """Those that a problem's text states, in its order.

    Raises:
        ValueError: a line that begins with MARK states none; with why.
    """
    lines = (line.strip() for line in problem.splitlines())
    return tuple(_stated(line.removeprefix(MARK)) for line in lines if line.startswith(MARK))


def assertion_comments(assertions: Iterable[Assertion]) -> str:
    """Assertions without a goal as comments of a problem, each with a final line feed."""
    return "".join(f"{MARK}{json.dumps(_plain(each))}\n" for each in assertions)


def _stated(text: str) -> Assertion:
    try:
        return _read(json.loads(text))
    except KeyError as error:
        raise ValueError(f"it has no {error}") from error
    except (AttributeError, RecursionError, TypeError) as error:
        raise ValueError(str(error)) from error


def _read(entry: dict[str, Any]) -> Assertion:
    kind, text = AssertionKind(entry["kind"]), entry["text"]
    if not isinstance(text, str):
        raise TypeError('"text" is not a string')
    wanted = _NEEDS.get(kind)
    if wanted is None:
        raise ValueError(f'an assertion of kind "{kind.value}" cannot be stated in a comment')
    first, second = (_pattern(entry.get(name)) for name in _PATTERNS)
    for name, found in zip(_PATTERNS, (first, second), strict=True):
        if name in wanted and found is None:
            raise KeyError(name)
    return Assertion(kind, text, first=first, second=second)


def _pattern(entry: dict[str, list[str]] | None) -> Pattern | None:
    if entry is None:
        return None
    targets, items, tools = (_words(entry, name) for name in _LISTS)
    return Pattern(tuple(map(Verb, _words(entry, "verbs"))), targets, items, tools)


def _words(entry: dict[str, list[str]], name: str) -> tuple[str, ...]:
    found = entry.get(name, [])
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise TypeError(f'"{name}" is not a list of strings')
    return tuple(found)


def _plain(assertion: Assertion) -> dict[str, Any]:
    patterns = {"first": assertion.first, "second": assertion.second}
    record = {name: _pattern_json(each) for name, each in patterns.items() if each is not None}
    return {"kind": assertion.kind.value, "text": assertion.text, **record}


def _pattern_json(pattern: Pattern) -> dict[str, list[str]]:
    lists = {name: list(getattr(pattern, name)) for name in _LISTS}
    verbs = [each.value for each in pattern.verbs]
    return {name: words for name, words in {"verbs": verbs, **lists}.items() if words}
