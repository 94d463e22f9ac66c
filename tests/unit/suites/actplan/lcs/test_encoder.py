"""Sentence encoders: what makes vectors of texts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from env_service.suites.actplan.lcs import encoder
from env_service.suites.actplan.lcs.encoder import (
    BATCH,
    EncoderError,
    MissingPackageError,
    TransformersEncoder,
    find_source,
    pick_device,
)
from tests.support.extras import extra_module
from tests.support.tiny_bert import write_tiny_bert

torch = extra_module("torch")
extra_module("transformers")

WORDS = ("grab", "open", "close", "cup", "box", "book")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tiny encoder."""
    return write_tiny_bert(tmp_path / "tiny", WORDS)


def load(folder: Path) -> TransformersEncoder:
    """On the CPU."""
    return TransformersEncoder(find_source(str(folder)), "cpu")


def test_vectors_have_length_one_and_keep_the_order(folder: Path) -> None:
    encoder = load(folder)
    texts = [f"grab({word}) " * (n % 7 + 1) for n, word in enumerate(WORDS * (BATCH // 5))]
    done: list[int] = []
    together = encoder.encode(texts, lambda: done.append(1))
    assert together.dtype == np.float32
    assert np.linalg.norm(together, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert len(done) == len(texts) > BATCH
    alone = np.concatenate([encoder.encode([text]) for text in texts[:9]])
    # Neither company nor padding changes what a text means.
    assert np.abs(together[:9] - alone).max() < 1e-5


def test_vectors_are_means_over_the_texts_own_tokens(folder: Path) -> None:
    encoder = load(folder)
    model, tokenizer = encoder._model, encoder._tokenizer
    with torch.inference_mode():
        states = model(**tokenizer("open(box)", return_tensors="pt")).last_hidden_state[0]
    mean = states.mean(0).numpy()
    (found, _) = encoder.encode(["open(box)", "open(box) close(box) grab(cup)"])
    assert found == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


def test_too_long_and_empty_texts_are_taken(folder: Path) -> None:
    assert load(folder).encode(["grab " * 5000, "", "\x00🙂"]).shape == (3, 32)
    assert load(folder).encode([]).shape == (0, 32)


def test_a_folder_says_how_it_pools(folder: Path) -> None:
    before = load(folder).encode(["open(box)"])
    (folder / "1_Pooling").mkdir()
    pooling = folder / "1_Pooling" / "config.json"
    pooling.write_text(json.dumps({"pooling_mode_cls_token": True}))
    assert np.abs(load(folder).encode(["open(box)"]) - before).max() > 1e-3
    pooling.write_text(json.dumps({"pooling_mode_max_tokens": True}))
    with pytest.raises(EncoderError, match="pooling_mode_max_tokens"):
        load(folder)


def test_weights_that_cannot_be_loaded_are_told(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    with pytest.raises(EncoderError, match="no encoder can be loaded from the folder"):
        load(folder)


def test_without_packages_one_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "find_spec", lambda _name: None)
    with pytest.raises(MissingPackageError, match=r"torch, transformers.*houseguest\[actplan\]"):
        encoder.load_torch()


def test_a_gpu_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert pick_device("auto") == "cpu"
    with pytest.raises(ValueError, match="torch finds no GPU"):
        pick_device("cuda")


def test_an_encoder_is_known_by_its_weights_and_words(folder: Path, tmp_path: Path) -> None:
    first = load(folder).digest
    assert len(first) == 64
    assert load(folder.rename(tmp_path / "renamed")).digest == first
    other = load(tmp_path / "renamed")
    with torch.inference_mode():
        next(iter(other._model.parameters()))[0, 0] += 1
    assert other.digest != first
    assert load(write_tiny_bert(tmp_path / "more", (*WORDS, "lamp"))).digest != first
