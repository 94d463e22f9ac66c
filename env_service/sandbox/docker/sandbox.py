"""Starts agents in containers, and leaves none behind."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from docker.client import DockerClient
from docker.types import DeviceRequest, LogConfig, Mount, Ulimit

from env_service.sandbox.agent_output import LOG_BYTES, AgentLog
from env_service.sandbox.agents import AgentImage
from env_service.sandbox.docker.container import (
    DockerAgent,
    launch,
    remove_owned,
    start_error,
    sweep,
)
from env_service.sandbox.docker.engine import (
    FAILURES,
    Calls,
    Image,
    Runtime,
    choose_runtime,
    connect,
    find_image,
    reason,
)
from env_service.sandbox.docker.owner import Owner
from env_service.sandbox.docker.watchdog import Watchdog
from env_service.sandbox.errors import AgentStartError
from env_service.sandbox.interface import AgentStart
from env_service.sandbox.options import (
    GIB,
    MIB,
    MODEL,
    SERVICE,
    AgentLimits,
    ReadOnlyMount,
    SandboxOptions,
    socket_of,
)

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Opened:
    """What the engine answered."""

    client: DockerClient
    confinement: Confinement
    info: Mapping[str, Any]


def open_docker(agent: AgentImage, options: SandboxOptions) -> DockerSandbox:
    """A sandbox for agents of an image; removes the containers of services that have ended.

    Asks the engine, which takes a moment. Raises ImageMissingError, and AgentStartError where the
    engine does not answer or cannot do what the options ask for.
    """
    client = connect()
    try:
        info: dict[str, Any] = client.info()
        image = find_image(client, agent.image_id or agent.reference)
        options = _fitting(options, info)
        gpu_requests(options.limits.gpus)
        check_sources(options.mounts, _socket(client))
        runtime = choose_runtime(info, options.runtime, gpus=bool(options.limits.gpus))
        _check_network(client, options.network)
        with contextlib.suppress(*FAILURES):
            sweep(client)
    except FAILURES as error:
        client.close()
        raise AgentStartError(f"the Docker engine failed: {reason(error)}") from error
    except BaseException:
        client.close()
        raise
    agent = replace(agent, shared=image.shared)
    confinement = Confinement(agent, image, options, runtime, Owner.myself())
    return DockerSandbox(Opened(client, confinement, info))


class DockerSandbox:
    """Starts containers of one image. For one event loop, which no call to the engine holds up."""

    def __init__(self, opened: Opened) -> None:
        self._client, self._info = opened.client, opened.info
        self._confinement = opened.confinement
        self._calls = Calls()
        self._watching = asyncio.Lock()
        self._watchdog: Watchdog | None = None
        self._closed = False

    @property
    def shared(self) -> bool:
        """Whether one agent plays every session of a run."""
        return self._confinement.agent.shared

    @property
    def isolation(self) -> str:
        """One line on what an agent can do in here, and what it cannot."""
        return describe(self._confinement.options, self._confinement.runtime, self._info)

    @property
    def facts(self) -> dict[str, Any]:
        """What a run's manifest records of it."""
        return recorded(self._confinement, self._info)

    async def start(self, agent_start: AgentStart, log_path: Path) -> DockerAgent:
        """Starts a container.

        Raises ImageMissingError where the image was removed meanwhile, and AgentStartError for
        whatever else keeps it from starting, a program that cannot be run included.
        """
        if self._closed:
            raise AgentStartError("the sandbox is closed")
        settings = self._confinement.settings(agent_start)
        log = AgentLog(log_path, LOG_BYTES)
        try:
            await self._watch()
            launched = await self._calls.make(launch, self._client, settings)
        except FAILURES as error:
            log.close()
            raise start_error(self._confinement.agent.reference, error) from error
        except BaseException:
            log.close()
            raise
        agent = DockerAgent(self._client, self._calls, launched, log)
        seconds = self._confinement.options.limits.seconds
        try:
            if seconds is not None:
                agent.limit(seconds)
            await agent.check_started()
        except BaseException:
            await agent.stop(patience=0)
            raise
        return agent

    async def close(self) -> None:
        """Removes every container that was made here. Idempotent."""
        if self._closed:
            return
        self._closed = True
        # Containers that were being started exist now, whether their callers still wait or not.
        await self._calls.end()
        clean = await asyncio.to_thread(self._remove_all)
        if self._watchdog is not None:
            await asyncio.to_thread(self._watchdog.dismiss, clean=clean)
        self._client.close()

    def _remove_all(self) -> bool:
        try:
            remove_owned(self._client, self._confinement.owner)
        except FAILURES as error:
            LOG.warning("containers could not be removed: %s", reason(error))
            return False
        return True

    async def _watch(self) -> None:
        """Starts the watchdog, before there is any container."""
        async with self._watching:
            if self._watchdog is None:
                self._watchdog = await self._calls.make(Watchdog, self._confinement.owner)


