"""How a task's command is worded."""

from __future__ import annotations

import pytest

from env_service.suites.alfred.command_wordings import (
    NoCommandError,
    Wording,
    command_of,
    split_context,
    whole_command,
)
from env_service.suites.alfred.task import AlfredTask, Goal, SceneSetup, TaskType

CONTEXT = "After dinner the lamp by the bed is all the light there is."
REST = "Would you look at my book there?"
TASK = AlfredTask(
    "trial_1",
    Goal(TaskType.LOOK, "Book", toggle="DeskLamp"),
    SceneSetup("FloorPlan301"),
    commands={"B": "Examine the book.", "C": f"{CONTEXT} {REST}", "K": "책을 보세요."},
    originals=("Look at a book.", "Hold the book to the lamp."),
)


def test_each_wording_has_its_text_and_language() -> None:
    assert command_of(TASK, Wording.BASE).text == "Examine the book."
    assert command_of(TASK, Wording.BASE).language == "en"
    assert command_of(TASK, Wording.KOREAN).language == "ko"
    assert command_of(TASK, Wording.CONTEXTUAL).text == f"{CONTEXT} {REST}"


def test_without_context_the_first_sentence_is_left_out_and_kept_for_the_answer() -> None:
    command = command_of(TASK, Wording.WITHOUT_CONTEXT)
    assert (command.text, command.context) == (REST, CONTEXT)


def test_a_sentence_that_was_left_out_can_be_put_back() -> None:
    without = command_of(TASK, Wording.WITHOUT_CONTEXT)
    assert whole_command(TASK, without) == command_of(TASK, Wording.CONTEXTUAL)
    base = command_of(TASK, Wording.BASE)
    assert whole_command(TASK, base) == base


@pytest.mark.parametrize("end", [".", "!", "?"])
def test_a_sentence_ends_with_a_mark_and_a_blank(end: str) -> None:
    assert split_context(f"It is 7.30 now{end} Bring the cup.") == (
        f"It is 7.30 now{end}",
        "Bring the cup.",
    )


def test_one_sentence_has_no_context() -> None:
    assert split_context("Bring the cup.") == ("", "Bring the cup.")


def test_a_wording_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(NoCommandError, match="no command in the wording P1; it has B, C, K"):
        command_of(TASK, Wording.PARAPHRASE_1)


def test_an_original_has_to_be_one_of_them() -> None:
    with pytest.raises(NoCommandError, match="trial_1/N, with N below 2"):
        command_of(TASK, Wording.ORIGINAL)
