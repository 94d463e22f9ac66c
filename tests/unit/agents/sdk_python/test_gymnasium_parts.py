"""What a Gymnasium environment makes of skills and texts."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from gymnasium.error import CustomSpaceError
from gymnasium.vector.utils import create_shared_memory
from houseguest_agent import ActionSpace, Parameter, SetupError, Skill, SkillCall, Text
from houseguest_agent.gymnasium import DiscreteActions, TextActions
from houseguest_agent.gymnasium.env import read_tokens
from houseguest_agent.gymnasium.spaces import CHARSET, Words, fit

OBJECT = Parameter("object", "What.", ("Apple", "Mug"))
PLACE = Parameter("place", "Where.", ("Sink", "Table", "Fridge"))
SPACE = ActionSpace((Skill("wait", "Waits."), Skill("put", "Puts.", (OBJECT, PLACE))))


def test_every_call_has_a_number_in_the_suites_order() -> None:
    actions = DiscreteActions(SPACE)
    assert actions.space.n == 7  # type: ignore[attr-defined]
    assert [actions.describe(n) for n in (0, 1, 2, 6)] == [
        "wait",
        "put Apple Sink",
        "put Apple Table",
        "put Mug Fridge",
    ]
    assert actions.read(np.int64(3)) == SkillCall("put", {"object": "Apple", "place": "Fridge"})


def test_a_call_is_found_by_its_words() -> None:
    actions = DiscreteActions(SPACE)
    for number, call in enumerate(actions.calls):
        assert actions.number(call.name, **call.arguments) == number
    with pytest.raises(ValueError, match="unknown action put"):
        actions.number("put", object="Pear", place="Sink")


@pytest.mark.parametrize("action", [7, -1, 1.5, "wait"])
def test_what_is_no_action_is_refused(action: object) -> None:
    with pytest.raises(ValueError, match="is not an action of Discrete"):
        DiscreteActions(SPACE).read(action)


def test_free_text_has_no_number() -> None:
    say = Skill("say", "Says.", (Parameter("words", "Which."),))
    with pytest.raises(SetupError, match=r'say accepts any text as its words.*actions="text"'):
        DiscreteActions(ActionSpace((say,)))


def test_too_many_calls_have_no_numbers() -> None:
    many = Parameter("object", "What.", tuple(map(str, range(1100))))
    with pytest.raises(SetupError, match="1210000 calls"):
        DiscreteActions(ActionSpace((Skill("put", "Puts.", (many, many)),)))


def test_words_are_sent_as_they_are() -> None:
    actions = TextActions()
    assert actions.read("I take the mug.") == Text("I take the mug.")
    assert actions.space.contains("I take the mug.")
    with pytest.raises(ValueError, match="3 is not a text"):
        actions.read(3)


@pytest.mark.parametrize("text", ["", "Mug\n5 × 7 – “so”…", "東京 \x00\t", "x" * 50])
def test_every_text_fits_its_space(text: str) -> None:
    fitted = fit(text, 20)
    assert Words(20).contains(fitted)
    assert len(fitted) == min(20, len(text))
    assert fitted == text[:20] or "?" in fitted


def test_characters_are_listed_once() -> None:
    assert len(set(CHARSET)) == len(CHARSET)


def test_texts_are_never_shared_between_processes() -> None:
    with pytest.raises(CustomSpaceError, match="shared_memory=False"):
        create_shared_memory(Words(20), 2)


def test_tokens_are_given_or_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOUSEGUEST_TOKEN", raising=False)
    monkeypatch.setenv("HOUSEGUEST_TOKENS", "a, b")
    assert read_tokens("") == ("a", "b")
    assert read_tokens("c,d") == read_tokens(["c", "d"]) == ("c", "d")
    monkeypatch.setenv("HOUSEGUEST_TOKEN", "e")
    assert read_tokens("") == ("e",)
    monkeypatch.delenv("HOUSEGUEST_TOKENS")
    monkeypatch.delenv("HOUSEGUEST_TOKEN")
    with pytest.raises(SetupError, match="houseguest practice SUITE"):
        read_tokens("")


def test_without_gymnasium_the_error_names_the_extra() -> None:
    probe = "import sys; sys.modules['gymnasium'] = None; import houseguest_agent.gymnasium"
    found = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=False
    )
    assert 'needs gymnasium: pip install "houseguest-agent[gymnasium]"' in found.stderr
