"""Docker, for AI2-THOR in a container: the engine, and its way to GPUs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from env_service.doctor.finding import Finding, State, Subject
from env_service.doctor.thor_case import WORLD
from env_service.worlds.ai2thor import nvidia
from env_service.worlds.ai2thor.tools import ask

CDI_FOLDERS = ("/etc/cdi", "/var/run/cdi")
"""Where the engine looks for devices unless it is told otherwise."""
_SECONDS = 15.0
_ONLY = "Nothing, to play without containers. Otherwise"


def docker(subject: Subject) -> Iterator[Finding]:
    """The engine, and whether it hands out GPUs; notes all, since a house runs without."""
    if subject.world != WORLD:
        return
    said = ask("docker", "info", "--format", "{{json .}}", seconds=_SECONDS)
    info = _read(said.output)
    server = str(info.get("ServerVersion") or "")
    if not server:
        why = said.fault or "docker info names no engine"
        if not said.installed:
            mend = f"{_ONLY} install Docker."
        else:
            mend = f"{_ONLY} start the engine, or let DOCKER_HOST name it."
        yield Finding("docker", State.NOTE, f"no engine answers: {why}", mend)
        return
    yield Finding("docker", State.OK, f"engine {server}")
    if nvidia.look().present:
        yield _gpus(info)


def _gpus(info: Mapping[str, Any]) -> Finding:
    name = "docker gpus"
    if "nvidia" in (info.get("Runtimes") or {}):
        return Finding(name, State.OK, "by the runtime nvidia")
    folders = info.get("CDISpecDirs") or CDI_FOLDERS
    found = [path for folder in folders for path in sorted(Path(folder).glob("*nvidia*"))]
    if found:
        return Finding(name, State.OK, f"by CDI: {found[0]}")
    mend = (
        f"{_ONLY} install nvidia-container-toolkit, then: nvidia-ctk runtime configure"
        " --runtime=docker, and restart the engine."
    )
    return Finding(name, State.NOTE, "the engine knows no runtime nvidia and no CDI device", mend)


def _read(output: str) -> Mapping[str, Any]:
    """What docker info says; empty for anything that is none."""
    try:
        document = json.loads(output)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
