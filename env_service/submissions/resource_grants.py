"""How much of the machine a submission gets: what it asks for, up to what the organiser allows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from env_service.sandbox.options import GIB, AgentLimits, SandboxOptions
from env_service.submissions.manifest import Hardware


@dataclass(frozen=True, slots=True)
class ResourceCeiling:
    """What an organiser grants one container at most: bytes, cores, GPUs, processes, seconds.

    ``seconds`` bounds a container's life, None: unbounded; ``scratch`` is the size of its /tmp.
    """

    memory: int = 16 * GIB
    cpus: float = 4.0
    gpus: int = 0
    pids: int = AgentLimits().pids
    seconds: float | None = None
    scratch: int = AgentLimits().scratch


@dataclass(frozen=True, slots=True)
class GrantedResources:
    """The limits in force, and a sentence for each request that exceeds them."""

    limits: AgentLimits
    notes: tuple[str, ...] = ()


def grant(wanted: Hardware, ceiling: ResourceCeiling) -> GrantedResources:
    """What a manifest asks for, cut to the organiser's maximum."""
    notes = []
    if wanted.memory > ceiling.memory:
        notes.append(
            f"the manifest asks for {gibibytes(wanted.memory)} of memory; the organiser's maximum"
            f" of {gibibytes(ceiling.memory)} is given"
        )
    if wanted.cpus > ceiling.cpus:
        notes.append(
            f"the manifest asks for {wanted.cpus:g} cores; the organiser's maximum of"
            f" {ceiling.cpus:g} is given"
        )
    if wanted.gpus > ceiling.gpus:
        given = f"maximum of {ceiling.gpus} is given" if ceiling.gpus else "sandbox has none"
        notes.append(f"the manifest asks for {wanted.gpus} GPUs; the organiser's {given}")
    gpus = min(wanted.gpus, ceiling.gpus)
    limits = replace(
        AgentLimits(),
        memory=min(wanted.memory, ceiling.memory),
        cpus=min(wanted.cpus, ceiling.cpus),
        gpus=str(gpus) if gpus else "",
        pids=ceiling.pids,
        seconds=ceiling.seconds,
        scratch=ceiling.scratch,
    )
    return GrantedResources(limits, tuple(notes))


def with_limits(options: SandboxOptions, limits: AgentLimits) -> SandboxOptions:
    """The organiser's sandbox with a submission's limits, as far as a sandbox can keep them: a
    plain process keeps none but that of time."""
    return replace(options, limits=limits)


def gibibytes(size: int) -> str:
    """``4 GiB``, ``512 MiB``."""
    return f"{size / GIB:g} GiB" if size >= GIB else f"{size / 2**20:g} MiB"
