"""Computes the summary of a large run in a separate process.

The records of 50,000 episodes need 100 MiB while they are counted, and most of a minute's work,
which would compete for the interpreter's lock with the threads that answer agents. A process
returns all of its memory.

Started as ``python -m env_service.results.summary_process FOLDER LIFELINE``, it writes the summary
as JSON to its standard output. It ends when the writing end of the pipe LIFELINE closes.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from env_service.processes.process_tree import die_with_parent
from env_service.results.run_reader import read_run
from env_service.results.summary import Summary

MOST_BYTES = 2 * 2**20
"""Bytes of a journal up to which the calling process counts it: some 3,000 episodes."""

LONGEST_SECONDS = 900.0
"""Seconds for the process; counting 50,000 episodes takes a tenth of it on a busy machine."""


class SummaryProcessError(Exception):
    """The process that counts a run's records failed; the message is its output."""


def summary_of(folder: Path, journal: Path) -> Summary:
    """The summary of a run's records, most of which are in ``journal``.

    Blocks: seconds for a run of many episodes. Raises what ``read_run`` raises, and
    SummaryProcessError.
    """
    if not journal.exists() or journal.stat().st_size <= MOST_BYTES:
        return read_run(folder).summary
    return Summary.from_json(json.loads(_counted_apart(folder)))


def _counted_apart(folder: Path) -> bytes:
    """The output of the other process. Raises SummaryProcessError."""
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            # -P: a file in the working directory must not shadow a module.
            [sys.executable, "-P", "-m", __name__, str(folder), str(reading)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=LONGEST_SECONDS,
            env=os.environ | {"PYTHONPATH": _import_path()},
            pass_fds=(reading,),
            # A new process group, because of the lifeline, and because this process handles
            # Ctrl-C.
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        words = f"{folder} was not counted within {LONGEST_SECONDS:g} s"
        raise SummaryProcessError(words) from None
    finally:
        os.close(reading)
        os.close(writing)
    if done.returncode:
        raise SummaryProcessError(done.stderr.decode(errors="replace"))
    return done.stdout


def _import_path() -> str:
    """The other process gets this process's import path."""
    return os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)


def main() -> None:
    """Counts the records in the folder that the command line names."""
    die_with_parent(int(sys.argv[2]))
    sys.stdout.write(json.dumps(read_run(Path(sys.argv[1])).summary.to_json()))


if __name__ == "__main__":
    main()
