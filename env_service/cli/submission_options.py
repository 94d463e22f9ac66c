"""Options that the commands about submissions share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from env_service.cli.sandbox_options import memory_value, time_value
from env_service.sandbox.options import KINDS, SandboxOptions

if TYPE_CHECKING:
    from env_service.submissions.resource_grants import ResourceCeiling

F = TypeVar("F", bound=Callable[..., Any])

_SANDBOX_HELP = """docker for images; bwrap (bubblewrap) or process, which has no isolation, for a
folder with your own code.  [default: docker for an image, process for a folder]"""


def organiser_options(command: F) -> F:
    """Adds the organiser's options, read by ``read_ceiling`` and ``read_organiser_sandbox``."""
    for option in reversed(
        (
            click.option(
                "--max-memory",
                default="16g",
                show_default=True,
                metavar="SIZE",
                callback=memory_value,
                help="Maximum memory of a container, regardless of its manifest.",
            ),
            click.option(
                "--max-cpus",
                default=4.0,
                show_default=True,
                metavar="N",
                type=click.FloatRange(0.1, 1024),
                help="Maximum number of cores of a container.",
            ),
            click.option(
                "--max-gpus",
                default=0,
                show_default=True,
                metavar="N",
                type=click.IntRange(0, 64),
                help="Maximum number of GPUs of a container.",
            ),
            click.option(
                "--time-limit",
                metavar="TIME",
                callback=time_value,
                help="Time limit of a container, such as 30m or 2h.  [default: none]",
            ),
            click.option(
                "--sandbox",
                type=click.Choice(KINDS),
                metavar="|".join(KINDS),
                help=_SANDBOX_HELP,
            ),
            click.option(
                "--runtime", default="", metavar="NAME", help="A runtime of the Docker engine."
            ),
        )
    ):
        command = option(command)
    return command


def read_ceiling(given: Mapping[str, Any]) -> ResourceCeiling:
    """The organiser's limits, from the parameters of a command with ``organiser_options``."""
    from env_service.submissions.resource_grants import ResourceCeiling

    return replace(
        ResourceCeiling(),
        memory=given["max_memory"],
        cpus=given["max_cpus"],
        gpus=given["max_gpus"],
        seconds=given["time_limit"],
    )


def read_organiser_sandbox(given: Mapping[str, Any]) -> SandboxOptions:
    """The sandbox options, without limits, which come from the submission's manifest."""
    runtime = given["runtime"]
    asked = frozenset({"--runtime"}) if runtime else frozenset()
    return SandboxOptions(kind=given["sandbox"] or "", runtime=runtime, asked=asked)


@contextmanager
def stoppable() -> Iterator[None]:
    """Handles SIGTERM like Ctrl-C in this block, so that agents are stopped and removed.

    It also enables SIGINT if the shell ignores it, as scripts do for a command with ``&``.
    """
    import signal

    interrupted = signal.getsignal(signal.SIGINT)
    if interrupted is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.signal(signal.SIGINT, interrupted)
