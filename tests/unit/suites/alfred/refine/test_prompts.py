"""Sets of prompts: the packaged one, and a user's own."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from env_service.chat.templates import TemplatesError
from env_service.suites.alfred.refine.prompts import NAMES, VERSION, Prompts
from env_service.suites.alfred.refine.sources import Source
from env_service.suites.alfred.task import Goal, TaskType

MUG = Source("t1", Goal(TaskType.HEAT, "Mug", "Shelf"), "1. PutObject(mug,shelf)", ("Go.",))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the packaged prompts."""
    for name in NAMES:
        text = (files("env_service.suites.alfred.refine") / "prompts" / f"{name}.jinja").read_text(
            "utf-8"
        )
        (tmp_path / f"{name}.jinja").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_copy_has_the_same_digest_and_no_version(folder: Path) -> None:
    assert Prompts(folder).digest == Prompts().digest
    assert (Prompts(folder).version, Prompts().version) == ("own", VERSION)


def test_every_word_changes_the_digest(folder: Path) -> None:
    file = folder / "families.jinja"
    file.write_text(file.read_text("utf-8") + "Be brief.", encoding="utf-8")
    own = Prompts(folder)
    assert own.digest != Prompts().digest
    assert "Be brief." in own.base(MUG)[0].text


def test_a_missing_prompt_is_named(folder: Path) -> None:
    (folder / "korean.system.jinja").unlink()
    with pytest.raises(TemplatesError, match=r"korean\.system\.jinja cannot be read"):
        Prompts(folder)


@pytest.mark.parametrize("text", ["{{ goal }}", "{% for %}", "{{ ''.__class__.mro() }}"])
def test_a_prompt_that_cannot_be_filled_in_is_named(folder: Path, text: str) -> None:
    (folder / "base.ask.jinja").write_text(text, encoding="utf-8")
    with pytest.raises(TemplatesError, match=r"base\.ask\.jinja cannot be filled in"):
        Prompts(folder).base(MUG)


def test_what_a_command_says_is_no_template() -> None:
    command = "{{ 7 * 7 }} {% include 'families.jinja' %}"
    assert Prompts().integrity(MUG, command)[1].text.endswith(command)
