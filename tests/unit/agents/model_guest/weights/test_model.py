from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from model_guest.model import (
    ContextOverflowError,
    Finish,
    Message,
    ModelError,
    Picture,
    RefusedError,
    Reply,
    Request,
    Role,
)
from model_guest.pictures import plain_png
from model_guest.weights import Score, Switch, WeightsOptions, open_model

from tests.support.tiny_models import picture_model, text_model, torch

grammar = import_module("model_guest.weights.grammar")

RED, BLUE = (Picture(plain_png(*rgb), "image/png") for rgb in ((220, 20, 20), (20, 40, 220)))
CANDIDATES = ("go to the red ball", "go to the blue key", "go", "turn left", "pick up the ball")
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "thought": {"type": "string"},
        "action": {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"skill": {"type": "string", "enum": ["left", "right"]}},
                    "required": ["skill"],
                    "additionalProperties": False,
                },
                {
                    "type": "object",
                    "properties": {
                        "skill": {"type": "string", "enum": ["pickup"]},
                        "arguments": {
                            "type": "object",
                            "properties": {"object": {"type": "string", "enum": ["mug", "key"]}},
                            "required": ["object"],
                            "additionalProperties": False,
                        },
                    },
                    "required": ["skill", "arguments"],
                    "additionalProperties": False,
                },
            ]
        },
    },
    "required": ["thought", "action"],
    "additionalProperties": False,
}

Opener = Callable[..., Any]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return text_model(tmp_path_factory.mktemp("reader"))


@pytest.fixture(scope="module")
def seer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return picture_model(tmp_path_factory.mktemp("seer"))


@pytest.fixture
def opened() -> Iterator[Opener]:
    """Opens models, and closes them at the end."""
    models = []

    def opener(folder: Path, **options: Any) -> Any:
        models.append(open_model(WeightsOptions(str(folder), **{"reply_tokens": 12, **options})))
        return models[-1]

    yield opener
    for model in models:
        model.close()


def asked(*parts: str | Picture, **more: Any) -> Request:
    messages = (Message(Role.SYSTEM, ("You act.",)), Message(Role.USER, parts))
    return Request(messages, **more)


def ask_together(model: Any, requests: list[Request]) -> list[Reply]:
    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(model.reply, requests))


def test_a_reply_tells_what_it_used(reader: Path, opened: Opener) -> None:
    reply = opened(reader).reply(asked("hello"))
    (usage,) = reply.usage
    assert (usage.model, usage.output_tokens, usage.cost_usd) == (reader.name, 12, 0.0)
    assert usage.input_tokens > 5
    assert usage.latency > 0
    assert reply.finish is Finish.LENGTH


def test_neighbours_in_a_batch_do_not_change_a_reply(reader: Path, opened: Opener) -> None:
    requests = [asked("look " * n + "and act") for n in range(1, 7)]
    alone = [opened(reader, batch=1).reply(request).text for request in requests]
    together = ask_together(opened(reader, wait=0.2), requests)
    assert [reply.text for reply in together] == alone
    assert len(set(alone)) > 1


def test_neighbours_with_pictures_neither(seer: Path, opened: Opener) -> None:
    requests = [
        asked("see", RED),
        asked("before:", RED, "now:", BLUE),
        asked("no picture"),
        asked("look", BLUE),
    ]
    alone = [opened(seer, batch=1).reply(request).text for request in requests]
    together = ask_together(opened(seer, wait=0.2), requests)
    assert [reply.text for reply in together] == alone
    assert [reply.usage[0].images for reply in together] == [1, 2, 0, 1]


def test_pictures_are_seen(seer: Path, opened: Opener) -> None:
    model = opened(seer)
    assert model.sees_pictures
    replies = {model.reply(asked("see", each)).text for each in (RED, BLUE)}
    assert len(replies) == 2


def test_draws_depend_on_the_request_alone(reader: Path, opened: Opener) -> None:
    requests = [asked(f"look {n}") for n in range(4)]
    drawing = {"temperature": 1.0, "top_p": 0.9, "seed": 3}
    alone = [opened(reader, batch=1, **drawing).reply(request).text for request in requests]
    together = ask_together(opened(reader, wait=0.2, **drawing), requests[::-1])
    assert [reply.text for reply in together] == alone[::-1]
    other = opened(reader, **{**drawing, "seed": 4})
    assert [other.reply(request).text for request in requests] != alone


def test_another_episode_draws_anew_and_a_resumed_one_the_same(
    reader: Path, opened: Opener
) -> None:
    model, resumed = (opened(reader, temperature=1.0) for _ in range(2))
    first, second, third = (model.reply(asked("look", draw=f"{n}:0")).text for n in range(3))
    assert len({first, second, third}) == 3
    assert resumed.reply(asked("look", draw="2:0")).text == third
    assert resumed.reply(asked("look", draw="0:0")).text == first


@pytest.mark.parametrize("temperature", [0.0, 1.5])
def test_replies_satisfy_the_schema(
    reader: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch, temperature: float
) -> None:
    monkeypatch.setattr(grammar, "LONGEST_TEXT", 60)
    model = opened(reader, reply_tokens=200, temperature=temperature, wait=0.1)
    requests = [asked(f"act {n}", schema=SCHEMA) for n in range(4)]
    for reply in ask_together(model, [*requests, asked("free")])[:-1]:
        assert reply.finish is Finish.STOP
        said = json.loads(reply.text)
        jsonschema.validate(said, SCHEMA)
        assert len(said["thought"]) <= 60


def test_a_schema_does_not_hold_where_it_is_switched_off(reader: Path, opened: Opener) -> None:
    model = opened(reader, guided=Switch.OFF)
    assert model.configuration()["guided"] == "off"
    with pytest.raises(ValueError, match="Expecting"):
        json.loads(model.reply(asked("act", schema=SCHEMA)).text)


