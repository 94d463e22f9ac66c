"""Checks of agents: whether they can start, and an agent's check of itself."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import IO

from env_service.doctor.diagnosis import Diagnosis, DiagnosisState, DoctorRequest
from env_service.domain.data_node import DataError, DataNode, load_json
from env_service.domain.text import safe
from env_service.sandbox.agent_manifest import choose, read_manifest
from env_service.sandbox.agents import (
    AgentCommand,
    AgentImage,
    agent_folders,
    find_agent,
    parse_agent,
)
from env_service.sandbox.errors import AgentSpecError, AgentStartError

NAME = "the agent"
_FOLLOW = "Change what the message names, then ask again."
_ELSEWHERE = "Check it where you start it: houseguest conformance agent plays all rules against it."


def installed_agents(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """The installed agents; those that can start share one line."""
    del subject
    ready = []
    for name, folder in sorted(agent_folders().items()):
        try:
            manifest = read_manifest(folder)
            manifest.check_requirements()
        except AgentSpecError as error:
            mend = error.mend or _FOLLOW
            yield Diagnosis(f"agent {name}", DiagnosisState.NOTE, error.what, mend)
        else:
            ready.append(name)
    if ready:
        yield Diagnosis("agents", DiagnosisState.OK, f"{', '.join(ready)} can be started")


def asked_for(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """The agent that the user asks about: whether it can start, and its own check."""
    if not subject.agent:
        return
    options = subject.agent_options or {}
    try:
        manifest = find_agent(subject.agent)
        launch = parse_agent(subject.agent, subject.agent_args, options).launch
        if isinstance(launch, AgentCommand):
            launch.check_wants(os.environ)
    except AgentSpecError as error:
        yield Diagnosis(NAME, DiagnosisState.PROBLEM, error.what, error.mend or _FOLLOW)
        return
    except ValueError as error:
        yield Diagnosis(NAME, DiagnosisState.PROBLEM, str(error), _FOLLOW)
        return
    if manifest is None:
        yield _command(launch)
    elif not manifest.check:
        yield Diagnosis(NAME, DiagnosisState.OK, "can be started; it has no check of its own")
    else:
        words = choose(manifest.options, options).words
        yield from check_itself(manifest.name, (*manifest.check, *words))


def _command(launch: AgentCommand | AgentImage | None) -> Diagnosis:
    if launch is None:
        return Diagnosis(NAME, DiagnosisState.NOTE, "is started elsewhere", _ELSEWHERE)
    if isinstance(launch, AgentImage):
        return _image(launch)
    program = launch.command[0]
    if shutil.which(program) is None:
        mend = "Install it, or give its whole path."
        return Diagnosis(NAME, DiagnosisState.PROBLEM, f"there is no program {program}", mend)
    return Diagnosis(NAME, DiagnosisState.OK, f"{program} is there; it has no check of its own")


def _image(launch: AgentImage) -> Diagnosis:
    # Imported where used: the engine's client takes a while to load.
    from env_service.sandbox.docker.images import check_image  # noqa: PLC0415 - see above

    try:
        check_image(launch)
    except AgentStartError as error:
        return Diagnosis(NAME, DiagnosisState.PROBLEM, str(error), _FOLLOW)
    return Diagnosis(NAME, DiagnosisState.OK, f"the engine has the image {launch.reference}")


# --- An agent's check of itself

PATIENCE = 150.0
"""Seconds: a model may have to be loaded before it answers."""
LONGEST = 2**20
"""Bytes of a document."""
_LAST_LINES = 5
_LAST_BYTES = 2**16
_LONGEST_LINE = 400
_SEE = "Run the agent's check by itself to see more."


def check_itself(name: str, command: Sequence[str], patience: float = PATIENCE) -> list[Diagnosis]:
    """Runs an agent's check; returns its findings, or one that says why there are none.

    ``name`` stands before the name of each. The command, and all that it starts, is killed
    after ``patience`` seconds, and when this process ends.
    """
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained:
        try:
            status = _run(command, said, complained, patience)
        except subprocess.TimeoutExpired:
            found = f"its check did not end within {patience:g} s"
            return [Diagnosis(name, DiagnosisState.PROBLEM, _with_end(found, complained), _SEE)]
        said.seek(0)
        try:
            return _findings(name, said.read(LONGEST))
        except DataError as error:
            found = f"its check ended with status {status}; {error}"
            return [Diagnosis(name, DiagnosisState.PROBLEM, _with_end(found, complained), _SEE)]


def _run(command: Sequence[str], output: IO[bytes], errors: IO[bytes], patience: float) -> int:
    """Its exit status. Raises subprocess.TimeoutExpired."""
    reading, writing = os.pipe()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "env_service.sandbox.die_with_parent", str(reading), *command],
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


def _findings(prefix: str, output: bytes) -> list[Diagnosis]:
    """The findings in a check's document. Raises DataError."""
    node = load_json(output, "what it printed")["checks"]
    if not (checks := node.items()):
        raise node.error("is an empty list")
    return [_finding(prefix, each) for each in checks]


def _finding(prefix: str, check: DataNode) -> Diagnosis:
    name, found = _shown(check["name"].text()), _shown(check["found"].text())
    state = DiagnosisState(check["state"].one_of("state", DiagnosisState))
    mend = _shown(check.get("mend", "").string())
    return Diagnosis(
        f"{prefix}: {name}", state, found, mend or (_SEE if state is not DiagnosisState.OK else "")
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
