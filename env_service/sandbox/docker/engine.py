"""The Docker engine, called without blocking the event loop, and its runtimes."""

import asyncio
import os
import shlex
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ParamSpec, TypeVar

import requests
from docker.client import DockerClient
from docker.context import ContextAPI
from docker.errors import APIError, DockerException, ImageNotFound
from docker.utils.utils import kwargs_from_env

from env_service.sandbox.agents import AgentImage, AgentSpec, repository
from env_service.sandbox.errors import AgentStartError, ImageMissingError

P = ParamSpec("P")
T = TypeVar("T")

CALL_SECONDS = 120.0
"""How long the engine may take to answer one call, on a machine where many agents start."""
_THREADS = 8
"""Simultaneous calls. Calls that wait long get separate threads."""
FAILURES = (DockerException, requests.RequestException, OSError)
"""What a call to the engine raises. A closed connection comes as an error of requests, or bare."""


def connect() -> DockerClient:
    """A client of the engine that the ``docker`` command would use: DOCKER_HOST, else the chosen
    context. Raises AgentStartError where none answers."""
    where = "the Docker engine"
    try:
        settings = kwargs_from_env()
        if not os.environ.get("DOCKER_HOST"):
            context = ContextAPI.get_current_context()
            if context is not None and context.Host:
                settings["base_url"] = context.Host
        where = f"the Docker engine at {settings.get('base_url') or 'its usual socket'}"
        client = DockerClient(timeout=int(CALL_SECONDS), max_pool_size=64, **settings)
        client.ping()
    except FAILURES as error:
        raise AgentStartError(_unreachable(where, error)) from error
    return client


