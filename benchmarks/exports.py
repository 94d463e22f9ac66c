"""What an export of many episodes costs: ``python -m benchmarks.exports --cache FOLDER``.

The runs are those of benchmarks.index: 10,000 episodes with 300,000 steps, kept in the folder for
the next time. Measured are CPU seconds of the export in this process, without the imports, and the
most memory that the process had. Each format is measured in a new process.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.index import EPISODES, RUNS, STEPS, write_runs
from env_service.exports.formats import find_format
from env_service.exports.job import Job
from env_service.results.run_reader import find_runs, read_run

FORMATS = ("parquet", "csv", "hf")
AIM_SECONDS = 10.0
"""CPU time of 10,000 episodes to Parquet."""


def main() -> None:
    """Measures, and prints the numbers as JSON."""
    parser = ArgumentParser(description="Measures exports.")
    parser.add_argument("--cache", type=Path, required=True, help="the folder of the runs")
    parser.add_argument("--only", choices=FORMATS, help="measure this format in this process")
    given = parser.parse_args()
    runs = given.cache / f"runs-{RUNS}-{EPISODES}-{STEPS}"
    if not runs.exists():
        write_runs(runs)
    if given.only:
        print(json.dumps(_measure(runs, given.only)))
        return
    measured = {}
    for form in FORMATS:
        command = (sys.executable, "-m", "benchmarks.exports", "--cache", given.cache)
        run = subprocess.run((*command, "--only", form), check=True, capture_output=True)
        measured[form] = json.loads(run.stdout)
    print(json.dumps(measured, indent=2))


def _measure(runs: Path, form: str) -> dict[str, float]:
    write = find_format(form).writer(form)
    with TemporaryDirectory(prefix="houseguest-") as out:
        start, wall = time.process_time(), time.perf_counter()
        # The made-up runs have no pictures.
        job = Job(tuple(map(read_run, find_runs(runs))), Path(out), pictures=False)
        write(job)
        seconds = time.process_time() - start
        wall = time.perf_counter() - wall
        size = sum(each.stat().st_size for each in Path(out).rglob("*") if each.is_file())
    return {
        "episodes": job.total,
        "cpu_seconds": round(seconds, 2),
        "wall_seconds": round(wall, 2),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        "written_mb": round(size / 2**20, 1),
    }


if __name__ == "__main__":
    main()
