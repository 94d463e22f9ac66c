"""The command table, exit statuses, and what errors look like."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module

import click
import pytest

from env_service.cli import main as command_line
from env_service.cli.errors import Failure, Interrupted, translated
from env_service.cli.main import cli, run
from env_service.domain.names import UnknownNameError
from env_service.evaluation.user_errors import MISUSE, PROBLEMS

NAMES = cli.list_commands(click.Context(cli))


def play(
    monkeypatch: pytest.MonkeyPatch, error: BaseException | None, result: object = None
) -> None:
    """Makes the command ``suites`` raise ``error``, or return ``result``."""

    @click.command("suites")
    @click.option("--json", "as_json", is_flag=True)
    def command(*, as_json: bool) -> object:
        if error is not None:
            raise error
        return result

    monkeypatch.setattr(command_line.CommandTable, "get_command", lambda *_: command)


def test_a_correct_command_exits_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["suites"]) == 0
    assert "babyai" in capsys.readouterr().out


@pytest.mark.parametrize(("command", "names"), [("--help", NAMES), ("suites", ("babyai",))])
def test_lists_import_nothing_heavy(command: str, names: Sequence[str]) -> None:
    code = (
        f"import sys; from env_service.cli.main import run; status = run(['{command}']);"
        "heavy = {'numpy', 'grpc', 'rich', 'minigrid', 'cryptography'} & set(sys.modules);"
        "sys.exit(f'loaded {heavy}' if heavy else status)"
    )
    program = [sys.executable, "-c", code]
    shown = subprocess.run(program, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
    assert all(re.search(rf"^ *{name} ", shown.stdout, re.MULTILINE) for name in names)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_examples_and_json(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.name == name
    assert f"houseguest {name}" in (command.epilog or "")
    for each in _leaves(command):
        assert f"houseguest {name}" in (each.epilog or "")
        assert "--json" in {option for parameter in each.params for option in parameter.opts}


def _leaves(command: click.Command) -> Iterator[click.Command]:
    """The commands that do something: those of groups, and of groups in groups."""
    if not isinstance(command, click.Group):
        yield command
        return
    for each in command.commands.values():
        yield from _leaves(each)


def test_an_unknown_command_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["expertt"]) == 2
    assert "Did you mean 'expert'?" in capsys.readouterr().err


def test_a_usage_error_begins_with_what_was_wrong_and_ends_with_what_to_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["tasks"]) == 2
    first, *_, last = capsys.readouterr().err.splitlines()
    assert first == "Error: Missing option '--suite'."
    assert last == "For help: houseguest tasks --help"


def test_a_group_without_a_command_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["queue"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("Usage: houseguest queue")
    assert "Error" not in error


def test_an_unknown_option_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tasks", "--sute", "babyai"]) == 2
    assert "--suite" in capsys.readouterr().err


def test_an_error_under_json_is_one_document_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tasks", "--suite", "babay", "--json"]) == 2
    printed = capsys.readouterr()
    error = json.loads(printed.out)["error"]
    assert error["kind"] == "UnknownNameError"
    assert error["nearest"] == "babyai"
    assert "babay" in error["message"]
    assert printed.err == ""


def test_an_unknown_option_under_json_is_a_document_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tasks", "--json", "--sute", "babyai"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert error == {
        "kind": "NoSuchOption",
        "message": error["message"],
        "nearest": "--suite",
    }


def test_json_behind_a_double_dash_is_no_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["suites", "--", "--json"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "--json" in printed.err


@pytest.mark.parametrize(("result", "status"), [(None, 0), (0, 0), (1, 1), ("text", 0)])
def test_a_commands_integer_result_is_the_exit_status(
    monkeypatch: pytest.MonkeyPatch, result: object, status: int
) -> None:
    play(monkeypatch, None, result)
    assert run(["suites"]) == status


def test_a_command_may_exit_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, SystemExit(1))
    assert run(["suites"]) == 1


def test_an_interruption_exits_with_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play(monkeypatch, KeyboardInterrupt())
    assert run(["suites"]) == 130
    assert "Interrupted" in capsys.readouterr().err


def test_an_interruption_that_says_more_exits_with_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play(monkeypatch, Interrupted("3 of 4 are written"))
    assert run(["suites", "--json"]) == 130
    error = json.loads(capsys.readouterr().out)["error"]
    assert error == {"kind": "Interrupted", "message": "3 of 4 are written"}


def test_a_reader_that_left_is_no_error(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    play(monkeypatch, BrokenPipeError())
    monkeypatch.setattr("os.dup2", lambda *_: None)
    assert run(["suites"]) == 141
    assert capfd.readouterr().err == ""


def test_a_missing_file_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play(monkeypatch, FileNotFoundError(2, "No such file or directory", "runs/x"))
    assert run(["suites"]) == 1
    assert capsys.readouterr().err == "Error: runs/x: No such file or directory\n"


def test_an_unforeseen_error_keeps_its_trace_and_says_so_under_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play(monkeypatch, LookupError("a bug"))
    with pytest.raises(LookupError):
        run(["suites", "--json"])
    assert json.loads(capsys.readouterr().out)["error"]["kind"] == "LookupError"


@pytest.mark.parametrize("name", (*MISUSE, *PROBLEMS))
def test_every_translated_exception_exists(name: str) -> None:
    module, _, attribute = name.rpartition(".")
    assert issubclass(getattr(import_module(module), attribute), Exception)


def test_a_subclass_is_translated_like_its_base() -> None:
    class StrangeNameError(UnknownNameError):
        pass

    with pytest.raises(Failure) as caught, translated():
        raise StrangeNameError("suite", "babay", ["babyai"])
    assert caught.value.exit_code == 2
    assert caught.value.nearest == "babyai"
    assert caught.value.kind == "UnknownNameError"