class Calls:
    """A few threads for calls to the engine, none of which takes long."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="docker")
        self._ended = False

    async def make(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The call's result. Cancelling the wait does not stop the call.

        Raises what the call raises, and DockerException once they have ended.
        """
        if self._ended:
            raise DockerException("the sandbox is closed")
        work = partial(call, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def end(self) -> None:
        """Waits for every call that was begun, and takes no more."""
        self._ended = True
        await asyncio.to_thread(self._threads.shutdown)


def reason(error: BaseException) -> str:
    """What the engine, or the way to it, says is wrong; one line."""
    text = error.explanation if isinstance(error, APIError) and error.explanation else str(error)
    return " ".join(str(text).split())


def _unreachable(where: str, error: BaseException) -> str:
    said = reason(error)
    if "Permission denied" in said:
        return (
            f"this user may not use {where}: join the group docker"
            " (sudo usermod -aG docker $USER, then log in again), or use rootless Docker"
        )
    if any(sign in said for sign in ("No such file", "Connection refused", "FileNotFound")):
        return (
            f"{where} does not answer: install Docker and start it (sudo systemctl start docker),"
            " or set DOCKER_HOST to where it listens"
        )
    return f"{where} cannot be used: {said}"


# --- The engine's runtimes

GVISOR = "runsc"
GVISOR_PIDS = 512
"""Threads that gVisor's own kernel may need beyond the agent's: they count against its limit,
and one of 64 in all ended the sandbox itself."""
_UDS_FLAGS = ("--host-uds=open", "--host-uds=all", "--fsgofer-host-uds")
"""What lets an agent in gVisor connect to a Unix socket of the host (gvisor.dev, runsc flags)."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """A runtime by the engine's name for it. ``gvisor``: it runs agents on a separate kernel."""

    name: str
    gvisor: bool = False

    @property
    def spare_pids(self) -> int:
        """How many processes and threads of the runtime count against the agent's limit."""
        return GVISOR_PIDS if self.gvisor else 0


def choose_runtime(info: Mapping[str, Any], wanted: str, *, gpus: bool = False) -> Runtime:
    """The runtime that was asked for; else gVisor where the engine has it; else the engine's own.

    ``info`` is what the engine says of itself. With GPUs gVisor has to be asked for, because not
    every version of it passes them on. Raises AgentStartError for a runtime that the engine does
    not have, and for gVisor where it would keep agents from the service.
    """
    known: Mapping[str, Any] = info.get("Runtimes") or {}
    if wanted and wanted not in known:
        raise AgentStartError(
            f"--runtime {wanted}: the engine has no such runtime, only {', '.join(sorted(known))}"
        )
    name = wanted or (GVISOR if GVISOR in known and not gpus else "")
    name = name or info.get("DefaultRuntime") or "runc"
    runtime = Runtime(name, gvisor=_is_gvisor(name, known.get(name) or {}))
    if runtime.gvisor:
        _check_sockets(name, known[name])
    return runtime


def _is_gvisor(name: str, settings: Mapping[str, Any]) -> bool:
    program = str(settings.get("path") or "").rpartition("/")[2]
    return GVISOR in (name, program) or "runsc" in str(settings.get("runtimeType") or "")


def _check_sockets(name: str, settings: Mapping[str, Any]) -> None:
    # A runtime by type has its flags in a separate file, which the engine does not report.
    if settings.get("runtimeType"):
        return
    arguments = settings.get("runtimeArgs") or ()
    if not any(argument.startswith(_UDS_FLAGS) for argument in arguments):
        raise AgentStartError(
            f"the runtime {name} blocks the service's Unix socket: give it the argument"
            ' --host-uds=open ("runtimeArgs" in /etc/docker/daemon.json, then restart Docker), or'
            " choose another runtime, such as --runtime runc"
        )


# --- Images, as far as an agent's start depends on them

SHARED_LABEL = "houseguest.shared"
"""An image with this label at ``true`` is started once, and plays every session of a run."""
LABEL_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Image:
    """An image that the engine has.

    ``id`` is ``sha256:…``; ``repo_digests`` are the digests under which registries know it.
    ``user`` is what its Dockerfile says, often empty; ``volumes`` are the paths that it declares
    as such. ``home``: it says where a home folder is.
    """

    id: str
    repo_digests: tuple[str, ...] = ()
    user: str = ""
    volumes: tuple[str, ...] = ()
    shared: bool = False
    home: bool = False


def find_image(client: DockerClient, reference: str) -> Image:
    """The image of that name, which is never downloaded: what is played is what was looked at.

    Raises ImageMissingError, and AgentStartError where the engine does not answer.
    """
    try:
        found = client.images.get(reference)
    except ImageNotFound as error:
        raise ImageMissingError(
            f"the engine has no image {reference}: build it (docker build -t {reference} FOLDER) or"
            f" download it (docker pull {reference})"
        ) from error
    except FAILURES as error:
        raise AgentStartError(f"cannot inspect the image {reference}: {reason(error)}") from error
    return read_image(found.attrs)


def read_image(attributes: Mapping[str, Any]) -> Image:
    """The image from what the engine says of it."""
    config = attributes.get("Config") or {}
    labels = config.get("Labels") or {}
    return Image(
        id=attributes["Id"],
        repo_digests=tuple(sorted(attributes.get("RepoDigests") or ())),
        user=config.get("User") or "",
        volumes=tuple(sorted(config.get("Volumes") or ())),
        shared=labels.get(SHARED_LABEL, "").lower() == "true",
        home=any(each.startswith("HOME=") for each in config.get("Env") or ()),
    )


def settle_image(agent: AgentSpec) -> AgentSpec:
    """The agent with the current id of its image; any other agent unchanged.

    The label becomes ``image:NAME@sha256:<12 digits of the image's id>`` with the arguments, so
    that a rebuilt image is another agent whatever its tag. Asks the engine, which may take a
    moment. Raises ImageMissingError and AgentStartError.
    """
    launch = agent.launch
    if not isinstance(launch, AgentImage):
        return agent
    image = check_image(launch)
    settled = replace(launch, shared=image.shared, image_id=image.id)
    return AgentSpec(image_label(settled), settled)


def check_image(launch: AgentImage) -> Image:
    """What the engine has under that name. Raises ImageMissingError and AgentStartError."""
    client = connect()
    try:
        return find_image(client, launch.reference)
    finally:
        client.close()


def image_label(launch: AgentImage) -> str:
    """The part of the run's identity that names an image by its id."""
    digits = launch.image_id.removeprefix("sha256:")[:LABEL_DIGITS]
    name = repository(launch.reference)
    at = f"{name}@sha256:{digits}" if name else f"sha256:{digits}"
    return " ".join((f"image:{at}", shlex.join(launch.arguments))).rstrip()