def _fitting(options: SandboxOptions, info: Mapping[str, Any]) -> SandboxOptions:
    """The options with no more cores than the engine has. Raises AgentStartError where more were
    asked for."""
    wanted = options.limits.cpus
    cores = float(info.get("NCPU") or wanted)
    if wanted <= cores:
        return options
    if "--guest-cpus" in options.asked:
        raise AgentStartError(f"--guest-cpus {wanted:g}: the engine has {cores:g} cores")
    return replace(options, limits=replace(options.limits, cpus=cores))


def _socket(client: DockerClient) -> Path | None:
    """The socket by which the engine is reached."""
    adapter = getattr(client.api, "_custom_adapter", None)
    path = getattr(adapter, "socket_path", None)
    return None if path is None else Path(path).resolve()


def _check_network(client: DockerClient, network: str) -> None:
    if network in ("", "none"):
        return
    known = sorted(str(each.name) for each in client.networks.list())
    if network not in known or network.startswith("container:"):
        raise AgentStartError(
            f"--network {network}: the engine has no such network, only {', '.join(known)}"
        )


# --- The arguments that an agent's container is created with

USER = "10001:10001"
SHARED_MEMORY = 64 * MIB
"""Bytes of /dev/shm; they count as the agent's memory."""
OPEN_FILES = 4096
MOST_VOLUMES = 32
NO_NETWORK = "none"
_TMPFS = "rw,noexec,nosuid,nodev"
GROUP = "10001"
_NUMERIC = re.compile(r"(?P<uid>[0-9]{1,10})(:(?P<gid>[0-9]{1,10}))?")


@dataclass(frozen=True, slots=True)
class Confinement:
    """The settings that all containers of a run share."""

    agent: AgentImage
    image: Image
    options: SandboxOptions
    runtime: Runtime
    owner: Owner

    def settings(self, agent_start: AgentStart) -> dict[str, Any]:
        """Arguments for ``DockerClient.containers.create``.

        Nothing is left to the image but its files, its entry point, its variables and, where it
        is a harmless one, its user: a health check, a stop signal, volumes and ports that it
        declares have no effect. Raises AgentStartError for what cannot be.
        """
        limits = self.options.limits
        socket = socket_of(agent_start.address)
        environment = {**self._home(), **self.options.environment, **agent_start.environment()}
        environment["HOUSEGUEST_ADDRESS"] = f"unix:{SERVICE / socket.name}"
        service = ReadOnlyMount(socket.parent, SERVICE)
        return {
            "name": f"houseguest-{secrets.token_hex(6)}",
            "image": self.image.id,
            "command": list(self.agent.arguments) or None,
            "environment": environment,
            **_for_every_agent(),
            "user": safe_user(self.image.user),
            "labels": self.owner.labels,
            "runtime": self.runtime.name,
            "network_mode": self.options.network or NO_NETWORK,
            "mem_limit": limits.memory,
            # Memory and swap together: this allows no swap.
            "memswap_limit": limits.memory,
            "nano_cpus": round(limits.cpus * 1e9),
            "pids_limit": limits.pids + self.runtime.spare_pids,
            "tmpfs": self._scratch(),
            "mounts": [_bind(mount) for mount in (service, *self.options.mounts)],
            "device_requests": gpu_requests(limits.gpus),
        }

    def _home(self) -> dict[str, str]:
        """A user that the image does not know has / for a home, where nothing can be written."""
        known = self.image.home or _uid(safe_user(self.image.user)) == _uid(self.image.user)
        return {} if known else {"HOME": "/tmp"}  # noqa: S108 - the agent's own

    def _scratch(self) -> dict[str, str]:
        """Writable folders in memory: /tmp, and the volumes that the image declares, which would
        otherwise be on the engine's disk, without bound."""
        if len(self.image.volumes) > MOST_VOLUMES:
            raise AgentStartError(
                f"the image {self.agent.reference} declares {len(self.image.volumes)} volumes, but"
                f" an agent gets at most {MOST_VOLUMES}: remove VOLUME from its Dockerfile"
            )
        mounted = (SERVICE, *(mount.target for mount in self.options.mounts))
        taken = {*map(str, mounted), "/dev/shm"}  # noqa: S108 - the agent's, with a separate size
        flags = f"{_TMPFS},size={self.options.limits.scratch},mode=1777"
        wanted = {str(PurePosixPath(path)) for path in self.image.volumes} | {"/tmp"}  # noqa: S108 - the agent's own
        if "/" in wanted:
            raise AgentStartError(
                f"the image {self.agent.reference} declares / as a volume: remove that VOLUME"
            )
        return dict.fromkeys(sorted(wanted - taken), flags)


