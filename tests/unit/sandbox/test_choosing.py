"""What of an agent's options reaches its command, and what defines the run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from env_service.sandbox.agent_manifest import AgentOption, ChosenOptions, choose
from env_service.sandbox.errors import AgentSpecError

MODEL = AgentOption("--model")
HEAT = AgentOption("--temperature", type="float", default="0")
WAIT = AgentOption("--wait", identity=False)
STOP = AgentOption("--stop", multiple=True)
GUIDED = AgentOption("--guided", flag=True)
CACHE = AgentOption("--cache", path=True)
PROMPTS = AgentOption("--prompts", path=True, content=True)


def test_nothing_given_is_nothing_added() -> None:
    assert choose([MODEL, HEAT, GUIDED, PROMPTS], {}) == ChosenOptions((), "")


def test_the_manifests_order_counts_not_the_one_typed() -> None:
    one = choose([MODEL, HEAT], {"--temperature": ("1",), "--model": ("x",)})
    other = choose([MODEL, HEAT], {"--model": ("x",), "--temperature": ("1",)})
    assert (
        one
        == other
        == ChosenOptions(("--model", "x", "--temperature", "1.0"), "--model x --temperature 1.0")
    )


def test_a_number_has_one_spelling() -> None:
    labels = {choose([HEAT], {"--temperature": (text,)}).label for text in ("0.70", ".7", "7e-1")}
    assert labels == {"--temperature 0.7"}


@pytest.mark.parametrize("text", ["0", "0.0", "0e3"])
def test_a_declared_default_is_passed_on_but_defines_nothing(text: str) -> None:
    assert choose([HEAT], {"--temperature": (text,)}) == ChosenOptions(("--temperature", "0.0"), "")


def test_a_default_in_words_equals_no_number() -> None:
    heat = AgentOption("--temperature", type="float", default="the server's")
    assert choose([heat], {"--temperature": ("0",)}).label == "--temperature 0.0"


def test_a_default_without_end_is_one() -> None:
    wait = AgentOption("--wait", type="float", default="inf")
    assert choose([wait], {}) == ChosenOptions((), "")
    assert choose([wait], {"--wait": ("inf",)}) == ChosenOptions(("--wait", "inf"), "")


@pytest.mark.parametrize("text", ["warm", "nan", "inf", "1e999"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(AgentSpecError, match=f"--temperature {text}"):
        choose([HEAT], {"--temperature": (text,)})


def test_what_is_no_part_of_the_identity_is_only_passed_on() -> None:
    assert choose([MODEL, WAIT], {"--wait": ("9",), "--model": ("x",)}) == ChosenOptions(
        ("--model", "x", "--wait", "9"), "--model x"
    )


def test_a_flag_has_no_value() -> None:
    assert choose([GUIDED], {"--guided": ("",)}) == ChosenOptions(("--guided",), "--guided")


def test_a_repeated_option_keeps_its_order() -> None:
    chosen = choose([STOP], {"--stop": ("b", "a b")})
    assert chosen.words == ("--stop", "b", "--stop", "a b")
    assert chosen.label == "--stop b --stop 'a b'"


def test_a_value_like_an_option_stays_a_value() -> None:
    assert choose([MODEL], {"--model": ("-1",)}).words == ("--model=-1",)


def test_a_path_is_the_same_from_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path)
    one = choose([CACHE], {"--cache": ("new",)})
    monkeypatch.chdir(tmp_path / "below")
    assert one == choose([CACHE], {"--cache": ("../new",)})
    assert one.words == ("--cache", str(tmp_path / "new"))


def test_a_path_typed_like_the_default_is_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent's own default lies wherever the agent has it, not in the user's folder."""
    monkeypatch.chdir(tmp_path)
    cache = AgentOption("--cache", path=True, default="cache")
    assert choose([cache], {}).label == ""
    assert choose([cache], {"--cache": ("cache",)}).label == f"--cache {tmp_path / 'cache'}"


@pytest.mark.parametrize("option", [CACHE, PROMPTS], ids=["path", "content"])
def test_an_empty_path_is_not_the_current_folder(option: AgentOption) -> None:
    with pytest.raises(AgentSpecError, match="the path is empty"):
        choose([option], {option.name: ("",)})


class TestContent:
    def label(self, path: Path) -> str:
        chosen = choose([PROMPTS], {"--prompts": (str(path),)})
        assert chosen.words == ("--prompts", str(path))
        return chosen.label

    @pytest.fixture
    def prompts(self, tmp_path: Path) -> Path:
        folder = tmp_path / "prompts"
        (folder / "babyai").mkdir(parents=True)
        (folder / "babyai" / "system.txt").write_text("You are in a grid.", encoding="utf-8")
        return folder

    def test_a_folder_is_known_by_what_it_holds(self, prompts: Path) -> None:
        before = self.label(prompts)
        assert before.startswith("--prompts sha256:")
        moved = prompts.rename(prompts.with_name("elsewhere"))
        assert self.label(moved) == before

    @pytest.mark.parametrize(
        "edit",
        [
            lambda file: file.write_text("You are in a house.", encoding="utf-8"),
            lambda file: file.rename(file.with_name("user.txt")),
            lambda file: file.with_name("more.txt").touch(),
        ],
    )
    def test_an_edited_one_is_another(self, prompts: Path, edit: object) -> None:
        before = self.label(prompts)
        edit(prompts / "babyai" / "system.txt")  # type: ignore[operator]
        assert self.label(prompts) != before

    def test_what_an_editor_leaves_behind_does_not_count(self, prompts: Path) -> None:
        before = self.label(prompts)
        (prompts / ".system.txt.swp").touch()
        (prompts / ".git").mkdir()
        (prompts / ".git" / "HEAD").touch()
        assert self.label(prompts) == before

    def test_linked_folders_count_and_loops_end(self, prompts: Path, tmp_path: Path) -> None:
        before = self.label(prompts)
        (tmp_path / "more").mkdir()
        (prompts / "linked").symlink_to(tmp_path / "more")
        (prompts / "loop").symlink_to(prompts)
        assert self.label(prompts) == before, "they hold no file of their own yet"
        (tmp_path / "more" / "hint.txt").write_text("Look around.", encoding="utf-8")
        assert self.label(prompts) != before

    def test_a_file_is_known_by_its_bytes(self, tmp_path: Path) -> None:
        file = tmp_path / "prompt.txt"
        file.write_bytes(b"abc")
        # The SHA-256 of "abc": FIPS 180-4, its first example.
        assert self.label(file) == "--prompts sha256:ba7816bf8f01"

    def test_one_that_does_not_exist_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(AgentSpecError, match=r"--prompts .*nowhere: there is no such file"):
            self.label(tmp_path / "nowhere")

    def test_a_link_to_itself_is_no_file(self, tmp_path: Path) -> None:
        (tmp_path / "loop").symlink_to("loop")
        with pytest.raises(AgentSpecError, match=r"loop: there is no such file"):
            self.label(tmp_path / "loop")

    def test_nobody_waits_for_a_pipe(self, prompts: Path) -> None:
        pipe = prompts / "pipe"
        os.mkfifo(pipe)
        with pytest.raises(AgentSpecError, match=r"pipe: there is no such file"):
            self.label(pipe)
        with pytest.raises(OSError, match="only plain files are read") as caught:
            self.label(prompts)
        assert caught.value.filename == str(pipe)
