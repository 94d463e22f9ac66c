"""A manifest is taken out of an engine's archive without trusting the archive."""

from __future__ import annotations

import io
import tarfile

import pytest

from env_service.submissions.failures import ManifestError
from env_service.submissions.image_package import read_only_file
from env_service.submissions.manifest import MOST_BYTES

PATH = "/houseguest-agent.yaml"


def archive(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for info, data in members:
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def member(kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo("houseguest-agent.yaml")
    info.type, info.linkname = kind, link
    return info


def test_an_ordinary_file_is_read_whatever_pieces_it_comes_in() -> None:
    data = archive((member(), b"schema: 1\n"))
    assert read_only_file([data[i : i + 100] for i in range(0, len(data), 100)], PATH) == (
        b"schema: 1\n"
    )


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (archive((member(tarfile.SYMTYPE, "/etc/shadow"), b"")), "a link to '/etc/shadow'"),
        (archive((member(tarfile.LNKTYPE, "other"), b"")), "this is a link"),
        (archive((member(tarfile.DIRTYPE), b"")), "not a regular file"),
        (archive((member(tarfile.FIFOTYPE), b"")), "not a regular file"),
        (archive((member(tarfile.CHRTYPE), b"")), "not a regular file"),
        (archive((member(), b"a"), (member(), b"b")), "is not exactly this one file"),
        (archive(), "does not exist"),
        (archive((member(), b"x" * (MOST_BYTES + 1))), "larger than"),
        (b"no archive at all" * 100, "cannot be read"),
        (archive((member(), b"abcd" * 400))[:1000], "is not exactly this one file|cannot be read"),
    ],
)
def test_anything_else_is_refused(data: bytes, problem: str) -> None:
    with pytest.raises(ManifestError, match=problem):
        read_only_file([data], PATH)


def test_an_endless_archive_is_not_read_to_its_end() -> None:
    def endless() -> object:
        while True:
            yield b"\0" * 65536

    with pytest.raises(ManifestError, match="larger than"):
        read_only_file(endless(), PATH)  # type: ignore[arg-type]
