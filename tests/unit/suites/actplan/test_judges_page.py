"""docs/actplan-judges.md describes what the judges of texts do."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.suites.actplan.commands.lcs import lcs_command
from env_service.suites.actplan.judges.calibration import LEAST
from env_service.suites.actplan.judges.judgement import ErrorClass
from env_service.suites.actplan.lcs.encoder import MOST_TOKENS, PACKAGE
from env_service.suites.actplan.lcs.scorer import THRESHOLD, Mode
from env_service.suites.actplan.learned.classifier import TrainingRecipe

DOCS = Path(__file__).resolve().parents[4] / "docs"
PAGE = (DOCS / "actplan-judges.md").read_text("utf-8")


@pytest.mark.parametrize("kind", ErrorClass, ids=lambda kind: kind.value)
def test_each_error_class_is_told(kind: ErrorClass) -> None:
    assert f"| `{kind.value}` |" in PAGE


@pytest.mark.parametrize("mode", Mode, ids=lambda mode: mode.value)
def test_each_mode_is_told(mode: Mode) -> None:
    assert f"`{mode.value}`" in PAGE


def test_defaults_are_told() -> None:
    assert f"cosine of {THRESHOLD:g} or more" in PAGE
    assert f"at most {MOST_TOKENS} tokens" in PAGE
    assert f"the default is {TrainingRecipe().learning_rate:g}".replace("e-06", "e-6") in PAGE
    assert PACKAGE in PAGE
    assert LEAST == 10
    assert "ten correct and ten incorrect" in PAGE.replace("\n", " ")


def test_the_commands_default_threshold_is_the_judges() -> None:
    (threshold,) = (each for each in lcs_command.params if each.name == "threshold")
    assert threshold.default == THRESHOLD
