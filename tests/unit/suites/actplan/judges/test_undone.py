from env_service.suites.actplan.judges.judge import unmet_parts
from env_service.worlds.activity.bddl.expressions import (
    And,
    Atom,
    Bound,
    Exists,
    Expression,
    ForAll,
    ForPairs,
    Imply,
    Not,
    Or,
)

OBJECTS = {"cup_1": "cup", "cup_2": "cup", "box_1": "box", "box_2": "box"}
CUP, BOX = Bound("c", "cup"), Bound("b", "box")
IN = Atom("inside", ("c", "b"))


def undone(expression: Expression, *facts: Atom) -> list[Expression]:
    return list(unmet_parts(expression, OBJECTS, lambda atom: atom in facts))


def test_of_every_thing_those_are_named_of_which_it_is_not_so() -> None:
    wet = Atom("wet", ("c",))
    assert undone(ForAll(CUP, wet), Atom("wet", ("cup_1",))) == [Atom("wet", ("cup_2",))]
    assert undone(ForAll(CUP, Not(wet)), Atom("wet", ("cup_1",))) == [Not(Atom("wet", ("cup_1",)))]


def test_of_several_parts_those_are_named_that_are_not_so() -> None:
    parts = And((Atom("wet", ("cup_1",)), ForAll(BOX, Atom("open", ("b",)))))
    assert undone(parts, Atom("wet", ("cup_1",)), Atom("open", ("box_2",))) == [
        Atom("open", ("box_1",))
    ]
    assert undone(And(())) == []


def test_alternatives_and_pairs_are_named_as_a_whole() -> None:
    either = Or((Atom("wet", ("cup_1",)), Atom("wet", ("cup_2",))))
    assert undone(either) == [either]
    pairs = ForPairs(CUP, BOX, IN)
    assert undone(pairs, Atom("inside", ("cup_1", "box_1"))) == [pairs]
    assert undone(pairs, *(Atom("inside", (f"cup_{n}", f"box_{n}")) for n in (1, 2))) == []


def test_a_thing_stands_in_within_inner_quantifiers() -> None:
    inner = ForAll(CUP, Exists(BOX, IN))
    assert undone(inner, Atom("inside", ("cup_1", "box_2"))) == [
        Exists(BOX, Atom("inside", ("cup_2", "b")))
    ]


def test_a_variable_that_is_bound_anew_is_another_one() -> None:
    wet, again = Atom("wet", ("c",)), ForAll(CUP, Atom("wet", ("c",)))
    all_or_none = ForAll(CUP, Imply(wet, again))
    assert undone(all_or_none, Atom("wet", ("cup_1",))) == [
        Imply(Atom("wet", ("cup_1",)), ForAll(CUP, wet))
    ]
