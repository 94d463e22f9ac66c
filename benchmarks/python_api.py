"""What it costs to read 10,000 episodes into a data frame: ``python -m benchmarks.python_api``.

20 runs of 500 made-up episodes are written to a temporary folder. Measured are CPU seconds of
``import houseguest`` with the interpreter, in a new process, and of ``hg.load(…).episodes`` to a
frame of pandas, Polars and Arrow, with their packages imported before; of pandas also as the first
thing that a new process does. Medians of several rounds.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import houseguest as hg
from env_service.results.run_layout import EPISODES, MANIFEST
from env_service.storage.atomic_files import document
from env_service.storage.canonical_json import canonical
from tests.support.made_run import USED, made_record
from tests.support.played_run import lab_manifest

RUNS, TASKS, REPEATS, ROUNDS = 20, 20, 25, 5
AIM_SECONDS, AIM_IMPORT_SECONDS = 1.5, 0.3
_IMPORT = "import time; import houseguest; print(time.process_time())"
_EMPTY = "import time; print(time.process_time())"
_FIRST = """
import sys, time
import pandas
start = time.process_time()
import houseguest as hg
assert len(hg.load(sys.argv[1]).episodes.to_pandas()) == 10_000
print(time.process_time() - start)
"""


def write_runs(root: Path) -> None:
    """Writes runs with whole journals, but without transcripts."""
    signature = {"signature": "0" * 128}
    for number in range(RUNS):
        folder = root / f"made-{number:02}"
        folder.mkdir()
        manifest = replace(
            lab_manifest(tasks=TASKS, repeats=REPEATS), run_id=f"run-{number}", seed=number
        )
        (folder / MANIFEST).write_bytes(document(manifest.to_json() | signature))
        records = (
            made_record(task, repeat=repeat, success=(task + repeat + number) % 3 > 0, usage=USED)
            for repeat in range(REPEATS)
            for task in range(TASKS)
        )
        lines = (canonical(each.to_json() | signature) + b"\n" for each in records)
        (folder / EPISODES).write_bytes(b"".join(lines))


def main() -> None:
    """Measures, and prints the numbers as JSON."""
    for package in ("houseguest.runs", "pandas", "polars", "pyarrow"):
        import_module(package)
    measured = {"import": _in_new_process(_IMPORT), "import of nothing": _in_new_process(_EMPTY)}
    with TemporaryDirectory(prefix="houseguest-") as name:
        write_runs(Path(name))
        measured["10,000 episodes to pandas, first"] = _in_new_process(_FIRST, name)
        # The first frame of each kind loads parts of its library.
        for kind in ("pandas", "polars", "arrow"):
            measured[f"10,000 episodes to {kind}"] = _median(
                lambda kind=kind: getattr(hg.load(name).episodes, f"to_{kind}")()  # type: ignore[misc]
            )
    print(json.dumps({each: round(seconds, 3) for each, seconds in measured.items()}, indent=2))


def _median(work: Callable[[], object]) -> float:
    work()
    samples = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        samples.append(time.process_time() - start)
    return statistics.median(samples)


def _in_new_process(program: str, *words: str) -> float:
    run = (sys.executable, "-c", program, *words)
    return statistics.median(
        float(subprocess.run(run, capture_output=True, check=True).stdout) for _ in range(ROUNDS)
    )


if __name__ == "__main__":
    main()
