"""What an agent says of itself.

An agent's manifest may declare ``check``, a command that takes the agent's own options and
prints one JSON document on standard output::

    {"checks": [{"name": "model", "state": "ok", "found": "…", "mend": ""}]}

``state`` is one of State; ``mend`` may be left out: the doctor then points to the agent's check
itself. The command runs in the current folder, with the
doctor's environment, so that an agent finds its keys. Standard error is for people, and its
end is shown where there is no such document.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Any

from env_service.doctor.finding import Finding, State
from env_service.domain.printable import safe

PATIENCE = 150.0
"""Seconds: a model may have to be loaded before it answers."""
LONGEST = 2**20
"""Bytes of a document."""
_LAST_LINES = 5
_LAST_BYTES = 2**16
_LONGEST_LINE = 400
_SEE = "Run the agent's check by itself to see more."


def check_itself(name: str, command: Sequence[str], patience: float = PATIENCE) -> list[Finding]:
    """Runs an agent's check; its findings, or the one that it could not be had.

    ``name`` stands before the name of each. The command, and all that it starts, is killed
    after ``patience`` seconds, and when this process ends.
    """
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained:
        try:
            status = _run(command, said, complained, patience)
        except subprocess.TimeoutExpired:
            found = f"its check did not end within {patience:g} s"
            return [Finding(name, State.PROBLEM, _with_end(found, complained), _SEE)]
        said.seek(0)
        try:
            return [_finding(name, each) for each in _checks(said.read(LONGEST))]
        except ValueError as error:
            found = f"its check ended with status {status} and {error}"
            return [Finding(name, State.PROBLEM, _with_end(found, complained), _SEE)]


def _run(command: Sequence[str], output: IO[bytes], errors: IO[bytes], patience: float) -> int:
    """Its exit status. Raises subprocess.TimeoutExpired."""
    reading, writing = os.pipe()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "env_service.sandbox.leash", str(reading), *command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            pass_fds=(reading,),
            start_new_session=True,
        )
        try:
            return process.wait(patience)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    finally:
        os.close(reading)
        os.close(writing)


def _checks(output: bytes) -> list[Any]:
    """Raises ValueError whose text goes on after "ended with status 1 and"."""
    try:
        document = json.loads(output)
    except ValueError as error:
        raise ValueError("printed no JSON document") from error
    checks = document.get("checks") if isinstance(document, dict) else None
    if not isinstance(checks, list) or not checks:
        raise ValueError('its document has no list "checks"')
    return checks


def _finding(prefix: str, check: object) -> Finding:
    if not isinstance(check, dict):
        raise ValueError(f"listed {check!r}, which is no object")
    texts = {key: check.get(key, "") for key in ("name", "state", "found", "mend")}
    for key, value in texts.items():
        if not isinstance(value, str) or not (value or key == "mend"):
            raise ValueError(f'listed a check whose "{key}" is no text: {json.dumps(check)}')
    try:
        state = State(texts["state"])
    except ValueError as error:
        states = ", ".join(State)
        raise ValueError(
            f"listed the state {texts['state']!r}, which is none of {states}"
        ) from error
    name, found, mend = (_shown(texts[key]) for key in ("name", "found", "mend"))
    return Finding(
        f"{prefix}: {name}", state, found, mend or (_SEE if state is not State.OK else "")
    )


def _shown(text: str) -> str:
    """Line by line without what would write on a terminal at will."""
    return "\n".join(map(safe, text.splitlines()))


def _with_end(found: str, complained: IO[bytes]) -> str:
    """With the last lines that were written to a file."""
    length = complained.seek(0, os.SEEK_END)
    complained.seek(max(0, length - _LAST_BYTES))
    lines = complained.read().decode(errors="replace").strip().splitlines()
    last = (safe(line)[-_LONGEST_LINE:] for line in lines[-_LAST_LINES:])
    return "\n".join([found + (":" if lines else ""), *last])
