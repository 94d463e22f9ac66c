"""Options for the GPUs and the memory of worlds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from env_service.engine.placement import Placement

F = TypeVar("F", bound=Callable[..., Any])

_GPUS_HELP = """GPUs for worlds: all, none, or indices and UUIDs from `nvidia-smi -L`, separated by
commas.  [default: each world chooses]"""


_MEMORY_HELP = """Memory limit of a world. A world above it is replaced after its episode; a world
above twice the limit is killed, and its episode is played again.  [default: a large share of the
machine's memory]"""


def placement_options(command: F) -> F:
    """Adds ``--gpus`` and ``--worlds-per-gpu``, read by ``read_placement``, and ``--world-memory``.

    The command's parameters are ``gpus: str`` (empty: not given), ``worlds_per_gpu: int``
    (0: not given) and ``world_memory: int | None`` (bytes).
    """
    memory = click.option(
        "--world-memory", type=float, metavar="GIB", callback=_bytes, help=_MEMORY_HELP
    )
    each = click.option(
        "--worlds-per-gpu",
        default=0,
        metavar="N",
        callback=_checked,
        help="Maximum number of concurrent worlds on one GPU.  [default: 4]",
    )
    gpus = click.option("--gpus", default="", metavar="all|none|I,J,…", help=_GPUS_HELP)
    return gpus(each(memory(command)))


def read_placement(gpus: str, worlds_per_gpu: int, *, shared: bool = False) -> Placement | None:
    """The placement from these options; None without ``gpus``.

    Raises click.UsageError and click.BadParameter.
    """
    if not gpus:
        if worlds_per_gpu:
            raise click.UsageError("--worlds-per-gpu needs --gpus, as in --gpus all.")
        return None
    import os

    from env_service.engine.placement import (
        DEFAULT_WORLDS_PER_GPU,
        Placement,
        choose_gpus,
        installed_gpus,
    )

    try:
        chosen = choose_gpus(gpus, installed_gpus(), os.environ)
    except ValueError as error:
        raise click.BadParameter(f"{error}.", param_hint="--gpus") from error
    if worlds_per_gpu and not chosen:
        raise click.UsageError("--worlds-per-gpu needs GPUs, but --gpus is none.")
    return Placement(chosen, worlds_per_gpu or DEFAULT_WORLDS_PER_GPU, shared=shared)


def check_workers(placement: Placement | None, workers: int) -> None:
    """Raises click.BadParameter if this number of workers does not fit on the GPUs."""
    if placement is not None:
        try:
            placement.check(workers)
        except ValueError as error:
            raise click.BadParameter(f"{error}.", param_hint="--workers") from error


def _bytes(_context: object, _parameter: object, gib: float | None) -> int | None:
    if gib is None:
        return None
    if not 0.1 <= gib <= 2**20:
        raise click.BadParameter(f"{gib} GiB is not from 0.1 to {2**20}.")
    return int(gib * 2**30)


def _checked(context: click.Context, parameter: click.Parameter, number: int) -> int:
    source = context.get_parameter_source(parameter.name or "")
    given = source is not click.core.ParameterSource.DEFAULT
    if number < 1 and given:
        raise click.BadParameter(f"{number} is not 1 or more.")
    return number
