"""``houseguest trace``: one episode as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from env_service.cli.errors import Misuse
from env_service.cli.index import opened_index, synchronize
from env_service.cli.options import json_option, print_json
from env_service.cli.output import count_text, size_text
from env_service.cli.run_arguments import find_episode
from env_service.domain.text import safe

if TYPE_CHECKING:
    from env_service.view.trace_file import TraceFile

_EXAMPLES = """\b
Examples:
  houseguest trace RUN TASK                     write trace-TASK.html
  houseguest trace RUN TASK --repeat 1 --out lost.html
  houseguest trace RUN EPISODE --max-size 5     at most 5 MB
  houseguest show RUN --failures                the tasks to look at
"""


@click.command("trace", epilog=_EXAMPLES)
@click.argument(
    "path", metavar="RUN", type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.argument("name", metavar="TASK|EPISODE")
@click.option("--repeat", default=0, metavar="N", help="The repeat of the task.  [default: 0]")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The file to write.  [default: trace-TASK.html]",
)
@click.option(
    "--max-size",
    type=click.FloatRange(min=0.5, max=1000),
    default=20.0,
    show_default=True,
    metavar="MB",
    help="The largest file; larger pictures are stored smaller.",
)
@click.option(
    "--no-replay", is_flag=True, help="Do not replay the episode. The page lacks the true state."
)
@json_option
def trace_command(  # noqa: PLR0913 - one parameter an option
    path: Path,
    name: str,
    *,
    repeat: int,
    out: Path | None,
    max_size: float,
    no_replay: bool,
    as_json: bool,
) -> None:
    """Write an episode as one HTML file that you can send.

    The file contains the viewer's page of the episode with all pictures. It opens in a browser
    without a service or network access.
    """
    from env_service.results.manifest import slug
    from env_service.results.run_reader import is_run, read_run

    if not is_run(path):
        raise click.UsageError(f"{path} is not a run folder.")
    record = find_episode(read_run(path), name, repeat)
    trace = _trace(path, record.episode_id, round(max_size * 1e6), replay=not no_replay)
    place = out or Path(f"trace-{slug(record.task_id)}.html")
    size = _write(place, trace.text)
    if as_json:
        counts = {"bytes": size, "pictures": trace.pictures}
        found = {"page": str(place), "episode": record.episode_id, "task": record.task_id, **counts}
        print_json({**found, "note": trace.note, "problem": trace.problem})
        return
    for text in (trace.note, f"Not replayed: {trace.problem}." if trace.problem else ""):
        if text:
            click.echo(safe(text), err=True)
    click.echo(safe(f"{place}: {count_text(trace.pictures, 'picture')}, {size_text(size)}"))


def _trace(path: Path, episode_id: str, most: int, *, replay: bool) -> TraceFile:
    """The page of an episode, of at most ``most`` bytes. Raises Misuse."""
    folder = path.resolve()
    with opened_index(folder.parent) as index:
        from env_service.results.pictures import RecordingError
        from env_service.view.requests import RefusedError
        from env_service.view.trace_file import TooLargeError, make_trace

        synchronize(index, (folder.name,))
        try:
            return make_trace(index, folder.name, episode_id, most, replay=replay)
        except (RefusedError, RecordingError) as error:
            raise Misuse(f"{path}, {episode_id}: {error}.") from None
        except TooLargeError as error:
            needed = size_text(error.needed)
            raise Misuse(
                f"{episode_id} needs {needed} without any picture: pass a larger --max-size."
            ) from None


def _write(place: Path, text: str) -> int:
    """Writes the page and returns its size in bytes. Raises Misuse."""
    from env_service.storage.atomic_files import write_atomically

    data = text.encode()
    try:
        write_atomically(place, data)
    except OSError as error:
        raise Misuse(f"{place} cannot be written: {error.strerror}. Name another one.") from None
    return len(data)
