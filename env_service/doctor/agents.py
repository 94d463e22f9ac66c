"""Checks whether agents can start, and runs the self-checks that agents define."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
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
_FOLLOW = "Correct what the message names, then run the doctor again."
_ELSEWHERE = (
    "Test it where you start it: houseguest conformance agent checks it against every rule."
)


def installed_agents(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """Checks the installed agents, but for the one that the user names: ``asked_for`` checks it.

    Runs self-checks that need no option. All agents that can start share one finding.
    """
    ready = []
    for name, folder in sorted(agent_folders().items()):
        if name == subject.agent:
            continue
        try:
            manifest = read_manifest(folder)
            manifest.check_requirements()
        except AgentSpecError as error:
            mend = error.mend or _FOLLOW
            yield Diagnosis(f"agent {name}", DiagnosisState.NOTE, error.what, mend)
            continue
        checked = []
        if manifest.check and not any(option.required for option in manifest.options):
            checked = check_itself(f"agent {name}", manifest.check)
        wrong = [each for each in checked if each.state is DiagnosisState.PROBLEM]
        # The user did not choose this agent, so the machine has no problem.
        yield from (replace(each, state=DiagnosisState.NOTE) for each in wrong)
        if not wrong:
            ready.append(name)
    if ready:
        yield Diagnosis("agents", DiagnosisState.OK, f"{', '.join(ready)} can be started")


def asked_for(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """Checks the agent that the user names: whether it can start, and its self-check."""
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
        yield Diagnosis(NAME, DiagnosisState.OK, "can be started; it defines no self-check")
    else:
        words = choose(manifest.options, options).words
        yield from check_itself(manifest.name, (*manifest.check, *words))


def _command(launch: AgentCommand | AgentImage | None) -> Diagnosis:
    if launch is None:
        return Diagnosis(NAME, DiagnosisState.NOTE, "you start it yourself", _ELSEWHERE)
    if isinstance(launch, AgentImage):
        return _image(launch)
    program = launch.command[0]
    if shutil.which(program) is None:
        mend = "Install it, or give its full path."
        return Diagnosis(NAME, DiagnosisState.PROBLEM, f"program not found: {program}", mend)
    return Diagnosis(NAME, DiagnosisState.OK, f"{program} is installed; no self-check is defined")


def _image(launch: AgentImage) -> Diagnosis:
    # Imported on first use: the container engine's client is slow to load.
    from env_service.sandbox.docker.engine import check_image  # noqa: PLC0415 - see above

    try:
        check_image(launch)
    except AgentStartError as error:
        return Diagnosis(NAME, DiagnosisState.PROBLEM, str(error), _FOLLOW)
    return Diagnosis(
        NAME, DiagnosisState.OK, f"the container engine has the image {launch.reference}"
    )


# --- An agent's self-check

PATIENCE = 150.0
"""Timeout of a self-check in seconds. It leaves time to load a model."""
LONGEST = 2**20
"""Maximum size of a self-check's output in bytes."""
_LAST_LINES = 5
_LAST_BYTES = 2**16
_LONGEST_LINE = 400
_SEE = "Run the agent's self-check directly to see its full output."


def check_itself(name: str, command: Sequence[str], patience: float = PATIENCE) -> list[Diagnosis]:
    """Runs an agent's self-check and returns its findings.

    If the self-check fails or times out, the result is one finding that says why. ``name`` is the
    prefix of each finding's name. The command and all processes that it started are killed after
    ``patience`` seconds, and when this process ends.
    """
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained:
        try:
            status = _run(command, said, complained, patience)
        except subprocess.TimeoutExpired:
            found = f"its self-check did not finish within {patience:g} s"
            return [Diagnosis(name, DiagnosisState.PROBLEM, _with_end(found, complained), _SEE)]
        said.seek(0)
        try:
            return _findings(name, said.read(LONGEST))
        except DataError as error:
            found = f"its self-check exited with status {status}; {error}"
            return [Diagnosis(name, DiagnosisState.PROBLEM, _with_end(found, complained), _SEE)]


def _run(command: Sequence[str], output: IO[bytes], errors: IO[bytes], patience: float) -> int:
    """Runs the command and returns its exit status. Raises subprocess.TimeoutExpired."""
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
    """The findings in a self-check's output. Raises DataError."""
    node = load_json(output, "its output")["checks"]
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
    """The text with each line stripped of terminal control characters."""
    return "\n".join(map(safe, text.splitlines()))


def _with_end(found: str, complained: IO[bytes]) -> str:
    """The finding, followed by the last lines of the self-check's error output."""
    length = complained.seek(0, os.SEEK_END)
    complained.seek(max(0, length - _LAST_BYTES))
    lines = complained.read().decode(errors="replace").strip().splitlines()
    last = (safe(line)[-_LONGEST_LINE:] for line in lines[-_LAST_LINES:])
    return "\n".join([found + (":" if lines else ""), *last])
