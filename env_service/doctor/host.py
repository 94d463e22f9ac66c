"""Checks of the host: disks, memory, sockets and the key that signs results."""

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
"""Free bytes below which the disk check warns. A run may hold half a gibibyte of unpacked pictures
at a time, and keeps the packed ones."""
NEXT_TO_NOTHING = 64 * 2**20
"""Free bytes below which the disk check reports a problem."""


def disk(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """Checks the folders that a run writes to."""
    yield check_folder("folder for runs", subject.runs, "Choose another folder with --out.")
    temporary = Path(tempfile.gettempdir())
    yield check_folder("temporary folder", temporary, "Set TMPDIR to another folder.")


def check_folder(name: str, folder: Path, mend: str, *, needed: bool = True) -> Diagnosis:
    """Checks whether a folder is writable and has free space.

    If the folder does not exist, the check looks at its nearest existing parent. ``mend`` says how
    to choose another folder. If the folder is not ``needed``, the worst state is a warning.
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
        return Diagnosis(name, bad, f"cannot write and lock a file in {place}: {why}", mend)
    found = f"{folder}, {free / 2**30:,.1f} GiB free"
    if free < NEXT_TO_NOTHING:
        return Diagnosis(name, bad, found, f"Free some space. {mend}")
    if free < LITTLE_DISK:
        return Diagnosis(name, DiagnosisState.WARNING, found, f"Free some space. {mend}")
    return Diagnosis(name, DiagnosisState.OK, found)


# --- Shared memory, free memory, and the limit on open files

LITTLE_MEMORY = 2**30
"""Free bytes below which the memory check warns. A service, a worker and an agent fit into them."""
FEW_FILES = 512
"""Limit on open files below which the check warns. A session needs about ten, for its worker,
agent, logs and connections."""


def memory(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """Checks shared memory, free memory, and the limit on open files."""
    del subject
    yield _shared()
    free = _available()
    if free is not None:
        low = free < LITTLE_MEMORY
        mend = "Close other programs, or lower --parallel and --workers." if low else ""
        state = DiagnosisState.WARNING if low else DiagnosisState.OK
        yield Diagnosis("memory", state, f"{free / 2**30:,.1f} GiB free", mend)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < FEW_FILES:
        more = hard if 0 < hard < 4096 else 4096
        mend = f"ulimit -n {more}" if more > soft else "Ask an administrator to raise the limit."
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
        # Takes over the descriptor and closes it.
        other = ReadableSharedMemory(fd)
        came = other.read(0, len(words), page.size)
        other.close()
    except OSError as error:
        found = f"cannot be created: {error.strerror or error}"
        mend = "Set TMPDIR to a folder on a local disk with free space."
        return Diagnosis("shared memory", DiagnosisState.PROBLEM, found, mend)
    if came != words:
        mend = "Use another machine: this kernel does not share memory between processes correctly."
        found = "the bytes read differ from the bytes written"
        return Diagnosis("shared memory", DiagnosisState.PROBLEM, found, mend)
    how = "in memory" if hasattr(os, "memfd_create") else "in a temporary file"
    return Diagnosis("shared memory", DiagnosisState.OK, f"works, {how}")


def _available() -> int | None:
    """Bytes of memory available to programs; None if the system does not report it."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    values = dict(line.split(":", 1) for line in lines if ":" in line)
    words = values.get("MemAvailable", "").split()
    return int(words[0]) * 1024 if words else None


# --- Whether agents can reach a service: over a Unix socket, and over a local TCP port

LONGEST_SOCKET = 100
"""Maximum length of a Unix socket's path in bytes, the same limit as the listeners'."""
_LOOPBACK = "127.0.0.1"


def sockets(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """Binds and connects a Unix socket and a TCP port."""
    del subject
    yield _unix_socket()
    yield _port()


def _unix_socket() -> Diagnosis:
    name = "unix socket"
    shorter = "Set TMPDIR to a short path on a local disk, such as /tmp."
    try:
        # `houseguest run` does the same.
        with tempfile.TemporaryDirectory(prefix="houseguest-") as folder:
            path = Path(folder) / "control.sock"
            if len(os.fsencode(path)) > LONGEST_SOCKET:
                found = f"{path} is too long: the limit is {LONGEST_SOCKET} bytes"
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
        mend = (
            "Check that the loopback interface is up. Only agents that connect over TCP need a"
            " port; other runs work without one."
        )
        return Diagnosis(name, DiagnosisState.WARNING, found, mend)
    return Diagnosis(name, DiagnosisState.OK, f"works on {_LOOPBACK}")


def _talk(family: int, address: str | tuple[str, int]) -> None:
    """Sends a byte from a client to a server. Raises OSError if it does not arrive."""
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
                raise OSError("the byte sent did not arrive")


# --- The key that signs results

NAME = "signing key"
_ANOTHER = "Choose another file with --signing-key."


def signing_key(subject: DoctorRequest) -> Iterator[Diagnosis]:
    """Checks whether the key can be used or created. Creates none."""
    path = subject.signing_key or default_path()
    if not path.exists():
        place = check_folder(NAME, path.parent, _ANOTHER)
        if place.state is DiagnosisState.OK:
            place = Diagnosis(NAME, DiagnosisState.OK, f"{path}; created on first use")
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
        yield Diagnosis(NAME, DiagnosisState.WARNING, f"{found}; other users can read it", mend)
    else:
        yield Diagnosis(NAME, DiagnosisState.OK, found)
