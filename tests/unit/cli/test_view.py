"""`houseguest view` as a process: its address, its checks, its end."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from env_service.results.run_folder import RunFolder
from env_service.storage.signing_key import SigningKey
from tests.support.played_run import WINNING, Player, lab_manifest

VIEW = (sys.executable, "-m", "env_service", "view")


@contextmanager
def _viewing(*arguments: str | Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of a viewer, and its process."""
    command = [*VIEW, *map(str, arguments), "--no-browser"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            lines = (process.stdout.readline() for _ in range(2))
            yield list(lines)[1].partition("Viewer: ")[2].strip(), process
        finally:
            process.kill()


def test_a_page_hears_of_a_new_episode_and_ctrl_c_ends_the_command(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    folder = RunFolder.open(runs, lab_manifest(), SigningKey.load_or_create(tmp_path / "key.pem"))
    with _viewing(runs, "--listen", "127.0.0.1:0") as (address, process):
        with urlopen(f"{address}api/runs", timeout=60) as answer:
            assert json.load(answer)["total"] == 1
        with urlopen(f"{address}api/events", timeout=60) as events:
            assert b"event: ready\n" in (events.readline() for _ in range(3))
            Player(folder).play(folder.manifest.task_ids[0], 0, WINNING)
            changes = (line for line in events if line.startswith(b"data: "))
            assert any(json.loads(line[6:]).get("episodes") == 1 for line in changes)
            # A page still listens.
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
            assert (process.returncode, err) == (0, "")
    folder.close()


def test_an_address_beyond_this_host_needs_a_token(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("secret\n")
    arguments = (tmp_path, "--listen", "0.0.0.0:0", "--plaintext", "--token-file", token)
    with _viewing(*arguments) as (address, process):
        place = address.partition("?")[0].replace("0.0.0.0", "127.0.0.1")
        assert address.endswith("?token=secret")
        with pytest.raises(HTTPError, match="401"):
            urlopen(f"{place}api/runs", timeout=60)
        allowed = Request(f"{place}api/runs", headers={"authorization": "Bearer secret"})
        with urlopen(allowed, timeout=60) as answer:
            assert json.load(answer)["total"] == 0
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--listen", "0.0.0.0:0"], "--plaintext"),
        (["--listen", "nowhere"], "host:port"),
        (["--listen", "127.0.0.1:99999"], "host:port"),
    ],
)
def test_wrong_use_is_refused(tmp_path: Path, arguments: list[str], message: str) -> None:
    command = [*VIEW, str(tmp_path), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert message in done.stderr
