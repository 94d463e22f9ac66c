"""Opens the sandbox that a user's options ask for."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from env_service.sandbox.agents import AgentCommand, AgentImage
from env_service.sandbox.bwrap.sandbox import open_bwrap
from env_service.sandbox.errors import AgentSpecError
from env_service.sandbox.interface import Sandbox
from env_service.sandbox.model_relay import ModelRelay, RelayedSandbox, read_model_server
from env_service.sandbox.options import BWRAP, DOCKER, KINDS, PROCESS, SandboxOptions, check_mount
from env_service.sandbox.process import ProcessSandbox

__all__ = ["OpenedSandbox", "SandboxOptions", "open_recorded", "open_sandbox"]

_HONOURED = {
    DOCKER: frozenset(
        {
            *("--guest-memory", "--guest-cpus", "--guest-pids", "--guest-gpus", "--time-limit"),
            *("--runtime", "--network", "--mount", "--env", "--model-server"),
        }
    ),
    BWRAP: frozenset(
        {
            *("--guest-memory", "--guest-cpus", "--guest-pids", "--time-limit", "--mount"),
            *("--env", "--model-server"),
        }
    ),
    PROCESS: frozenset({"--time-limit", "--env"}),
}
"""The options that each kind of sandbox supports."""


@dataclass(frozen=True, slots=True)
class OpenedSandbox:
    """A sandbox, and what a run's manifest records of it."""

    sandbox: Sandbox
    facts: Mapping[str, Any]


def open_sandbox(agent: AgentCommand | AgentImage, options: SandboxOptions) -> Sandbox:
    """The sandbox of that kind; see ``open_recorded``."""
    return open_recorded(agent, options).sandbox


def open_recorded(agent: AgentCommand | AgentImage, options: SandboxOptions) -> OpenedSandbox:
    """The sandbox of that kind for this agent. May take a moment: it calls the engine.

    Raises AgentSpecError for a kind that does not fit the agent, and for options that it cannot
    honour; ImageMissingError and AgentStartError where the sandbox cannot be had.
    """
    kind = settle_kind(agent, options)
    for mount in options.mounts:
        check_mount(mount)
    if not options.model_server:
        return _open(kind, agent, options)
    relay = ModelRelay(read_model_server(options.model_server))
    try:
        opened = _open(kind, agent, _with_relay(options, relay))
    except BaseException:
        relay.discard()
        raise
    return replace(opened, sandbox=RelayedSandbox(opened.sandbox, relay))


def settle_kind(agent: AgentCommand | AgentImage, options: SandboxOptions) -> str:
    """The kind of sandbox that the options mean. Raises AgentSpecError if it does not fit."""
    image = isinstance(agent, AgentImage)
    kind = options.kind or (DOCKER if image else PROCESS)
    if kind not in KINDS:
        raise AgentSpecError(f"--sandbox {kind}: it must be one of {', '.join(KINDS)}")
    if image and kind != DOCKER:
        raise AgentSpecError(f"--sandbox {kind} is for commands: an image needs docker")
    if not image and kind == DOCKER:
        raise AgentSpecError(
            "--sandbox docker needs an image, such as --agent image:my-agent; for a command, use"
            " --sandbox bwrap"
        )
    if lost := sorted(options.asked - _HONOURED[kind]):
        others = [each for each in KINDS if set(lost) <= _HONOURED[each] and each != kind]
        hint = f"; {' and '.join(others)} can" if others else ""
        raise AgentSpecError(f"--sandbox {kind} cannot enforce {', '.join(lost)}{hint}")
    return kind


def _open(kind: str, agent: AgentCommand | AgentImage, options: SandboxOptions) -> OpenedSandbox:
    facts = {"sandbox": kind, "limits": _limits(kind, options)}
    if isinstance(agent, AgentImage):
        # Imported where used: the engine's client takes a while to load.
        from env_service.sandbox.docker.sandbox import open_docker  # noqa: PLC0415 - see above

        docker = open_docker(agent, options)
        return OpenedSandbox(docker, {**facts, **docker.facts})
    seen = {**os.environ, **options.environment} if kind == PROCESS else options.environment
    agent.check_wants(seen)
    if kind == BWRAP:
        bwrap = open_bwrap(agent, options)
        return OpenedSandbox(bwrap, {**facts, **bwrap.facts})
    process = ProcessSandbox(agent, options.limits.seconds, options.environment)
    return OpenedSandbox(process, facts)


def _with_relay(options: SandboxOptions, relay: ModelRelay) -> SandboxOptions:
    return replace(
        options,
        mounts=(*options.mounts, relay.mount),
        environment={**options.environment, **relay.environment},
    )


def _limits(kind: str, options: SandboxOptions) -> dict[str, Any]:
    """The limits that apply."""
    limits = asdict(options.limits)
    return {"seconds": limits["seconds"]} if kind == PROCESS else limits
