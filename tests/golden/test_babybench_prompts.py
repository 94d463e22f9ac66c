"""Each prompter's prompt to each question, to the letter; what the house tells stands as a mark.

``UPDATE_GOLDEN=1 pytest tests/golden/test_babybench_prompts.py`` writes the texts anew: read what
changed before keeping it, and raise the version in the prompt set's prompt.toml.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.unit.agents.model_guest.babybench_episodes import (
    PROMPTERS,
    QUESTIONS,
    converse,
    question_episode,
    texts,
)

HERE = Path(__file__).parent


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_prompts_are_as_they_were(question: str) -> None:
    prompts = (
        f"===== {prompter}\n{texts(converse(question_episode(question, prompter)).messages())}\n"
        for prompter in PROMPTERS
    )
    text = "\n".join(prompts)
    path = HERE / f"babybench_{question}.txt"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
