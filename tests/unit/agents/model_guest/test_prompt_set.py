"""Prompt sets: what is read, what is declared, what is wrong."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from houseguest_agent import Mode
from model_guest.answers.reader import Form
from model_guest.prompt_manifest import MANIFEST, PromptError
from model_guest.prompt_set import (
    DEFAULT_FOLDER,
    VARIABLE,
    PromptLibrary,
    PromptSet,
    prompt_folders,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DEFAULT_FOLDER, tmp_path / "mine"))


@pytest.mark.parametrize("path", prompt_folders().values())
def test_every_set_of_ours_loads(path: Path) -> None:
    prompts = PromptSet(path)
    assert prompts.manifest.version
    assert len(prompts.digest) == 64


def test_the_digest_changes_with_any_file(folder: Path) -> None:
    before = PromptSet(folder).digest
    assert PromptSet(folder).digest == before
    (folder / "system.jinja").write_text("Other words.", encoding="utf-8")
    changed = PromptSet(folder).digest
    assert changed != before
    (folder / "examples.txt").write_text("one", encoding="utf-8")
    assert PromptSet(folder).digest not in (before, changed)


def test_what_a_folder_lacks_the_default_set_lends(folder: Path) -> None:
    (folder / "retry.jinja").unlink()
    assert "No action could be read" in PromptSet(folder).render("retry", form="json")


def test_settings_take_fields_out() -> None:
    prompts = PromptSet(DEFAULT_FOLDER, {"plan": "off", "memory": "on"})
    form = prompts.answer_form(Mode.STEPWISE, {})
    assert form.form is Form.JSON
    assert form.fields == ("thought", "memory")
    assert prompts.configuration()["prompt.plan"] == "off"
    assert prompts.answer_form(Mode.STEPWISE, {"memory": "off"}).fields == ("thought",)


def test_a_setting_follows_the_condition_that_has_its_name(folder: Path) -> None:
    prompts = PromptSet(folder, {"plan": "on"})
    assert prompts.settle({"memory": "on"})["memory"] == "on"
    assert prompts.settle({})["memory"] == "off"
    assert prompts.settle({"memory": "sometimes"})["memory"] == "off"
    assert prompts.settle({"plan": "off"})["plan"] == "off"
    assert PromptSet(folder, {"memory": "off"}).settle({"memory": "on"})["memory"] == "off"


def test_a_setting_may_choose_the_form(folder: Path) -> None:
    manifest = (folder / MANIFEST).read_text(encoding="utf-8")
    more = '[settings.style]\ndescription = "d"\nvalues = ["json", "text"]\n'
    more += '[stepwise.where.style.text]\nform = "words"\n'
    (folder / MANIFEST).write_text(manifest + more, encoding="utf-8")
    assert PromptSet(folder).answer_form(Mode.STEPWISE, {}).form is Form.JSON
    prompts = PromptSet(folder, {"style": "text"})
    assert prompts.answer_form(Mode.STEPWISE, {}).form is Form.WORDS


@pytest.mark.parametrize(
    ("chosen", "words"),
    [({"plans": "on"}, "no setting 'plans'"), ({"plan": "maybe"}, "values: on, off")],
)
def test_settings_that_are_not_on_offer(chosen: dict[str, str], words: str) -> None:
    with pytest.raises(PromptError, match=words):
        PromptSet(DEFAULT_FOLDER, chosen)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "version must be a text"),
        ("version = ", "cannot read"),
        ('version = "1"\ndescription = "d"\nlayouts = 1', "unknown name 'layouts'"),
        ('version = "1"\ndescription = "d"\nlayout = "x"', "chat or single"),
        ('version = "1"\ndescription = "d"\n[stepwise]\nform = "xml"', "xml"),
        ('version = "1"\ndescription = "d"\n[stepwise]\nfields = ["plans"]', "'plans'"),
        ('version = "1"\ndescription = "d"\n[history]\nturns = -1', "history.turns"),
        ('version = "1"\ndescription = "d"\n[history]\nrepeats = 0', "history.repeats"),
        ('version = "1"\ndescription = "d"\n[stepwise]\npattern = "("', "not a regular expression"),
        ('version = "1"\ndescription = "d"\n[stepwise]\npattern = "a"', "needs a group"),
        ('version = "1"\ndescription = "d"\n[stepwise.where.x.on]\nform = "json"', "'x'"),
        ('version = "1"\ndescription = "d"\n[stepwise.sections.plan]\nuntil = []', "start must"),
    ],
)
def test_a_bad_manifest_is_named(folder: Path, text: str, words: str) -> None:
    (folder / MANIFEST).write_text(text, encoding="utf-8")
    with pytest.raises(PromptError, match=words) as caught:
        PromptSet(folder)
    assert str(folder) in str(caught.value)


def test_a_template_that_is_wrong_is_named(folder: Path) -> None:
    (folder / "turn.jinja").write_text("{% if %}", encoding="utf-8")
    with pytest.raises(PromptError, match="line 1"):
        PromptSet(folder)
    (folder / "turn.jinja").write_text("{{ nobody }}", encoding="utf-8")
    with pytest.raises(PromptError, match=r"turn\.jinja.*'nobody' is undefined"):
        PromptSet(folder).render("turn")


def test_templates_cannot_leave_the_sandbox(folder: Path) -> None:
    (folder / "turn.jinja").write_text(
        "{{ ''.__class__.__mro__[1].__subclasses__() }}", encoding="utf-8"
    )
    with pytest.raises(PromptError, match="SecurityError"):
        PromptSet(folder).render("turn")


def test_the_library_finds_the_suites_own_set() -> None:
    library = PromptLibrary(None, {"hints": "off"})
    assert library.find("babyai").name == "babyai"
    assert library.find("babyai").settings["hints"] == "off"
    assert library.find("unheard_of").name == "default"
    assert library.find("../babyai").name == "default"
    with pytest.raises(PromptError, match="no prompt set has a setting 'hint'"):
        PromptLibrary(None, {"hint": "off"})
    with pytest.raises(PromptError, match="hints cannot be 'maybe'; values: on, off"):
        PromptLibrary(None, {"hints": "maybe"})


def test_a_folder_of_ones_own_serves_every_suite(folder: Path) -> None:
    library = PromptLibrary(folder, {})
    assert library.find("babyai").folder == folder
    assert library.configuration()["prompts"] == "mine 1"


SUITES = ["actplan", "alfred", "asgard", "babyai", "babybench"]


def test_each_suite_brings_its_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    folders = prompt_folders()
    assert [*folders] == [*SUITES, "default"]
    for suite in SUITES:
        assert folders[suite].parts[-3:] == ("suites", suite, "prompts")
    found = PromptLibrary(None, {}).find("asgard")
    assert found.configuration()["prompts"].startswith("asgard ")


def test_an_agent_reads_the_prompts_of_a_suite_without_importing_it() -> None:
    program = "import sys; from model_guest.prompt_set import PromptLibrary as L"
    program += "; L(None, {}).find('asgard'); print('env_service' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.decode().strip() == "False"


def test_a_folder_of_prompt_sets_goes_before_what_is_installed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = folder.parent
    shutil.copytree(folder, place / "asgard")
    monkeypatch.setenv(VARIABLE, str(place))
    folders = prompt_folders()
    assert folders["mine"] == folder
    assert folders["asgard"] == place / "asgard"
    assert folders["babyai"] != place / "babyai"


def test_an_agent_says_where_it_looked_for_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("model_guest.prompt_set.entry_points", lambda **_: ())
    monkeypatch.setenv(VARIABLE, "/nowhere")
    lines: list[str] = []
    library = PromptLibrary(None, {}, log=lines.append)
    assert library.find("asgard").name == library.find("asgard").name == "default"
    (line,) = lines
    for words in ("suite asgard", "houseguest.prompts", "/nowhere", "--prompts DIR"):
        assert words in line
