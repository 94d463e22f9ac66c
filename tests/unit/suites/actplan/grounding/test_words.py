"""Words mean categories."""

from __future__ import annotations

import pytest

from env_service.suites.actplan.grounding import lexicon
from env_service.suites.actplan.grounding.lexicon import Role, fixture_of, is_nothing, lexicon_of
from env_service.worlds.activity.categories import Trait, is_known, traits_of

HOME = lexicon_of(
    (
        "carving_knife.n.01",
        "sock.n.01",
        "sofa.n.01",
        "carton.n.02",
        "oatmeal.n.01",
        "sweater.n.01",
        "floor.n.01",
        "rag.n.01",
        "piece_of_cloth.n.01",
    )
)


@pytest.mark.parametrize(
    ("name", "role", "category"),
    [
        (("knife",), Role.ITEM, "carving_knife.n.01"),
        (("carving", "knife"), Role.ITEM, "carving_knife.n.01"),
        (("sock", "sofa"), Role.ITEM, "sock.n.01"),
        (("sock", "sofa"), Role.TARGET, "sofa.n.01"),
        (("floor", "sweater"), Role.TARGET, "sweater.n.01"),
        (("oatmeal", "box"), Role.ITEM, "oatmeal.n.01"),
        (("cardboard", "box"), Role.TARGET, "carton.n.02"),
        (("couch",), Role.TARGET, "sofa.n.01"),
        (("cloth",), Role.ITEM, "piece_of_cloth.n.01"),
        (("swaeter",), Role.ITEM, "sweater.n.01"),
    ],
)
def test_the_best_fit_is_taken(name: tuple[str, ...], role: Role, category: str) -> None:
    match = HOME.look_up(name, role)
    assert match is not None
    assert match.category == category


def test_other_words_mean_nothing_here() -> None:
    assert HOME.look_up(("chainsaw",), Role.ITEM) is None
    assert HOME.look_up((), Role.ITEM) is None


def test_fixtures_of_every_home_are_known_and_stay_where_they_are() -> None:
    assert fixture_of(("kitchen", "counter")) == "countertop"
    assert fixture_of(("chainsaw",)) == ""
    for lemma in set(lexicon._fixtures().values()) - {"chair", "lamp", "ashcan"}:
        assert is_known(f"{lemma}.n.01")
        assert Trait.MOVABLE not in traits_of(f"{lemma}.n.01")


def test_synonyms_are_of_things_that_the_world_knows() -> None:
    lemmas = {lemma for meant in lexicon._table()["words"].values() for lemma in meant}
    assert sorted(lemma for lemma in lemmas if not is_known(f"{lemma}.n.01")) == []


def test_stains_and_water_are_no_things() -> None:
    assert is_nothing(("stain",), "dirt")
    assert is_nothing(("hot", "water"), "water")
    assert not is_nothing(("sofa",), "dirt")
