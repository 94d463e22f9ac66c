"""What an agent pays for the SDK before its first call."""

from __future__ import annotations

import statistics
import subprocess
import sys
import venv
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


def _output(*command: str) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout
