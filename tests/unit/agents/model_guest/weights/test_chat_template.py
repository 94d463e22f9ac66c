from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from model_guest.model import Message, Picture, RefusedError, Request, Role
from model_guest.pictures import plain_png
from model_guest.weights import WeightsOptions, open_model

from tests.support.tiny_models import CHAT_TEMPLATE, picture_model, text_model

candidates = import_module("model_guest.weights.scoring")
dialogue = import_module("model_guest.weights.encoding")
loading = import_module("model_guest.weights.loading")

RED = Picture(plain_png(220, 20, 20), "image/png")
SYSTEM = Message(Role.SYSTEM, ("Be brief.",))


def user(*parts: str | Picture) -> Message:
    return Message(Role.USER, parts)


def opened(folder: Path, template: str | None = CHAT_TEMPLATE, **variables: Any) -> Any:
    weights = loading.load(WeightsOptions(str(text_model(folder, template=template))))
    return dialogue.Dialogue(weights, variables)


def test_the_models_own_template_is_used(tmp_path: Path) -> None:
    teller = opened(tmp_path)
    assert (teller.template, teller.system, teller.stops) == ("own", "own", ())
    assert teller.render([SYSTEM, user("Hello.")]).text == (
        "<|start|>system\nBe brief.<|end|>\n<|start|>user\nHello.<|end|>\n<|start|>assistant\n"
    )


def test_neighbours_of_one_role_become_one_message(tmp_path: Path) -> None:
    text = opened(tmp_path).render([user("Hello."), user("Well?", "Now?")]).text
    assert "user\nHello.\n\nWell?\n\nNow?<|end|>" in text


def test_a_system_message_is_folded_where_the_template_refuses_it(tmp_path: Path) -> None:
    refusing = (
        "{% for message in messages %}{% if message.role == 'system' %}"
        "{{ raise_exception('no system role') }}{% endif %}{% endfor %}" + CHAT_TEMPLATE
    )
    teller = opened(tmp_path, refusing)
    assert teller.system == "folded"
    assert "user\nBe brief.\n\nHello." in teller.render([SYSTEM, user("Hello.")]).text


def test_a_system_message_is_folded_where_the_template_drops_it(tmp_path: Path) -> None:
    dropping = CHAT_TEMPLATE.replace(
        "{% for message in messages %}",
        "{% for message in messages if message.role != 'system' %}",
    )
    teller = opened(tmp_path, dropping)
    assert "Be brief." in teller.render([SYSTEM, user("Hello.")]).text


def test_a_model_without_a_template_gets_a_plain_one(tmp_path: Path) -> None:
    teller = opened(tmp_path, None)
    assert teller.template == "plain"
    text = teller.render([SYSTEM, user("Hello.")]).text
    assert text == "System: Be brief.\n\nUser: Hello.\n\nAssistant:"
    assert "\nUser:" in teller.stops


def test_variables_reach_the_template(tmp_path: Path) -> None:
    thinking = CHAT_TEMPLATE + "{% if enable_thinking %}<think>\n{% endif %}"
    asked = [user("Hello.")]
    on, off = (opened(tmp_path / n, thinking, enable_thinking=n == "on") for n in ("on", "off"))
    assert (on.render(asked).opening, off.render(asked).opening) == ("<think>\n", "")


def test_a_thought_that_the_template_begins_belongs_to_the_reply(tmp_path: Path) -> None:
    folder = text_model(tmp_path, template=CHAT_TEMPLATE + "<think>\n")
    model = open_model(WeightsOptions(str(folder), reply_tokens=3))
    assert model.reply(Request((user("Hello."),))).text.startswith("<think>\n")
    with pytest.raises(RefusedError, match="enable_thinking=false"):
        model.reply(Request((user("Hello."),), candidates=("go", "stop")))
    model.close()


def test_a_template_that_fails_is_named(tmp_path: Path) -> None:
    teller = opened(tmp_path, "{{ raise_exception('roles must take turns') }}")
    with pytest.raises(RefusedError, match="roles must take turns"):
        teller.render([user("Hello.")])


def test_pictures_keep_their_places(tmp_path: Path) -> None:
    weights = loading.load(WeightsOptions(str(picture_model(tmp_path))))
    prompt = dialogue.Dialogue(weights, {}).render([user("one", RED, "two", RED, "three")])
    assert "one<image>two<image>three" in prompt.text
    assert len(prompt.pictures) == 2


def test_a_candidates_tokens_are_those_behind_the_prompt(tmp_path: Path) -> None:
    weights = loading.load(WeightsOptions(str(text_model(tmp_path))))
    prompt = dialogue.Dialogue(weights, {}).render([user("Hello.")]).text
    border = candidates.border_text(weights, prompt)
    assert border == "<|start|>assistant\n"
    (tokens,) = candidates.candidate_tokens(weights, border, ["go to the red ball"])
    whole = weights.tokenizer(prompt + "go to the red ball")["input_ids"]
    assert whole == [*weights.tokenizer(prompt)["input_ids"], *tokens]


def test_a_token_never_reaches_across_the_border(tmp_path: Path) -> None:
    weights = loading.load(WeightsOptions(str(text_model(tmp_path))))
    # "the" is a token: behind "t" the candidate "he" must not become a part of it.
    before = weights.tokenizer("pick t")["input_ids"]
    assert weights.tokenizer("pick the")["input_ids"][: len(before)] != before
    (tokens,) = candidates.candidate_tokens(weights, "pick t", ["he"])
    assert tokens == tuple(weights.tokenizer("he")["input_ids"])
