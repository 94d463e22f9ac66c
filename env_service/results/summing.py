"""Computes the summary of a large run in a process of its own.

The records of 50,000 episodes take 100 MiB while they are counted, and most of a minute's work
would share the interpreter's lock with whoever answers agents. A process gives all of it back.

Started as ``python -m env_service.results.summing FOLDER``; it writes a pickled Summary to its
standard output.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

from env_service.results.reading import read_run
from env_service.results.summary import Summary

MOST_BYTES = 2 * 2**20
"""Of a journal that is counted where the run is played: some 3,000 episodes."""


class SummingError(Exception):
    """The process that counts a run's records failed; the message is what it said."""


def summary_of(folder: Path, journal: Path) -> Summary:
    """The summary of a run's records, of which most stand in ``journal``.

    Blocks: seconds for a run of many episodes. Raises as ``read_run``, and SummingError.
    """
    if not journal.exists() or journal.stat().st_size <= MOST_BYTES:
        return read_run(folder).summary
    done = subprocess.run(
        # -P: a file of the working directory must not pose as a module.
        [sys.executable, "-P", "-m", "env_service.results.summing", str(folder)],
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONPATH": _import_path()},
    )
    if done.returncode:
        raise SummingError(done.stderr.decode(errors="replace"))
    summary = pickle.loads(done.stdout)  # noqa: S301 - written by our own process
    if not isinstance(summary, Summary):
        raise SummingError(f"the process wrote {summary!r}")
    return summary


def _import_path() -> str:
    """What this process can import, the other one can."""
    return os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)


def main() -> None:
    """Counts the records of the folder that the command line names."""
    sys.stdout.buffer.write(pickle.dumps(read_run(Path(sys.argv[1])).summary))


if __name__ == "__main__":
    main()
