"""A PostgreSQL server for tests: the one that a variable names, or one that is started here."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

VARIABLE = "HOUSEGUEST_TEST_POSTGRES"
"""Environment variable: the URL of an empty database that tests may fill."""
_USER = "nobody"


@contextmanager
def postgres_url() -> Iterator[str]:
    """The URL of an empty database. Skips the test without a server."""
    if VARIABLE in os.environ:
        yield os.environ[VARIABLE]
        return
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not programs:
        pytest.skip(f"there is no PostgreSQL server: install it, or set {VARIABLE} to a URL")
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    try:
        with _server(programs[-1].parent, folder):
            yield f"postgresql://{_USER}@/postgres?host={folder}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _server(programs: Path, folder: Path) -> Iterator[None]:
    # A server refuses to run as root, and ends with the test's process.
    who = ["setpriv", "--pdeathsig", "TERM"]
    if os.geteuid() == 0:
        shutil.chown(folder, _USER)
        who[1:1] = [f"--reuid={_USER}", f"--regid={_group()}", "--clear-groups"]
    data, log = folder / "data", folder / "log"
    made = subprocess.run(
        [*who, programs / "initdb", "-D", data, "-U", _USER, "--no-sync", "-A", "trust"],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )
    if made.returncode:
        pytest.skip(f"no PostgreSQL server can be made here: {made.stderr.strip()[-200:]}")
    settings = ["-c", "fsync=off", "-c", "listen_addresses=", "-k", folder]
    with log.open("wb") as output:
        server = subprocess.Popen(
            [*who, programs / "postgres", "-D", data, *settings],
            stdout=output,
            stderr=output,
            cwd="/",
        )
    try:
        ready = [programs / "pg_isready", "-q", "-h", folder, "-t", "1"]
        while subprocess.run(ready, check=False).returncode:
            assert server.poll() is None, log.read_text()
        yield
    finally:
        # SIGINT: ends at once, also where a client is still connected.
        server.send_signal(2)
        server.wait(60)


def _group() -> int:
    import pwd  # noqa: PLC0415

    return pwd.getpwnam(_USER).pw_gid
