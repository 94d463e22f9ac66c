"""A machine with GPUs, as far as nvidia-smi shows."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

UUID = "GPU-0000000{}-1111-2222-3333-444444444444"

_SCRIPT = """#!/bin/sh
echo "$1" >> {folder}/asked
case "$1" in
  -L) cat {folder}/list ;;
  --query-gpu=index,memory.free) cat {folder}/free ;;
  *) exit 2 ;;
esac
"""


def fake_nvidia(
    folder: Path, monkeypatch: pytest.MonkeyPatch, free: tuple[str, ...] = ("70000", "70000")
) -> Path:
    """Puts an nvidia-smi on the PATH that reports GPUs with so many MiB free.

    Returns a folder: each call adds a line to its file ``asked``; its file ``free`` has the
    reported value.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for index in range(len(free)):
        lines.append(f"GPU {index}: NVIDIA H100 80GB HBM3 (UUID: {UUID.format(index)})\n")
        lines.append(f"  MIG 1g.10gb     Device  0: (UUID: MIG-{index})\n")
    (folder / "list").write_text("".join(lines), encoding="utf-8")
    (folder / "free").write_text("".join(f"{n}, {mib}\n" for n, mib in enumerate(free)))
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    script = tools / "nvidia-smi"
    script.write_text(_SCRIPT.format(folder=folder), encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    return folder


def no_nvidia(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes nvidia-smi off the PATH, and all else with it."""
    empty = folder / "empty"
    empty.mkdir(parents=True, exist_ok=True)
    monkeypatch.setenv("PATH", str(empty))
