"""The opposite of a condition is true exactly where the condition is not."""

from __future__ import annotations

from itertools import product

import pytest

from env_service.worlds.activity.bddl.expressions import Atom, evaluate, opposite
from env_service.worlds.activity.bddl.parser import read_expression

_OBJECTS = {"cup.n.01_1": "cup.n.01", "cup.n.01_2": "cup.n.01", "jar.n.01_1": "jar.n.01"}


@pytest.mark.parametrize(
    "text",
    [
        "(dusty ?cup.n.01_1)",
        "(not (dusty ?cup.n.01_1))",
        "(and (dusty ?cup.n.01_1) (not (dusty ?cup.n.01_2)))",
        "(or (dusty ?cup.n.01_1) (and (dusty ?jar.n.01_1) (dusty ?cup.n.01_2)))",
        "(imply (dusty ?cup.n.01_1) (not (dusty ?jar.n.01_1)))",
        "(forall (?c - cup.n.01) (imply (dusty ?c) (dusty ?jar.n.01_1)))",
        "(exists (?c - cup.n.01) (not (dusty ?c)))",
        "(forn (1) (?c - cup.n.01) (dusty ?c))",
    ],
)
def test_an_opposite_is_true_where_the_condition_is_false(text: str) -> None:
    condition = read_expression(text, "x")
    for dusty in product((True, False), repeat=len(_OBJECTS)):
        true = {Atom("dusty", (name,)) for name, so in zip(_OBJECTS, dusty, strict=True) if so}
        here, there = (
            evaluate(each, _OBJECTS, true.__contains__) for each in (condition, opposite(condition))
        )
        assert here != there
