"""The resources of a submission: its requests, up to the organiser's maximum."""

from __future__ import annotations

from dataclasses import dataclass, replace

from env_service.sandbox.options import GIB, AgentLimits, SandboxOptions
from env_service.submissions.manifest import Hardware


@dataclass(frozen=True, slots=True)
class ResourceCeiling:
    """The organiser's maximum for one container: bytes, cores, GPUs, processes, seconds.

    ``seconds`` limits the container's lifetime; None means no limit. ``scratch`` is the size of its
    /tmp.
    """

    memory: int = 16 * GIB
    cpus: float = 4.0
    gpus: int = 0
    pids: int = AgentLimits().pids
    seconds: float | None = None
    scratch: int = AgentLimits().scratch


@dataclass(frozen=True, slots=True)
class GrantedResources:
    """The limits that apply, and a sentence for each request that exceeds them."""

    limits: AgentLimits
    notes: tuple[str, ...] = ()


def grant(wanted: Hardware, ceiling: ResourceCeiling) -> GrantedResources:
    """A manifest's requests, reduced to the organiser's maximum."""
    notes = []
    if wanted.memory > ceiling.memory:
        notes.append(
            f"the manifest requests {gibibytes(wanted.memory)} of memory; it gets the organiser's"
            f" maximum of {gibibytes(ceiling.memory)}"
        )
    if wanted.cpus > ceiling.cpus:
        notes.append(
            f"the manifest requests {wanted.cpus:g} cores; it gets the organiser's maximum of"
            f" {ceiling.cpus:g}"
        )
    if wanted.gpus > ceiling.gpus:
        given = f"the organiser's maximum of {ceiling.gpus}" if ceiling.gpus else "none"
        notes.append(f"the manifest requests {wanted.gpus} GPUs; it gets {given}")
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
    """The organiser's sandbox options with a submission's limits. A plain process enforces only the
    time limit."""
    return replace(options, limits=limits)


def gibibytes(size: int) -> str:
    """A size as a text such as ``4 GiB`` or ``512 MiB``."""
    return f"{size / GIB:g} GiB" if size >= GIB else f"{size / 2**20:g} MiB"
