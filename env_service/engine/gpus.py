"""The machine's NVIDIA GPUs, as nvidia-smi tells them: which there are, and what is free on them.

An index is nvidia-smi's, in the order of the PCI bus, whatever CUDA_VISIBLE_DEVICES says.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_LIST = ("nvidia-smi", "-L")
_FREE = ("nvidia-smi", "--query-gpu=index,memory.free", "--format=csv,noheader,nounits")
_PATIENCE = 30.0
"""Seconds for nvidia-smi: without its persistence daemon it first wakes every GPU."""
_LINE = re.compile(r"GPU (\d+): .*\(UUID: (GPU-[0-9A-Fa-f-]+)\)")
"""A line of ``nvidia-smi -L``. Those of a GPU's MIG parts are indented: no graphics run there."""
_SILENT = "nvidia-smi is missing or does not answer"
_MIB = 2**20
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU: nvidia-smi's index, and its UUID as ``GPU-5c7e…``."""

    index: int
    uuid: str


def installed() -> tuple[Gpu, ...] | None:
    """The GPUs of this machine; None where nvidia-smi does not tell."""
    try:
        listed = subprocess.run(
            _LIST, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    lines = listed.stdout.decode(errors="replace").splitlines()
    found = (_LINE.match(line) for line in lines)
    return tuple(Gpu(int(match[1]), match[2]) for match in found if match)


def choose(
    text: str, there: Sequence[Gpu] | None, environment: Mapping[str, str]
) -> tuple[int, ...]:
    """The indices that ``all``, ``none``, or a list of indices and UUIDs stand for.

    ``there`` is what `installed` found. ``all`` keeps to CUDA_VISIBLE_DEVICES, where a job
    scheduler has set it. Indices of GPUs that nobody can tell of are believed, with a warning.

    Raises:
        ValueError: naming what cannot be used, and what could be.
    """
    words = [word.strip() for word in text.split(",")]
    if words == ["none"]:
        return ()
    if words == ["all"]:
        return _all(there, environment.get("CUDA_VISIBLE_DEVICES"))
    chosen = tuple(_one(word, there) for word in words)
    twice = next((index for index in chosen if chosen.count(index) > 1), None)
    if twice is not None:
        raise ValueError(f"GPU {twice} is named twice in {text!r}; name each once")
    if there is None:
        named = ", ".join(map(str, chosen))
        _LOG.warning("%s: GPU %s is taken on trust", _SILENT, named)
    return chosen


def _all(there: Sequence[Gpu] | None, visible: str | None) -> tuple[int, ...]:
    if there is None:
        raise ValueError(
            f"which GPUs there are is unknown, because {_SILENT}: name their indices, as in 0,1,"
            " or none"
        )
    if visible is not None:
        named = {word.strip() for word in visible.split(",")}
        there = [gpu for gpu in there if {str(gpu.index), gpu.uuid} & named]
    if not there:
        within = "" if visible is None else f" among CUDA_VISIBLE_DEVICES={visible}"
        raise ValueError(f"there is no GPU{within}: say none, or leave it out")
    return tuple(gpu.index for gpu in there)


def _one(word: str, there: Sequence[Gpu] | None) -> int:
    number = word.isascii() and word.isdigit()
    if not number and not word.upper().startswith("GPU-"):
        raise ValueError(
            f"{word!r} is no GPU: give all, none, or indices and UUIDs of `nvidia-smi -L`,"
            " separated by commas"
        )
    if there is None:
        if not number:
            raise ValueError(
                f"whose UUID {word} is cannot be told, because {_SILENT}: give the GPU's index"
                " instead"
            )
        return int(word)
    for gpu in there:
        if (int(word) == gpu.index) if number else (word.lower() == gpu.uuid.lower()):
            return gpu.index
    known = ", ".join(f"{gpu.index} ({gpu.uuid})" for gpu in there) or "none at all"
    raise ValueError(f"there is no GPU {word}; `nvidia-smi -L` lists {known}")


class FreeMemory:
    """The memory that is free on each GPU, asked for at most once in ``fresh`` seconds."""

    def __init__(self, fresh: float = 1.0) -> None:
        self._fresh = fresh
        self._lock = asyncio.Lock()
        self._asked = float("-inf")
        self._free: Mapping[int, int] = {}

    async def of(self, gpu: int) -> int | None:
        """Bytes; None where nvidia-smi does not say."""
        async with self._lock:
            if time.monotonic() - self._asked > self._fresh:
                self._free = await _ask_free()
                self._asked = time.monotonic()
        return self._free.get(gpu)


async def _ask_free() -> Mapping[int, int]:
    pipe, null = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    try:
        asked = await asyncio.create_subprocess_exec(*_FREE, stdin=null, stdout=pipe, stderr=null)
    except OSError:
        return {}
    try:
        output, _ = await asyncio.wait_for(asked.communicate(), _PATIENCE)
    except TimeoutError:
        return {}
    finally:
        if asked.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                asked.kill()
            await asked.wait()
    return _read_free(output.decode(errors="replace"))


def _read_free(output: str) -> Mapping[int, int]:
    """Bytes by index, of lines like ``0, 80000``; what is ``[N/A]`` is left out."""
    cells = ([cell.strip() for cell in line.split(",")] for line in output.splitlines())
    return {
        int(pair[0]): int(pair[1]) * _MIB
        for pair in cells
        if len(pair) == 2 and all(cell.isdecimal() for cell in pair)
    }