def test_an_impossible_schema_is_named(reader: Path, opened: Opener) -> None:
    with pytest.raises(RefusedError, match="schema"):
        opened(reader).reply(asked("act", schema={"type": "nonsense"}))


def test_the_likeliest_candidate_is_the_reply(seer: Path, opened: Opener) -> None:
    model = opened(seer)
    for parts in (("act",), ("act", RED)):
        reply = model.reply(asked(*parts, candidates=CANDIDATES))
        assert len(reply.scores) == len(CANDIDATES)
        assert reply.text == CANDIDATES[reply.scores.index(max(reply.scores))]
    assert model.way_of_choosing == "tree"


def test_scores_do_not_depend_on_the_batch(reader: Path, opened: Opener) -> None:
    requests = [asked("look " * n, candidates=CANDIDATES[: n + 1]) for n in range(1, 5)]
    alone = [opened(reader, batch=1).reply(request).scores for request in requests]
    together = ask_together(opened(reader, wait=0.2), requests)
    for reply, scores in zip(together, alone, strict=True):
        assert reply.scores == pytest.approx(scores, abs=1e-3)


def test_the_mean_by_token_favours_no_length(reader: Path, opened: Opener) -> None:
    candidates = ("go", "go " * 30)
    total = opened(reader).reply(asked("act", candidates=candidates))
    mean = opened(reader, score=Score.MEAN).reply(asked("act", candidates=candidates))
    assert total.scores[1] < 5 * total.scores[0]
    assert mean.scores[1] > 5 * mean.scores[0]


def test_a_beginning_beats_the_whole_only_if_ends_count_for_nothing(
    reader: Path, opened: Opener
) -> None:
    open_end = opened(reader, score_end=False)
    short, long = open_end.reply(asked("act", candidates=("go", "go to"))).scores
    assert short >= long


def test_a_prompt_beyond_the_positions_is_refused_before_it_is_read(
    tmp_path: Path, opened: Opener
) -> None:
    model = opened(text_model(tmp_path, max_position_embeddings=64))
    requests = [asked("short"), asked("long " * 50)]
    with ThreadPoolExecutor(2) as pool:
        short, long = (pool.submit(model.reply, request) for request in requests)
        assert short.result(120).text
        with pytest.raises(ContextOverflowError, match="more than the 64"):
            long.result(120)


def test_memory_that_runs_out_makes_batches_smaller(
    reader: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = opened(reader, wait=0.2)
    requests = [asked(f"look {n}") for n in range(4)]
    alone = [model.reply(request).text for request in requests]
    limit_memory(monkeypatch, model, rows=1)
    assert [reply.text for reply in ask_together(model, requests)] == alone
    assert model.batch == 1


def test_memory_too_small_for_one_request_asks_for_a_shorter_one(
    reader: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = opened(reader)
    limit_memory(monkeypatch, model, rows=0)
    with pytest.raises(ContextOverflowError, match="Memory ran out"):
        model.reply(asked("look"))


def limit_memory(monkeypatch: pytest.MonkeyPatch, model: Any, rows: int) -> None:
    """Makes the real forward pass fail as a full GPU does."""
    network = model._weights.model
    forward = network.forward

    def limited(*args: Any, input_ids: Any, **inputs: Any) -> Any:
        if len(input_ids) > rows:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return forward(*args, input_ids=input_ids, **inputs)

    monkeypatch.setattr(network, "forward", limited)


def test_a_model_that_breaks_is_no_failure_of_the_episode(
    reader: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = opened(reader)

    def broken(**_: Any) -> None:
        raise RuntimeError("device-side assert")

    monkeypatch.setattr(model._weights.model, "forward", broken)
    with pytest.raises(ModelError, match="device-side assert"):
        model.reply(asked("look"))


def test_a_model_without_eyes_refuses_pictures(reader: Path, opened: Opener) -> None:
    model = opened(reader)
    assert not model.sees_pictures
    with pytest.raises(RefusedError, match="only text"):
        model.reply(asked("look", RED))


def test_pictures_can_be_switched_off(seer: Path, opened: Opener) -> None:
    assert not opened(seer, pictures=False).sees_pictures


def test_a_broken_picture_is_named(seer: Path, opened: Opener) -> None:
    with pytest.raises(RefusedError, match="broken"):
        opened(seer).reply(asked("look", Picture(b"no picture", "image/png")))


def test_the_configuration_tells_what_could_change_a_reply(reader: Path, opened: Opener) -> None:
    told = opened(reader, template={"enable_thinking": False}).configuration()
    assert told["dtype"] == "float32"
    assert told["template.enable_thinking"] == "False"
    assert told["guided"].startswith("llguidance ")
    assert len(told["fingerprint"]) == 64
    assert all(isinstance(value, str) for value in told.values())


def test_what_was_thought_is_counted_apart(
    reader: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = opened(reader)
    tokenizer = model._weights.tokenizer
    said = "<think>turn left?</think>go"
    monkeypatch.setattr(type(tokenizer), "decode", lambda *_, **__: said)
    usage = model.reply(asked("look")).usage[0]
    assert usage.reasoning_tokens == min(12, len(tokenizer("<think>turn left?</think>").input_ids))
    assert 0 < usage.reasoning_tokens <= usage.output_tokens


def test_memory_that_runs_out_changes_no_draw(
    reader: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = [asked(f"look {n}") for n in range(3)]
    plenty, scarce = (opened(reader, temperature=1.0, wait=0.2) for _ in range(2))
    limit_memory(monkeypatch, scarce, rows=1)
    told = [[each.text for each in ask_together(model, requests)] for model in (plenty, scarce)]
    assert told[0] == told[1]
