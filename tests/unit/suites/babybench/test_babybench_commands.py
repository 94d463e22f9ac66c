"""``houseguest babybench``: what it makes, and what it says of wrong words."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from env_service.cli.errors import translated
from env_service.suites.babybench.commands import babybench_command
from env_service.suites.babybench.dataset import builder, formats
from env_service.suites.babybench.dataset.rows import Recipe

SMALL = ("--task", "predict", "--levels", "GoToObj", "--seeds", "1-3", "--jobs", "1")


def babybench(*arguments: object) -> int:
    """Runs a command line as ``houseguest babybench`` does, in this process."""
    try:
        with translated():
            status = babybench_command.main(list(map(str, arguments)), standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    return int(status or 0)


def test_it_writes_the_files_and_tells_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert babybench("generate", *SMALL, "--out", tmp_path / "set") == 0
    told = capsys.readouterr()
    assert told.out.startswith("3 rows, content ")
    for name in ("predict.csv", "predict.jsonl", "manifest.json"):
        assert str(tmp_path / "set" / name) in told.out
        assert (tmp_path / "set" / name).is_file()
    assert "making rows: 3 of 3" in told.err
    assert babybench("verify", tmp_path / "set", "--regenerate", "2") == 0
    assert "predict.csv, predict.jsonl: 3 rows, as the manifest says" in capsys.readouterr().out


def test_the_same_command_leaves_a_finished_set_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert babybench("generate", *SMALL, "--out", tmp_path) == 0
    first = capsys.readouterr()
    assert babybench("generate", *SMALL, "--out", tmp_path) == 0
    again = capsys.readouterr()
    assert again.out == first.out
    assert again.err == ""


def test_json_is_one_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert babybench("generate", *SMALL, "--format", "csv", "--out", tmp_path, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["rows"] == 3
    assert told["files"] == [str(tmp_path / "predict.csv")]
    assert babybench("verify", tmp_path, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["content_sha256"] == told["content_sha256"]
    assert found["findings"] == []


def test_verify_names_what_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert babybench("generate", *SMALL, "--format", "csv", "--out", tmp_path) == 0
    (tmp_path / "predict.csv").unlink()
    capsys.readouterr()
    assert babybench("verify", tmp_path) == 1
    assert "differs: predict.csv: the file is missing" in capsys.readouterr().err
    assert babybench("verify", tmp_path.parent) == 2
    assert "no finished data set" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            ("--levels", "GoToRedball"),
            "Did you mean 'GoToRedBall'? Valid: GoToObj, ",
        ),
        (("--levels", "Small-4Dists"), "No level of the question 'predict' named 'Small-4Dists'"),
        (("--seeds", "1-4294967296"), "the valid ones are 0 to 2147483647"),
        (("--seeds", "ten"), "such as 1-500"),
        (("--formatter", "prose"), "'structured', 'narrative', 'json'"),
        (("--format", "xlsx"), "Valid: parquet, csv, jsonl"),
        (("--task", "count"), "'predict', 'plan', 'decompose'"),
        (("--expert", "best"), "'fixed', 'compat'"),
    ],
)
def test_wrong_words_are_refused_with_the_valid_ones(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    changed: tuple[str, str],
    words: str,
) -> None:
    assert babybench("generate", *SMALL, *changed, "--out", tmp_path / "set") == 2
    assert words in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "set").exists()


def test_another_set_in_the_folder_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert babybench("generate", *SMALL, "--out", tmp_path) == 0
    capsys.readouterr()
    assert babybench("generate", *SMALL, "--seeds", "1-4", "--out", tmp_path) == 2
    told = capsys.readouterr().err
    assert "seeds: 1-3 there, 1-4 asked for" in told
    assert "Choose another folder" in told


def test_parquet_without_its_library_is_said_before_any_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "find_spec", lambda _: None)
    assert babybench("generate", *SMALL, "--format", "parquet", "--out", tmp_path / "set") == 2
    assert "pip install 'houseguest[parquet]'" in capsys.readouterr().err
    assert not (tmp_path / "set").exists()


def test_rows_that_cannot_be_made_are_named_and_the_status_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(_recipe: Recipe, _level: str, seed: int) -> None:
        raise LookupError(f"nothing at {seed}")

    monkeypatch.setattr(builder, "make_row", break_down)
    assert babybench("generate", *SMALL, "--out", tmp_path) == 1
    told = capsys.readouterr()
    assert told.out.startswith("0 rows, ")
    assert "not made: GoToObj/2: LookupError: nothing at 2" in told.err


def test_an_interruption_keeps_what_was_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_row = builder.make_row
    wide = (*SMALL, "--seeds", "1-25", "--out", tmp_path)

    def stop(recipe: Recipe, level: str, seed: int) -> object:
        if seed == 15:
            raise KeyboardInterrupt
        return make_row(recipe, level, seed)

    with monkeypatch.context() as patched:
        patched.setattr(builder, "make_row", stop)
        assert babybench("generate", *wide) == 130
    assert "Interrupted: 10 of 25 rows are kept" in capsys.readouterr().err
    assert babybench("generate", *wide) == 0
    told = capsys.readouterr()
    assert "making rows: 15 of 15" in told.err
    assert told.out.startswith("25 rows, ")
