"""A run's folder that came from elsewhere: pipes, devices, links and huge files in it."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from env_service.cli.main import run as houseguest
from env_service.results.manifest import read_manifest
from env_service.results.posthoc_scores import (
    PosthocScores,
    read_posthoc_scores,
    write_posthoc_scores,
)
from env_service.results.run_folder import RunFolder
from env_service.results.run_layout import (
    EPISODES,
    FRAMES,
    LOCK,
    LOGS,
    MANIFEST,
    SCORES,
    SUMMARY,
    TRANSCRIPTS,
    UNCOUNTED,
    VOIDS,
)
from env_service.results.verification import verify
from env_service.storage.plain_files import PlainFileError
from env_service.storage.signing_key import SigningKey
from tests.support.played_run import LAB, play_run

KEY = SigningKey.generate()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def unix_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
    finally:
        os.chdir(here)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def outward(path: Path) -> None:
    path.symlink_to("/etc/hostname")


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**40)


STRANGE: dict[str, Callable[[Path], None]] = {
    "pipe": pipe,
    "socket": unix_socket,
    "endless": endless,
    "outward": outward,
    "huge": huge,
    "folder": Path.mkdir,
}
JOURNALS = (MANIFEST, EPISODES, VOIDS, UNCOUNTED)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_run(tmp_path_factory.mktemp("original"), KEY)[0]


@pytest.fixture
def run(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "runs" / "run"))


def replaced(path: Path, kind: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    STRANGE[kind](path)


class Terminal:
    """Runs command lines, and keeps what they print."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: object) -> tuple[int, str]:
        self._capsys.readouterr()
        status = houseguest([str(word) for word in words])
        printed = self._capsys.readouterr()
        return status, printed.out + printed.err


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize("file", JOURNALS)
def test_no_command_waits_at_a_strange_file(
    run: Path, original: Path, command: Terminal, file: str, kind: str
) -> None:
    replaced(run / file, kind)

    told = [
        command("show", run),
        command("show", run.parent),
        command("report", run, "--out", run.parent.parent / "report"),
        command("compare", original, run),
    ]

    for status, printed in told:
        assert status == 1
        assert file in printed
    problems = verify(run, suite=LAB).problems
    assert any(each.file == file and each.what.startswith("cannot be read") for each in problems)


@pytest.mark.parametrize("kind", STRANGE)
def test_verification_reads_every_other_file_as_safely(run: Path, kind: str) -> None:
    transcript = next((run / TRANSCRIPTS).glob("*.jsonl"))
    picture = next(path for path in (run / "frames").rglob("*.*") if path.suffix != ".lock")
    for path in (run / SUMMARY, transcript, picture):
        replaced(path, kind)

    report = verify(run, suite=LAB)

    found = [str(problem) for problem in report.problems]
    assert any(each.startswith(f"{SUMMARY}: cannot be read: ") for each in found)
    assert any(each.startswith(f"{TRANSCRIPTS}/{transcript.name}: ") for each in found)
    assert any(picture.name in each and "cannot be read" in each for each in found)


def test_a_folder_of_transcripts_elsewhere_is_not_entered(run: Path, tmp_path: Path) -> None:
    (run / TRANSCRIPTS).rename(tmp_path / "elsewhere")
    (run / TRANSCRIPTS).symlink_to(tmp_path / "elsewhere")

    problems = verify(run, suite=LAB).problems

    assert any("its folder transcripts is a link" in each.what for each in problems)


@pytest.mark.parametrize("kind", ["pipe", "endless", "huge"])
def test_lost_guests_are_read_as_safely(run: Path, command: Terminal, kind: str) -> None:
    replaced(run / LOGS / "lost-guests.jsonl", kind)
    status, printed = command("show", run, "--guests")
    assert status == 1
    assert "lost-guests.jsonl" in printed


@pytest.mark.parametrize("kind", ["pipe", "endless", "huge", "outward"])
def test_added_scores_are_read_and_written_as_safely(run: Path, kind: str) -> None:
    replaced(run / SCORES / "lcs.json", kind)
    with pytest.raises(PlainFileError):
        read_posthoc_scores(run, "lcs")
    if kind != "huge":
        with pytest.raises(PlainFileError):
            write_posthoc_scores(run, PosthocScores("lcs", "made", {}, ()))


@pytest.mark.parametrize("kind", ["pipe", "endless", "outward", "socket"])
@pytest.mark.parametrize("file", [*JOURNALS, SUMMARY, LOCK, f"{LOGS}/service.log"])
def test_a_run_is_not_gone_on_with_at_a_strange_file(run: Path, file: str, kind: str) -> None:
    manifest = read_manifest(run)
    replaced(run / file, kind)
    with pytest.raises(PlainFileError):
        RunFolder(run, manifest, KEY)


@pytest.mark.parametrize("folder", [TRANSCRIPTS, FRAMES, LOGS])
def test_a_run_is_not_gone_on_with_in_a_folder_elsewhere(run: Path, folder: str) -> None:
    manifest = read_manifest(run)
    shutil.rmtree(run / folder)
    (run / folder).symlink_to(run.parent)
    with pytest.raises(PlainFileError):
        RunFolder(run, manifest, KEY)


@pytest.mark.parametrize("kind", STRANGE)
def test_a_strange_score_is_not_read(run: Path, command: Terminal, kind: str) -> None:
    score = run.parent / "score.json"
    STRANGE[kind](score)
    status, printed = command("verify", run.parent)
    assert status == 1
    assert f"{score}: " in printed


def test_the_error_is_told_as_json(run: Path, command: Terminal) -> None:
    replaced(run / MANIFEST, "pipe")
    document = json.loads(command("show", run, "--json")[1])
    assert "this is a pipe" in document["error"]["message"]
