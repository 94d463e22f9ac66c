"""What an agent in bubblewrap sees of this machine's files."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path, PurePosixPath

import pytest

import env_service
from env_service.sandbox.bwrap.filesystem_view import (
    FilesystemView,
    add_mounts,
    base_operations,
    command_view,
    find_program,
)
from env_service.sandbox.errors import AgentStartError
from env_service.sandbox.options import ReadOnlyMount

CHECKOUT = Path(env_service.__file__).parents[1]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home folder, which is the current one."""
    home = tmp_path / "me"
    (home / "project").mkdir(parents=True)
    (home / "project" / "agent.py").write_text("")
    (home / "diary.txt").write_text("")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home)
    return home


def shown(*command: str) -> dict[PurePosixPath, Path]:
    """What the words after the program add."""
    program = shutil.which("sh") or "/bin/sh"
    return command_view([program, *command])[0].shown


def test_a_script_brings_its_folder(home: Path) -> None:
    assert PurePosixPath(home / "project") in shown("project/agent.py")


def test_a_script_right_in_the_home_folder_comes_alone(home: Path) -> None:
    seen = shown("diary.txt")
    assert PurePosixPath(home / "diary.txt") in seen
    assert PurePosixPath(home) not in seen


@pytest.mark.parametrize("word", ["/", "/tmp", "/home", ".", "..", "/proc", "--folder=/"])
def test_nobody_is_shown_a_whole_home_or_machine(home: Path, word: str) -> None:
    assert shown(word) == {}


def test_a_folder_in_an_option_is_shown(home: Path) -> None:
    assert PurePosixPath(home / "project") in shown(f"--weights={home}/project")


def test_a_module_is_found_where_it_would_be(home: Path) -> None:
    assert PurePosixPath(home / "project") in shown("-m", "project.agent")


def test_words_that_could_be_no_file_are_left_alone(home: Path) -> None:
    assert shown("x" * 5000, "a\nb", "") == {}


def test_of_the_service_itself_an_agent_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)
    view, _ = command_view([sys.executable, "pyproject.toml"])
    binds = [each[2] for each in view.operations() if each[0] == "--ro-bind"]
    assert str(CHECKOUT) not in binds
    assert str(CHECKOUT / "pyproject.toml") in binds


def test_a_python_brings_its_packages() -> None:
    import grpc  # noqa: PLC0415 - for its place

    needs = find_program(sys.executable).needs
    assert any(Path(grpc.__file__).is_relative_to(each) for each in needs)
    assert Path(sys.prefix) in needs


def test_a_script_brings_what_runs_it(tmp_path: Path) -> None:
    script = tmp_path / "tool"
    script.write_text(f"#!{sys.executable}\n")
    script.chmod(0o755)
    assert Path(sys.prefix) in find_program(str(script)).needs


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(AgentStartError, match="program no-such-program does not exist"):
        find_program("no-such-program")


def test_something_hidden_lies_over_what_shows_it(tmp_path: Path) -> None:
    view = FilesystemView()
    runs = tmp_path / "project" / "runs"
    runs.mkdir(parents=True)
    view.show(tmp_path / "project")
    view.hide(runs)
    assert list(view.operations()) == [
        ("--ro-bind", f"{tmp_path}/project", f"{tmp_path}/project"),
        ("--tmpfs", str(runs)),
        ("--remount-ro", str(runs)),
    ]


def test_something_shown_may_lie_in_something_hidden(tmp_path: Path) -> None:
    view = FilesystemView()
    inner = tmp_path / "a" / "b" / "c"
    inner.mkdir(parents=True)
    view.show(tmp_path / "a")
    view.hide(tmp_path / "a" / "b")
    view.show(inner)
    kinds = [(each[0], each[-1]) for each in view.operations()]
    assert kinds.index(("--ro-bind", str(inner))) > kinds.index(("--tmpfs", f"{tmp_path}/a/b"))


def test_what_is_not_seen_needs_no_hiding(tmp_path: Path) -> None:
    view = FilesystemView()
    view.hide(tmp_path)
    assert list(view.operations()) == []


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    view = FilesystemView()
    view.show(tmp_path / "link")
    assert PurePosixPath(tmp_path / "real") in view.shown


@pytest.mark.parametrize("target", ["/tmp", "/tmp/x", "/", "/usr/lib", "/etc", "/proc", "/dev/shm"])
def test_a_mount_takes_nobodys_place(tmp_path: Path, target: str) -> None:
    with pytest.raises(AgentStartError, match="choose another place"):
        add_mounts(FilesystemView(), [ReadOnlyMount(tmp_path, PurePosixPath(target))])


def test_a_mount_shows_a_folder_elsewhere(tmp_path: Path) -> None:
    view = FilesystemView()
    add_mounts(view, [ReadOnlyMount(tmp_path, PurePosixPath("/data"))])
    assert list(view.operations()) == [("--ro-bind", str(tmp_path), "/data")]


def test_a_mount_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(AgentStartError, match="no such file or folder"):
        add_mounts(FilesystemView(), [ReadOnlyMount(tmp_path / "x", PurePosixPath("/data"))])


def test_of_etc_there_is_nothing_about_users() -> None:
    places = [each[-1] for each in base_operations(10001)]
    assert "/etc" not in places
    assert "/etc/shadow" not in places
    passwd = next(each for each in base_operations(10001) if each[-1] == "/etc/passwd")
    assert passwd[0] == "--ro-bind-data"
    assert "root" not in passwd[1]


def test_a_python_sees_the_prompts_of_suites_and_nothing_else_of_the_service() -> None:
    view, _ = command_view([sys.executable, "-c", "pass"])
    service = PurePosixPath(Path(env_service.__file__).parent)
    seen = [place for place in view.shown if place.is_relative_to(service)]
    assert service / "suites/asgard/prompts" in seen
    assert {place.name for place in seen} == {"prompts"}
    assert service in view.hidden
