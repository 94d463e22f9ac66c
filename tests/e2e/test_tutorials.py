"""The tutorials' commands, in the order in which a reader types them, and the program of one."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import ROOT, houseguest

TUTORIALS = ROOT / "docs" / "tutorials"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def commands(page: str) -> Iterator[list[str]]:
    """The ``houseguest`` commands of a page, as words."""
    for language, block in BLOCK.findall((TUTORIALS / page).read_text(encoding="utf-8")):
        if not language:
            for line in block.replace("\\\n", " ").splitlines():
                words = shlex.split(line, comments=True)
                if words[:1] == ["houseguest"]:
                    yield words[1:]


@pytest.mark.parametrize("page", ["first-evaluation.md", "read-a-result.md"])
def test_every_command_of_the_tutorial_works(page: str, tmp_path: Path) -> None:
    typed = list(commands(page))
    assert len(typed) >= 4
    for words in typed:
        process = houseguest(tmp_path, *words)
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, f"houseguest {shlex.join(words)}\n{out}{err}"
    assert (tmp_path / "report" / "index.html").is_file()
    assert (tmp_path / "report" / "episodes.csv").is_file()


def test_the_policy_of_the_tutorial_learns(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium")
    page = (TUTORIALS / "train-a-policy.md").read_text(encoding="utf-8")
    (program,) = (block for language, block in BLOCK.findall(page) if language == "python")
    (practice,) = commands("train-a-policy.md")
    service = houseguest(tmp_path, *practice, "--json")
    try:
        assert service.stdout is not None
        opened = json.loads(service.stdout.readline())
        place = {"HOUSEGUEST_ADDRESS": opened["address"], "HOUSEGUEST_TOKEN": opened["tokens"][0]}
        ended = subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | place,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    finally:
        service.send_signal(signal.SIGINT)
        service.communicate(timeout=60)
    assert ended.returncode == 0, ended.stderr
    shares = [int(found) for found in re.findall(r"round \d+: (\d+)%", ended.stdout)]
    assert max(shares[-3:]) > shares[0] + 30
