"""BEHAVIOR's own BDDL package, version 1.0.1, as a judge of our evaluator."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.resources import files
from typing import Any
from unittest import mock

import pytest

from env_service.worlds.activity.bddl.expressions import Atom

_WHY = "bddl is not installed: pip install -e '.[dev]'"

parsing = pytest.importorskip("bddl.parsing", reason=_WHY)
conditions = pytest.importorskip("bddl.condition_evaluation", reason=_WHY)
atoms = pytest.importorskip("bddl.logic_base", reason=_WHY)

CHANCES = (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98)
"""How many facts hold in a random state: quantifiers are put to the test at both ends."""


class State:
    """A random state: each fact is drawn when it is first asked for."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._chance = self._random.choice(CHANCES)
        self._facts: dict[tuple[str, ...], bool] = {}

    def holds(self, atom: Atom) -> bool:
        return self.fact(atom.predicate, *atom.terms)

    def fact(self, *fact: str) -> bool:
        if fact not in self._facts:
            self._facts[fact] = self._random.random() < self._chance
        return self._facts[fact]


class Thing:
    """An instance. The package takes strings in a scope for other names of instances."""

    def __init__(self, name: str) -> None:
        self.name = name


class Oracle:
    """One problem, compiled by the package; ``state`` is set before each question.

    Raises:
        Exception: the package cannot compile it.
    """

    def __init__(self, text: str) -> None:
        self.state = State(0)
        _, objects, _, goal = parsing.parse_problem("", 0, "igibson", predefined_problem=text)
        scope: dict[str, Any] = {name: Thing(name) for each in objects.values() for name in each}
        with _no_ground_options():
            self._goal = conditions.compile_state(goal, self, scope=scope, object_map=objects)

    def satisfied(self, state: State) -> list[bool]:
        """Which conjuncts of the goal hold."""
        self.state = state
        return [bool(each.evaluate()) for each in self._goal]

    def get_predicate_class(self, name: str) -> Any:
        """What the package asks its simulator for."""
        oracle = self

        class Unary(atoms.UnaryAtomicFormula):
            def _evaluate(self, thing: Thing) -> bool:
                return oracle.state.fact(name, thing.name)

            def _sample(self, *_: Any) -> bool:
                raise NotImplementedError

        class Binary(atoms.BinaryAtomicFormula):
            def _evaluate(self, first: Thing, second: Thing) -> bool:
                return oracle.state.fact(name, first.name, second.name)

            def _sample(self, *_: Any) -> bool:
                raise NotImplementedError

        return Unary if name in UNARY else Binary


UNARY = frozenset(
    {"burnt", "cooked", "dusty", "frozen", "open", "perished", "sliced", "soaked", "stained"}
    | {"toggled_on"}
)


def own_problems() -> Iterator[tuple[str, str]]:
    """The definitions that the package carries: BEHAVIOR-100's, with their names."""
    folder = files("bddl") / "activity_definitions"
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        path = each / "problem0.bddl"
        if each.is_dir() and path.is_file():
            yield each.name, path.read_text(encoding="utf-8")


@contextmanager
def _no_ground_options() -> Iterator[None]:
    """The package lists all ways to reach a goal while it compiles, which takes minutes for some
    and is not asked about here."""
    kinds = [
        each
        for module in (conditions, atoms)
        for each in vars(module).values()
        if isinstance(each, type) and "get_ground_options" in vars(each)
    ]
    with ExitStack() as stack:
        for each in kinds:
            stack.enter_context(mock.patch.object(each, "get_ground_options", lambda _: None))
        yield
