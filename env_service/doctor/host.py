"""Checks of the host: disks, memory, sockets, and the key that signs results."""

from __future__ import annotations

import fcntl
import os
import resource
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

from env_service.doctor.diagnosis import Diagnosis, DiagnosisState, DoctorRequest
from env_service.domain.text import counted
from env_service.engine.frames import ReadableSharedMemory, WritableSharedMemory, make_shared_memory
from env_service.storage.signing_key import SigningKey, SigningKeyError, default_path

LITTLE_DISK = 2 * 2**30
"""Bytes. A run may have half a gibibyte of pictures unpacked, and keeps the packed ones."""
NEXT_TO_NOTHING = 64 * 2**20
"""Bytes."""


def disk(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """The folders that a run writes to."""
    yield check_folder("folder for runs", subject.runs, "Give another folder to --out.")
    temporary = Path(tempfile.gettempdir())
    yield check_folder("temporary folder", temporary, "Let TMPDIR name another folder.")


def check_folder(name: str, folder: Path, mend: str, *, needed: bool = True) -> Diagnosis:
    """Whether a folder, or the parent in which it would be made, is writable and has free space.

    ``mend`` says how to use another one. If it is not ``needed``, the worst state is a warning.
    """
    bad = DiagnosisState.PROBLEM if needed else DiagnosisState.WARNING
    folder = place = folder.absolute()
    try:
        place = next(each for each in (folder, *folder.parents) if each.exists())
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(b"houseguest")
            file.flush()
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        free = shutil.disk_usage(place).free
    except OSError as error:
        why = error.strerror or str(error)
        return Diagnosis(name, bad, f"{place} cannot be written and locked: {why}", mend)
    found = f"{folder}, {free / 2**30:,.1f} GiB free"
    if free < NEXT_TO_NOTHING:
        return Diagnosis(name, bad, found, f"Make room. {mend}")
    if free < LITTLE_DISK:
        return Diagnosis(name, DiagnosisState.WARNING, found, f"Make room. {mend}")
    return Diagnosis(name, DiagnosisState.OK, found)


# --- The memory that workers share with their engine, and what this process may have

LITTLE_MEMORY = 2**30
"""Bytes: a service, a worker and an agent, with some room."""
FEW_FILES = 512
"""Open files: a session needs about ten, for its worker, agent, logs and connections."""


def memory(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """Shared memory, free memory, and the limit of open files."""
    del subject
    yield _shared()
    free = _available()
    if free is not None:
        low = free < LITTLE_MEMORY
        mend = "Close something, or play with fewer --parallel and --workers." if low else ""
        state = DiagnosisState.WARNING if low else DiagnosisState.OK
        yield Diagnosis("memory", state, f"{free / 2**30:,.1f} GiB free", mend)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < FEW_FILES:
        more = hard if 0 < hard < 4096 else 4096
        mend = f"ulimit -n {more}" if more > soft else "Let an administrator raise the limit."
        found = f"{soft}: enough for {counted(max(1, soft // 10 - 2), 'session')} at once"
        yield Diagnosis("open files", DiagnosisState.WARNING, found, mend)
    else:
        yield Diagnosis(
            "open files", DiagnosisState.OK, "no limit" if soft < 0 else f"up to {soft:,}"
        )


def _shared() -> Diagnosis:
    words = b"a picture"
    try:
        fd = make_shared_memory()
        page = WritableSharedMemory(fd)
        page.append(words)
        # Takes over the descriptor, and with it the closing.
        other = ReadableSharedMemory(fd)
        came = other.read(0, len(words), page.size)
        other.close()
    except OSError as error:
        found = f"cannot be made: {error.strerror or error}"
        mend = "Let TMPDIR name a folder with room, on a local disk."
        return Diagnosis("shared memory", DiagnosisState.PROBLEM, found, mend)
    if came != words:
        mend = "Play on another machine: this one's kernel loses what processes share."
        return Diagnosis(
            "shared memory", DiagnosisState.PROBLEM, "what was written did not arrive", mend
        )
    how = "in memory" if hasattr(os, "memfd_create") else "in a temporary file"
    return Diagnosis("shared memory", DiagnosisState.OK, f"works, {how}")


def _available() -> int | None:
    """Bytes that programs can have; None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    values = dict(line.split(":", 1) for line in lines if ":" in line)
    words = values.get("MemAvailable", "").split()
    return int(words[0]) * 1024 if words else None


# --- Whether agents can reach a service: by a Unix socket, and by a port of this host

LONGEST_SOCKET = 100
"""Bytes of a Unix socket's path, as the listeners take it."""
_LOOPBACK = "127.0.0.1"


def sockets(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """Binds and connects one of each."""
    del subject
    yield _unix_socket()
    yield _port()


def _unix_socket() -> Diagnosis:
    name = "unix socket"
    shorter = "Let TMPDIR name a short path on a local disk, such as /tmp."
    try:
        # As `houseguest run` does it.
        with tempfile.TemporaryDirectory(prefix="houseguest-") as folder:
            path = Path(folder) / "control.sock"
            if len(os.fsencode(path)) > LONGEST_SOCKET:
                found = f"{path} is too long: {LONGEST_SOCKET} bytes fit"
                return Diagnosis(name, DiagnosisState.PROBLEM, found, shorter)
            _talk(socket.AF_UNIX, str(path))
    except OSError as error:
        found = f"cannot be used in {tempfile.gettempdir()}: {error.strerror or error}"
        return Diagnosis(name, DiagnosisState.PROBLEM, found, shorter)
    return Diagnosis(name, DiagnosisState.OK, f"works in {tempfile.gettempdir()}")


def _port() -> Diagnosis:
    name = "port"
    try:
        _talk(socket.AF_INET, (_LOOPBACK, 0))
    except OSError as error:
        found = f"{_LOOPBACK} cannot be used: {error.strerror or error}"
        mend = "Runs work without one; agents on other hosts need it. Is the loopback up?"
        return Diagnosis(name, DiagnosisState.WARNING, found, mend)
    return Diagnosis(name, DiagnosisState.OK, f"works on {_LOOPBACK}")


def _talk(family: int, address: str | tuple[str, int]) -> None:
    """Raises OSError where a byte does not go through."""
    with socket.socket(family) as server, socket.socket(family) as client:
        for end in (server, client):
            end.settimeout(5.0)
        server.bind(address)
        server.listen(1)
        client.connect(server.getsockname())
        accepted, _ = server.accept()
        with accepted:
            client.sendall(b"?")
            if accepted.recv(1) != b"?":
                raise OSError("what was sent did not arrive")


# --- The key that signs results

NAME = "signing key"
_ANOTHER = "Give another file to --signing-key."


def signing_key(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """Whether the key can be used or made. Makes none."""
    path = subject.signing_key or default_path()
    if not path.exists():
        place = check_folder(NAME, path.parent, _ANOTHER)
        if place.state is DiagnosisState.OK:
            place = Diagnosis(NAME, DiagnosisState.OK, f"{path}; made when it is first needed")
        yield place
        return
    try:
        key = SigningKey.load_or_create(path)
        others = path.stat().st_mode & 0o077
    except (SigningKeyError, OSError) as error:
        yield Diagnosis(NAME, DiagnosisState.PROBLEM, str(error), _ANOTHER)
        return
    found = f"{path}, public key {key.public_hex[:16]}…"
    if others:
        mend = f"chmod 600 {path}"
        yield Diagnosis(NAME, DiagnosisState.WARNING, f"{found}; others can read it", mend)
    else:
        yield Diagnosis(NAME, DiagnosisState.OK, found)
