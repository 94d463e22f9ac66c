"""``houseguest view``: serve what was recorded of runs, for a browser."""

from __future__ import annotations

import json
import logging
import secrets
import socket
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from env_service.cli.errors import Failure, Interrupted, Misuse
from env_service.cli.index import index_options, opened_index, synchronize
from env_service.cli.options import json_option, print_json
from env_service.cli.output import count_text, progress, size_text
from env_service.cli.serve import operator_token
from env_service.domain.text import safe

if TYPE_CHECKING:
    from env_service.index.store import Index

_MOST_PROBLEMS = 20

_EXAMPLES = """\b
Examples:
  houseguest view                            the runs in ./runs
  houseguest view results --listen 127.0.0.1:9000
  houseguest view --listen 0.0.0.0:8443 --tls-cert chain.pem --tls-key key.pem
  houseguest view --json | jq --raw-output .viewer
  houseguest view results --export site      files that open without a service
  houseguest view --export site --run RUN --run OTHER_RUN --no-replay
"""


@click.command("view", epilog=_EXAMPLES)
@index_options
@click.option(
    "--listen",
    default="127.0.0.1:7080",
    show_default=True,
    metavar="HOST:PORT",
    help="Where to listen; port 0 takes a free one.",
)
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File with the token that callers need; created with mode 0600 if missing.  [default:"
    " a new token for each start beyond this host, none on this host]",
)
@click.option(
    "--tls-cert", type=click.Path(exists=True, path_type=Path), help="PEM certificate chain."
)
@click.option("--tls-key", type=click.Path(exists=True, path_type=Path), help="PEM private key.")
@click.option("--plaintext", is_flag=True, help="Allow an address beyond this host without TLS.")
@click.option("--no-browser", is_flag=True, help="Open no browser.")
@click.option(
    "--export",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the pages with all data to a folder, and exit.",
)
@click.option(
    "--run", "runs", multiple=True, metavar="RUN", help="With --export: only this run; repeatable."
)
@click.option(
    "--no-replay",
    is_flag=True,
    help="With --export: do not replay episodes. Pages then lack the true state.",
)
@json_option
def view_command(  # noqa: PLR0913 - one parameter an option
    folder: Path,
    *,
    location: str,
    listen: str,
    token_file: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    plaintext: bool,
    no_browser: bool,
    export: Path | None,
    runs: tuple[str, ...],
    no_replay: bool,
    as_json: bool,
) -> int:
    """Serve runs for a browser, until Ctrl-C, or write them as a static site.

    The first time, the command reads all runs into an index, and then prints its address. It keeps
    the index up to date and never changes a run.

    With --export, it writes the same pages to a folder. You can open its index.html as a file, put
    the folder on a web server, or send it to someone.
    """
    if export is not None:
        return _export(folder, location, export, runs, replay=not no_replay, as_json=as_json)
    if runs or no_replay:
        raise Misuse("--run and --no-replay need --export DIR.")
    if any(find_spec(name) is None for name in ("starlette", "uvicorn")):
        raise Failure(
            "The viewer needs Starlette and uvicorn: pip install 'houseguest[view]'",
            kind="ExtraMissing",
        )
    place = _checked_place(listen, tls_cert, tls_key, plaintext=plaintext)
    if token_file is not None:
        place = replace(place, token=operator_token(token_file))
    with opened_index(folder, location) as index, suppress(KeyboardInterrupt):
        _serve(index, place, browser=not no_browser, as_json=as_json)
    return 0


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the service listens. ``token`` is empty if callers need none."""

    host: str
    port: int
    tls_cert: Path | None
    tls_key: Path | None
    local: bool
    token: str

    def address(self, port: int) -> str:
        """The address that a browser opens."""
        scheme = "https" if self.tls_cert else "http"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{host}:{port}/{f'?token={self.token}' if self.token else ''}"


def _checked_place(
    listen: str, tls_cert: Path | None, tls_key: Path | None, *, plaintext: bool
) -> _Place:
    """Raises Misuse. Beyond this host there is a new token."""
    from env_service.gateway.listeners import is_loopback

    if (tls_cert is None) != (tls_key is None):
        raise Misuse("--tls-cert and --tls-key need each other: pass both or neither.")
    host, port = read_address(listen)
    local = is_loopback(host)
    if not (local or tls_cert or plaintext):
        raise Misuse(
            f"{listen} would send the token and your runs unencrypted: give --tls-cert and"
            " --tls-key, or allow it with --plaintext."
        )
    return _Place(host, port, tls_cert, tls_key, local, "" if local else secrets.token_urlsafe(24))


def _serve(index: Index, place: _Place, *, browser: bool, as_json: bool) -> None:
    """Serves the runs until Ctrl-C. Raises Failure if the address is in use."""
    from env_service.view.app import make_app
    from env_service.view.server import serve

    with _bound(place.host, place.port) as bound:
        opened = place.address(bound.getsockname()[1])
        logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
        synchronize(index)
        if as_json:
            launch = {"event": "launch", "viewer": opened, "runs": str(index.folder)}
            click.echo(json.dumps(launch))
        else:
            click.echo(f"Runs:   {index.folder}\nViewer: {opened}\nPress Ctrl-C to stop.")
        if place.local and browser and not as_json:
            webbrowser.open(opened)
        serve(make_app(index, place.token), bound, place.tls_cert, place.tls_key)


def _export(  # noqa: PLR0913 - one parameter an option
    folder: Path,
    location: str,
    out: Path,
    runs: tuple[str, ...],
    *,
    replay: bool,
    as_json: bool,
) -> int:
    with opened_index(folder, location) as index:
        from env_service.view.export import ExportError, check_place, export_view

        names = tuple(dict.fromkeys(Path(run).name for run in runs))
        try:
            check_place(out)
            synchronize(index, names or None)
            _check_known(index, names)
            report = export_view(index, out, progress, runs=names, replay=replay)
        except ExportError as error:
            raise Misuse(str(error)) from None
        except KeyboardInterrupt:
            raise Interrupted(f"Interrupted. {out} is as it was before.") from None
    page = out / "index.html"
    if as_json:
        print_json({"page": str(page), **asdict(report)})
        return 0
    for where, problem in report.problems[:_MOST_PROBLEMS]:
        click.echo(safe(f"incomplete: {where}: {problem}"), err=True)
    if (more := len(report.problems) - _MOST_PROBLEMS) > 0:
        click.echo(f"incomplete: {more} more", err=True)
    counts = ", ".join(
        count_text(number, word)
        for number, word in (
            (report.runs, "run"),
            (report.episodes, "episode"),
            (report.pictures, "picture"),
            (report.replayed + report.kept, "replay"),
        )
    )
    click.echo(safe(f"{page}: {counts}, {size_text(report.bytes)}"))
    return 0


def _check_known(index: Index, names: Sequence[str]) -> None:
    """Raises UnknownNameError for a run that the folder lacks."""
    from env_service.domain.names import UnknownNameError
    from env_service.index.reading import Page

    with index.read() as read:
        for name in names:
            if read.run(name) is None:
                known = [run.path for run in read.runs(page=Page(0, 500)).rows]
                raise UnknownNameError(f"run in {index.folder}", name, known)


def read_address(listen: str) -> tuple[str, int]:
    host, _, port = listen.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise Misuse(f"{listen!r} is not an address: use host:port.")
    return host.strip("[]"), int(port)


def _bound(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises Failure."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind(address)
            bound.listen(128)
        except OSError:
            bound.close()
            raise
    except OSError as error:
        raise Failure(
            f"Cannot listen on {host}:{port}: {error.strerror}. Choose another with --listen.",
            kind="ListenError",
        ) from error
    return bound
