from __future__ import annotations

import pytest

from env_service.suites.alfred.builtin.grammar.korean import NOUNS, KoreanNoun, particle_after

PARTICLES = ("을", "은", "이", "과", "으로")


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("책", "책을 책은 책이 책과 책으로"),
        ("사과", "사과를 사과는 사과가 사과와 사과로"),
        ("칼", "칼을 칼은 칼이 칼과 칼로"),
        ("커피 테이블", "커피 테이블을 커피 테이블은 커피 테이블이 커피 테이블과 커피 테이블로"),
        (
            "연필 두 자루",
            "연필 두 자루를 연필 두 자루는 연필 두 자루가 연필 두 자루와 연필 두 자루로",
        ),
        ("침대 위", "침대 위를 침대 위는 침대 위가 침대 위와 침대 위로"),
        ("CD", "CD를 CD는 CD가 CD와 CD로"),
        ("URL", "URL을 URL은 URL이 URL과 URL로"),
        ("FM", "FM을 FM은 FM이 FM과 FM으로"),
    ],
)
def test_a_particle_takes_the_form_that_the_last_sound_asks_for(word, forms):
    noun = KoreanNoun(word)
    assert " ".join(format(noun, each) for each in PARTICLES) == forms
    assert f"{noun}" == word


@pytest.mark.parametrize("kind", NOUNS)
def test_every_noun_takes_every_particle(kind):
    assert {particle_after(NOUNS[kind], each) for each in PARTICLES} in (
        {"을", "은", "이", "과", "으로"},
        {"을", "은", "이", "과", "로"},
        {"를", "는", "가", "와", "로"},
    )


def test_what_cannot_be_spoken_is_refused():
    with pytest.raises(ValueError, match="how does '3' end"):
        particle_after("3", "을")
    with pytest.raises(ValueError, match="unknown particle '에'"):
        particle_after("책", "에")