def _for_every_agent() -> dict[str, Any]:
    """Settings that no agent, image or option changes."""
    return {
        # The engine's client would pass on its proxies, with their passwords.
        "use_config_proxy": False,
        "hostname": "guest",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges:true"],
        "privileged": False,
        "init": True,
        "ipc_mode": "private",
        "oom_score_adj": 500,
        "shm_size": SHARED_MEMORY,
        "ulimits": [
            Ulimit(name="core", soft=0, hard=0),
            Ulimit(name="nofile", soft=OPEN_FILES, hard=OPEN_FILES),
        ],
        "restart_policy": {"Name": "no"},
        "healthcheck": {"test": ["NONE"]},
        "stop_signal": "SIGTERM",
        # Measured: through a log file of one megabyte a flood costs the engine ten times the
        # processor time, and its last words, which say why an agent died, were lost. With
        # none the engine writes nothing; we read from before the agent starts.
        "log_config": LogConfig(type="none"),
    }


def _uid(user: str) -> str:
    return user.partition(":")[0]


def safe_user(user: str) -> str:
    """The user that an agent runs as: the image's user if that is a number other than 0.

    Root becomes 10001:10001. So does a missing user, which means root, and a name, because the
    image decides which number a name means, and it may be 0. Capabilities are dropped for every
    user, but the kernel checks some rights by number, such as those of files in a mounted folder,
    and there root in a container is root. The same holds for root's group, which a user without a
    group gets: it becomes GROUP.
    """
    own = _NUMERIC.fullmatch(user)
    if own is None or not 0 < int(own["uid"]) < 2**31:
        return USER
    return user if 0 < int(own["gid"] or 0) < 2**31 else f"{own['uid']}:{GROUP}"


def gpu_requests(gpus: str) -> list[DeviceRequest]:
    """``all``, a number, or ``device=0,2``, as Docker's own --gpus has it; empty: none.

    Raises AgentStartError for anything else.
    """
    if not gpus:
        return []
    kind: dict[str, Any] = {"capabilities": [["gpu"]]}
    if gpus == "all":
        return [DeviceRequest(count=-1, **kind)]
    if gpus.isascii() and gpus.isdecimal() and int(gpus) > 0:
        return [DeviceRequest(count=int(gpus), **kind)]
    chosen = [each for each in gpus.removeprefix("device=").split(",") if each]
    if gpus.startswith("device=") and chosen:
        return [DeviceRequest(device_ids=chosen, **kind)]
    raise AgentStartError(f"GPUs must be all, a number above 0, or device=0,2 — not {gpus!r}")


