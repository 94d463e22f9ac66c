"""What it costs to start: an agent's SDK, the service, a worker, and the command line.

    python -m benchmarks.imports    # the service, a worker and the command line: ten seconds

CPU seconds of a process from its start to its end, the interpreter's own included: medians of
several starts, with compiled modules in the cache. "times bare" is how many starts of an
interpreter that does nothing come to as much, which depends less on the machine.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.children import ROOT

_CPU = "import time; import houseguest_agent; print(time.process_time())"


def measure_import(runs: int = 9) -> dict[str, Any]:
    """CPU seconds of ``import houseguest_agent``, interpreter included, and its packages.

    The packages are those of a fresh virtual environment with the SDK alone, pip excepted.
    """
    samples = [float(_output(sys.executable, "-c", _CPU)) for _ in range(runs)]
    with TemporaryDirectory(prefix="wire-") as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder) / "bin" / "python")
        sources = [str(ROOT / "proto" / "python"), str(ROOT / "agents" / "sdk_python")]
        _output(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *sources)
        listed = _output(python, "-m", "pip", "list", "--format=freeze").split()
    packages = sorted(name for name in listed if not name.startswith(("pip=", "setuptools=")))
    return {
        "cpu_seconds": round(statistics.median(samples), 3),
        "aim_seconds": 0.15,
        "packages": packages,
        "aim_packages": 5,
    }


STARTS = {
    "python": ("-c", "pass"),
    "the service (houseguest serve)": ("-c", "import env_service.cli.serve"),
    "a worker": ("-c", "import env_service.engine.worker"),
    "houseguest --help": ("-m", "env_service", "--help"),
    "houseguest suites": ("-m", "env_service", "suites"),
}
AIMS = {
    "the service (houseguest serve)": 0.7,
    "a worker": 0.6,
    "houseguest --help": 0.7,
    "houseguest suites": 0.7,
}
"""CPU seconds on the machine of README.md."""


def measure_starts(runs: int = 5) -> dict[str, float]:
    """CPU seconds of each of STARTS, without data packs: medians of so many starts, in turns."""
    samples: dict[str, list[float]] = {name: [] for name in STARTS}
    for _ in range(runs + 1):
        for name, words in STARTS.items():
            samples[name].append(_cpu_seconds(words))
    # The first of each may have compiled modules.
    return {name: statistics.median(each[1:]) for name, each in samples.items()}


def _cpu_seconds(words: Sequence[str]) -> float:
    with TemporaryDirectory(prefix="imports-") as nothing:
        started = subprocess.Popen(
            [sys.executable, *words],
            stdout=subprocess.DEVNULL,
            env={**os.environ, "HOUSEGUEST_DATA": nothing},
        )
        _, status, used = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode:
        raise RuntimeError(f"{' '.join(words)} exited with status {started.returncode}")
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Prints what each start costs."""
    found = measure_starts()
    bare = found["python"]
    print(f"{'':32}{'CPU s':>8}{'aim':>6}{'times bare':>12}")
    for name, seconds in found.items():
        print(f"{name:32}{seconds:8.2f}{AIMS.get(name, ''):>6}{seconds / bare:12.1f}")


def _output(*command: str) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout


if __name__ == "__main__":
    main()
