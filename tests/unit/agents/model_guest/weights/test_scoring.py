"""The quick ways of scoring candidates against reading each of them with its whole prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from model_guest.model import Message, Picture, Role
from model_guest.pictures import plain_png
from model_guest.weights import Score, WeightsOptions

from tests.support.tiny_models import (
    picture_model,
    plane_model,
    text_model,
    torch,
    windowed_model,
)

candidates = import_module("model_guest.weights.scoring")
dialogue = import_module("model_guest.weights.encoding")
encoding = import_module("model_guest.weights.encoding")
loading = import_module("model_guest.weights.loading")
prefilling = import_module("model_guest.weights.encoding")
scoring = import_module("model_guest.weights.scoring")
scoring_rows = import_module("model_guest.weights.scoring")
scoring_tree = import_module("model_guest.weights.scoring")
score_whole = import_module("model_guest.weights.scoring").score_whole
build_trie = import_module("model_guest.weights.token_trie").build_trie

TEXTS = [f"go to the {colour} {thing}" for colour in ("red", "blue") for thing in ("ball", "key")]
TEXTS += ["go", "go to", "turn left", "x", ""]
RED = Picture(plain_png(220, 20, 20), "image/png")


class Asked:
    """A model and some prompts for it."""

    def __init__(self, folder: Path, parts: Sequence[tuple[str | Picture, ...]]) -> None:
        self.weights = loading.load(WeightsOptions(str(folder)))
        teller = dialogue.Dialogue(self.weights, {})
        self.prompts = [teller.render([Message(Role.USER, each)]) for each in parts]
        border = candidates.border_text(self.weights, self.prompts[0].text)
        self.tokens = candidates.candidate_tokens(self.weights, border, TEXTS)
        self.trie = build_trie(self.tokens)

    def encoded(self, prompts: Sequence[Any]) -> Any:
        return encoding.encode(self.weights, prompts)

    def rightly(self) -> list[Any]:
        """float64 [C, 2] for each prompt."""
        with torch.inference_mode():
            return [
                score_whole(self.weights, self.encoded([prompt]), self.tokens)
                for prompt in self.prompts
            ]

    def quickly(self, way: Callable[..., list[Any]]) -> list[Any]:
        with torch.inference_mode():
            read = prefilling.prefill(self.weights, self.encoded(self.prompts))
            return way(self.weights, read, [self.trie] * len(self.prompts))

    def scored(self, score: Score = Score.SUM, *, count_end: bool = True) -> Any:
        scorer = scoring.Scorer(self.weights, score, count_end=count_end)
        questions = [scoring.Question(each, self.tokens, self.trie) for each in self.prompts]
        return scorer, scorer.score(questions, self.encoded(self.prompts))


WORDS = [("hello",), ("a rather longer beginning than the other one has",)]
SIGHTS = [("see", RED), ("before", RED, "and now", RED, "what next?")]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return text_model(tmp_path_factory.mktemp("reader"))


@pytest.fixture(scope="module")
def seer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return picture_model(tmp_path_factory.mktemp("seer"))


@pytest.fixture(scope="module")
def windowed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return windowed_model(tmp_path_factory.mktemp("windowed"))


def check(found: list[Any], right: list[Any]) -> None:
    for got, wanted in zip(found, right, strict=True):
        torch.testing.assert_close(got, wanted, rtol=0.0, atol=1e-4)


@pytest.mark.parametrize("parts", [WORDS, SIGHTS], ids=["words", "sights"])
def test_a_tree_scores_as_whole_texts_do(seer: Path, parts: Any) -> None:
    asked = Asked(seer, parts)
    check(asked.quickly(scoring.score_tree), asked.rightly())


@pytest.mark.parametrize("parts", [WORDS, SIGHTS], ids=["words", "sights"])
def test_rows_score_as_whole_texts_do(seer: Path, parts: Any) -> None:
    asked = Asked(seer, parts)
    check(asked.quickly(scoring.score_rows), asked.rightly())


def test_small_steps_give_the_same(reader: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(reader, WORDS)
    monkeypatch.setattr(scoring_tree, "NODES", 5)
    monkeypatch.setattr(scoring_rows, "ROWS", 2)
    check(asked.quickly(scoring.score_tree), asked.rightly())
    check(asked.quickly(scoring.score_rows), asked.rightly())


def test_a_window_rules_the_tree_out(windowed: Path) -> None:
    asked = Asked(windowed, WORDS)
    scorer, _ = asked.scored()
    assert scorer.ways == {False: "rows"}
    check(asked.quickly(scoring.score_rows), asked.rightly())


def test_a_way_that_is_wrong_is_not_used(reader: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(reader, WORDS)

    def wrong(*_: Any) -> list[Any]:
        return [torch.zeros(len(TEXTS), 2, dtype=torch.float64)]

    def failing(*_: Any) -> list[Any]:
        raise ValueError("this model takes no such mask")

    for broken in (wrong, failing):
        monkeypatch.setitem(scoring.WAYS, "tree", broken)
        assert asked.scored()[0].ways == {False: "rows"}
    monkeypatch.setitem(scoring.WAYS, "rows", failing)
    scorer, scored = asked.scored()
    assert scorer.ways == {False: "whole"}
    totals = [table.sum(-1).tolist() for table in asked.rightly()]
    assert [each.scores for each in scored] == [pytest.approx(total) for total in totals]


def test_what_is_counted(reader: Path) -> None:
    asked = Asked(reader, WORDS)
    lengths = torch.tensor([len(tokens) for tokens in asked.tokens])
    table = asked.rightly()[0]
    for score, count_end, wanted in (
        (Score.SUM, True, table.sum(-1)),
        (Score.SUM, False, table[:, 0]),
        (Score.MEAN, True, table.sum(-1) / (lengths + 1)),
        (Score.MEAN, False, table[:, 0] / lengths.clamp(min=1)),
    ):
        scored = asked.scored(score, count_end=count_end)[1][0]
        assert scored.scores == pytest.approx(wanted.tolist(), abs=1e-4)


def test_a_tree_reads_each_shared_token_once(reader: Path) -> None:
    asked = Asked(reader, WORDS[:1])
    (scored,) = asked.scored()[1]
    assert scored.candidate_tokens == len(asked.trie) < sum(map(len, asked.tokens))
    assert scored.prompt_tokens == asked.encoded(asked.prompts).lengths[0]


def test_pictures_with_positions_in_two_dimensions() -> None:
    model, tokenizer = plane_model()
    weights = loading.Weights(
        model=model,
        tokenizer=tokenizer,
        processor=None,
        device=torch.device("cpu"),
        positions=None,
        ends=(tokenizer.eos_token_id,),
        pad=tokenizer.pad_token_id,
        vocabulary=len(tokenizer),
        folder=Path(),
        fingerprint="",
    )
    tokens = [tuple(tokenizer(text)["input_ids"]) for text in TEXTS]
    texts = ["hello", "a rather longer beginning"]
    together = plane_inputs(tokenizer, texts)
    with torch.inference_mode():
        right = [score_whole(weights, plane_inputs(tokenizer, [text]), tokens) for text in texts]
        for way in (scoring.score_tree, scoring.score_rows):
            read = prefilling.prefill(weights, together)
            assert read.positions.tolist() != together.lengths
            check(way(weights, read, [build_trie(tokens)] * 2), right)


def plane_inputs(tokenizer: Any, texts: Sequence[str]) -> Any:
    """Each text before a picture of 8 × 8 patches, four to a token, and a question."""
    pad = tokenizer.convert_tokens_to_ids("<|image_pad|>")
    picture = f"<|vision_start|>{'<|image_pad|>' * 16}<|vision_end|>what now?"
    rows = [tokenizer(text + picture)["input_ids"] for text in texts]
    width = max(map(len, rows))
    ids = torch.tensor([[0] * (width - len(row)) + row for row in rows])
    generator = torch.Generator().manual_seed(1)
    return encoding.Encoded(
        {
            "input_ids": ids,
            "attention_mask": (ids != 0).long(),
            "mm_token_type_ids": (ids == pad).long(),
            "pixel_values": torch.randn(64, 1176, generator=generator).repeat(len(rows), 1),
            "image_grid_thw": torch.tensor([[1, 8, 8]] * len(rows)),
        }
    )