def check_sources(mounts: tuple[ReadOnlyMount, ...], engine_socket: Path | None) -> None:
    """Raises AgentStartError for a folder that holds the engine's socket."""
    for mount in mounts:
        if engine_socket is not None and engine_socket.is_relative_to(mount.source.resolve()):
            raise AgentStartError(
                f"--mount {mount.source}: it contains the engine's socket {engine_socket}, which"
                " would give the agent root access to this machine"
            )


def recorded(confinement: Confinement, info: Mapping[str, Any]) -> dict[str, Any]:
    """What a run's manifest records of its agents' isolation."""
    image, options = confinement.image, confinement.options
    return {
        "runtime": confinement.runtime.name,
        "engine": str(info.get("ServerVersion") or ""),
        "network": options.network or NO_NETWORK,
        "user": safe_user(image.user),
        "image": {
            "reference": confinement.agent.reference,
            "id": image.id,
            "repo_digests": list(image.repo_digests),
        },
    }


def _bind(mount: ReadOnlyMount) -> Mount:
    bound = Mount(str(mount.target), str(mount.source), type="bind", read_only=True)
    # What is mounted below the folder would be writable with engines before Docker 25.
    bound["BindOptions"] = {"NonRecursive": True, "Propagation": "rprivate"}
    return bound


# --- One line on what a container prevents, and what it does not

_ENFORCED = {
    "MemoryLimit": "memory",
    "SwapLimit": "swap",
    "CpuCfsQuota": "cpus",
    "PidsLimit": "processes",
}
"""The engine's names of its limits, and what they limit."""
_STRICT_ENGINE = 25
"""The first engine whose own filter of system calls leaves out io_uring; AF_VSOCK went before."""


def describe(options: SandboxOptions, runtime: Runtime, info: Mapping[str, Any]) -> str:
    """What a user should know before an untrusted image runs."""
    return "; ".join(_parts(options, runtime, info))


def _parts(options: SandboxOptions, runtime: Runtime, info: Mapping[str, Any]) -> Iterator[str]:
    kernel = "a separate kernel" if runtime.gvisor else "on this machine's kernel"
    yield f"a Docker container ({runtime.name}, {kernel})"
    yield _network(options.network)
    yield "its files are read-only, it has no privileges"
    yield _limits(options.limits)
    if options.model_server:
        yield f"a relay to {options.model_server}"
    folders = [str(mount.source) for mount in options.mounts if mount.target != MODEL]
    if folders:
        yield f"it can read {', '.join(folders)}"
    if options.limits.gpus:
        yield f"GPUs ({options.limits.gpus}), whose driver it shares with this machine"
    missing = [what for key, what in _ENFORCED.items() if info.get(key) is False]
    if missing:
        yield f"this engine does NOT limit {', '.join(missing)}"
    if not runtime.gvisor and 0 < _major(info) < _STRICT_ENGINE:
        yield (
            f"Docker {info['ServerVersion']} lets it call io_uring and, before 23, open AF_VSOCK:"
            f" {_STRICT_ENGINE} or newer does not"
        )


def _network(network: str) -> str:
    if network in ("", NO_NETWORK):
        return "no network"
    if network == "host":
        return "the network of this machine, all of it"
    return (
        f"the network {network}: whatever is on it, and services of this machine that listen on"
        " all addresses, even if the network is an internal one"
    )


def _limits(limits: AgentLimits) -> str:
    words = [f"{size(limits.memory)} memory", f"{limits.cpus:g} cpus", f"{limits.pids} processes"]
    if limits.seconds is not None:
        words.append(f"{limits.seconds:g} s")
    return "at most " + ", ".join(words)


def size(count: int) -> str:
    """Bytes, for people."""
    return f"{count / GIB:g} GiB" if count >= GIB else f"{count / MIB:g} MiB"


def _major(info: Mapping[str, Any]) -> int:
    first = str(info.get("ServerVersion") or "").partition(".")[0]
    return int(first) if first.isdecimal() else 0
