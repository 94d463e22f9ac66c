"""A classifier learns what can be learned, and is kept."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from env_service.suites.actplan.lcs.encoder import find_source
from env_service.suites.actplan.learned.classifier import (
    ALL,
    Classifier,
    ClassifierError,
    Cut,
    Example,
    Group,
    LabelledSteps,
    TrainingRecipe,
    evaluate,
)
from env_service.suites.actplan.learned.training import (
    BEST,
    LAST,
    LOG,
    Epoch,
    Material,
    Training,
    TrainingError,
    Watch,
)
from tests.support.extras import extra_module
from tests.support.tiny_bert import write_tiny_bert

extra_module("torch")
extra_module("transformers")

THINGS = ("cup", "plate", "book", "sock", "candle", "ball")
RECIPE = TrainingRecipe(epochs=7, batch=8, learning_rate=3e-3, dropout=0.0, most_tokens=64)


def plan(thing: str, place: str, *more: str) -> tuple[str, ...]:
    """Three steps and some more."""
    return (f"walk_to({thing})", f"grab({thing})", f"place_inside({place}, {thing})", *more)


def toy(rng: np.random.Generator) -> Material:
    """Plans are wrong exactly where they use the bin: separable by a word."""
    groups = []
    for _ in range(120):
        thing = str(rng.choice(THINGS))
        groups.append(
            Group((plan(thing, "box"), plan(thing, "box", "wait()")), (), (plan(thing, "bin"),))
        )
    val = []
    for thing in THINGS:
        for place in ("box", "bin", "bin"):
            texts = " ".join(plan(thing, "box")), " ".join(plan(thing, place, "wait()"))
            model = "gemini" if thing < "c" else "gpt-4v"
            val.append(LabelledSteps(thing, thing, model, Example(*texts, place == "box")))
    return Material(groups, val)


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with a tiny encoder."""
    words = ("walk_to", "grab", "place_inside", "wait", "box", "bin", *THINGS)
    return str(write_tiny_bert(tmp_path_factory.mktemp("bert"), words))


@pytest.fixture
def material() -> Material:
    """The toy."""
    return toy(np.random.default_rng(0))


def training(
    bert: str, folder: Path, material: Material, recipe: TrainingRecipe = RECIPE
) -> Training:
    """A training that has not begun."""
    return Training(folder, Classifier.fresh(find_source(bert), recipe, "cpu"), material)


def test_a_separable_toy_is_learned_and_kept(bert: str, tmp_path: Path, material: Material) -> None:
    run = training(bert, tmp_path, material)
    before = evaluate(run.classifier, material.val)[-1]
    run.run()
    kept = Classifier.load(tmp_path / BEST, "cpu")
    *_, after = evaluate(kept, material.val)
    assert after.model == ALL
    assert after.confusion.mcc > 0.9 > before.confusion.mcc
    assert after.confusion.accuracy > after.confusion.baseline
    log = [json.loads(line) for line in (tmp_path / LOG).read_text().splitlines()]
    assert [line["epoch"] for line in log] == list(range(1, RECIPE.epochs + 1))
    best = max(log, key=lambda line: line["val"]["mcc"])
    assert best["epoch"] == run.best_epoch
    assert best["val"]["mcc"] == pytest.approx(after.confusion.mcc)


def test_what_is_saved_says_the_same_when_it_is_loaded(bert: str, tmp_path: Path) -> None:
    made = Classifier.fresh(find_source(bert), replace(RECIPE, cut=Cut.START), "cpu")
    pairs = [Example("grab(cup)", "grab(cup) wait()", True), Example("wait()", "grab(sock)", False)]
    made.save(tmp_path)
    loaded = Classifier.load(tmp_path, "cpu")
    assert loaded.probabilities(pairs) == pytest.approx(made.probabilities(pairs), abs=1e-6)
    assert loaded.origin == made.origin
    assert len(loaded.tokenizer) == len(made.tokenizer)


def test_an_interrupted_training_comes_to_the_same(
    bert: str, tmp_path: Path, material: Material
) -> None:
    short = replace(RECIPE, epochs=2)
    small = Material(material.train[:10], material.val)
    whole = training(bert, tmp_path / "whole", small, short)
    whole.run()

    def stop(_epoch: Epoch) -> None:
        raise KeyboardInterrupt

    cut = training(bert, tmp_path / "cut", small, short)
    cut.watch = Watch(epoch=stop)
    with pytest.raises(KeyboardInterrupt):
        cut.run()
    again = training(bert, tmp_path / "cut", small, short)
    assert again.resume()
    assert again.done == 1
    again.run()
    one, other = ((tmp_path / name / LOG).read_text().splitlines() for name in ("whole", "cut"))
    losses = [[json.loads(line)["loss"] for line in lines] for lines in (one, other)]
    assert losses[0] == pytest.approx(losses[1], abs=1e-5)


def test_another_recipe_does_not_go_on(bert: str, tmp_path: Path, material: Material) -> None:
    small = Material(material.train[:4], material.val)
    training(bert, tmp_path, small, replace(RECIPE, epochs=1)).run()
    other = training(bert, tmp_path, small, replace(RECIPE, seed=1))
    with pytest.raises(TrainingError, match="seed was 0, now 1"):
        other.resume()
    longer = training(bert, tmp_path, small, replace(RECIPE, epochs=9))
    assert longer.resume()
    (tmp_path / LAST).write_bytes(b"nothing")
    with pytest.raises(TrainingError, match="cannot resume from"):
        longer.resume()


def test_pairs_that_are_cut_are_counted(bert: str) -> None:
    made = Classifier.fresh(find_source(bert), replace(RECIPE, most_tokens=512), "cpu")
    assert made.most_tokens == 96
    long = Example("grab(cup) " * 40, "wait()", True)
    assert made.too_long([long, Example("grab(cup)", "wait()", True)]) == 1
    assert 0.0 <= made.probabilities([long])[0] <= 1.0


def test_a_folder_that_holds_no_classifier_is_told(tmp_path: Path, bert: str) -> None:
    with pytest.raises(ClassifierError, match=r"classifier\.json is missing"):
        Classifier.load(tmp_path, "cpu")
    Classifier.fresh(find_source(bert), RECIPE, "cpu").save(tmp_path)
    (tmp_path / "head.pt").unlink()
    with pytest.raises(ClassifierError, match="no whole classifier"):
        Classifier.load(tmp_path, "cpu")


@pytest.mark.parametrize("part", ["train", "val"])
def test_nothing_to_learn_from_is_told(bert: str, tmp_path: Path, part: str) -> None:
    full = toy(np.random.default_rng(0))
    with pytest.raises(TrainingError, match="no plans"):
        training(bert, tmp_path, replace(full, **{part: ()}))
