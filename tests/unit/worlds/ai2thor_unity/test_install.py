"""Putting a build in place: what is checked, what survives, and who may not do it at once."""

from __future__ import annotations

import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from env_service.worlds.ai2thor_unity import install
from env_service.worlds.ai2thor_unity.build import build_name, installed, releases
from env_service.worlds.ai2thor_unity.install import ArchiveError
from env_service.worlds.ai2thor_unity.settings import Platform
from tests.support.build_server import zipped_build

CLOUD = Platform.CLOUD_RENDERING
NAME = build_name(CLOUD)


def put(archive: Path, home: Path) -> install.InstalledBuild:
    """Installs a zip file."""
    receipt = install.receipt_for(archive, install.sha256_of(archive), str(archive), "--sha256")
    with install.workshop(CLOUD, home) as shop:
        return shop.install(archive, receipt)


def entry(name: str, mode: int = 0o100644) -> zipfile.ZipInfo:
    """An entry of a zip file with a Unix mode."""
    made = zipfile.ZipInfo(name)
    made.create_system, made.external_attr = 3, mode << 16
    return made


def add(archive: Path, made: zipfile.ZipInfo, text: str) -> Path:
    """Adds an entry to a zip file, and returns it."""
    with zipfile.ZipFile(archive, "a") as file:
        file.writestr(made, text)
    return archive


def test_a_build_is_found_once_it_is_installed(tmp_path: Path) -> None:
    archive = zipped_build(tmp_path)
    build = put(archive, tmp_path / "home")
    assert build == installed(CLOUD, tmp_path / "home")
    receipt = install.read_receipt(build)
    assert receipt is not None
    assert receipt.sha256 == install.sha256_of(archive)
    assert receipt.bytes == archive.stat().st_size


def test_nothing_else_is_left_behind(tmp_path: Path) -> None:
    put(zipped_build(tmp_path), tmp_path / "home")
    left = {path.name for path in (tmp_path / "home/.ai2thor").glob("*/*")}
    assert left == {NAME, f"{NAME}.lock"}


def test_modes_and_links_are_as_they_were(tmp_path: Path) -> None:
    archive = zipped_build(tmp_path)
    add(archive, entry("tool", 0o100777), "#!/bin/sh\n")
    add(archive, entry("lib/one.so.1"), "one")
    add(archive, entry("lib/one.so", 0o120777), "one.so.1")
    folder = put(archive, tmp_path / "home").folder
    assert (folder / "tool").stat().st_mode & 0o777 == 0o755
    assert (folder / "lib/one.so").readlink() == Path("one.so.1")
    assert (folder / "lib/one.so").read_text() == "one"
    assert (folder / "metadata.json").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("name", ["../outside", "/outside", "a/../../outside", "a\\..\\outside"])
def test_nothing_is_written_outside(tmp_path: Path, name: str) -> None:
    archive = add(zipped_build(tmp_path), entry(name), "caught")
    with pytest.raises(ArchiveError, match="leads out of it"):
        put(archive, tmp_path / "home")
    assert not list(tmp_path.rglob("*outside"))
    assert not (releases(tmp_path / "home") / NAME).exists()


def test_a_link_out_of_the_build_is_refused_even_through_another(tmp_path: Path) -> None:
    archive = zipped_build(tmp_path)
    add(archive, entry("first", 0o120777), "second/../secret")
    add(archive, entry("second", 0o120777), ".")
    with pytest.raises(ArchiveError, match="'first' leads out of it"):
        put(archive, tmp_path / "home")


def test_a_device_is_refused(tmp_path: Path) -> None:
    archive = add(zipped_build(tmp_path), entry("disk", 0o060644), "")
    with pytest.raises(ArchiveError, match="'disk' is not a file"):
        put(archive, tmp_path / "home")


def test_what_is_no_build_is_refused(tmp_path: Path) -> None:
    text, other = tmp_path / "text.zip", tmp_path / "other.zip"
    text.write_text("<html>404</html>")
    with pytest.raises(ArchiveError, match="is not a zip file"):
        put(text, tmp_path / "home")
    with zipfile.ZipFile(other, "w") as file:
        file.writestr("readme", "hello")
    with pytest.raises(ArchiveError, match=f"has no '{NAME}'"):
        put(other, tmp_path / "home")


def test_a_build_that_does_not_fit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = type("Usage", (), {"free": 1000})
    monkeypatch.setattr(
        "env_service.worlds.ai2thor_unity.install.shutil.disk_usage", lambda _: full
    )
    with pytest.raises(ArchiveError, match=r"are needed to unpack the build and 1,000 are free"):
        put(zipped_build(tmp_path), tmp_path / "home")


def test_a_failure_leaves_the_build_that_was_there(tmp_path: Path) -> None:
    home = tmp_path / "home"
    build = put(zipped_build(tmp_path), home)
    text = tmp_path / "text.zip"
    text.write_text("no zip")
    with pytest.raises(ArchiveError):
        put(text, home)
    assert installed(CLOUD, home) == build


def test_a_damaged_build_is_replaced(tmp_path: Path) -> None:
    archive, home = zipped_build(tmp_path), tmp_path / "home"
    put(archive, home).executable.unlink()
    assert put(archive, home).executable.exists()
    assert [path.name for path in (home / ".ai2thor/tmp").iterdir()] == [f"{NAME}.lock"]


def test_what_a_killed_installer_left_goes(tmp_path: Path) -> None:
    left = tmp_path / f"home/.ai2thor/tmp/{NAME}.unpacking.0123abcd"
    left.mkdir(parents=True)
    put(zipped_build(tmp_path), tmp_path / "home")
    assert not left.exists()


HOLDER = """
import fcntl, os, sys, time
lock = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.lockf(lock, {kind})
open(sys.argv[1] + ".held", "w").close()
time.sleep(60)
"""


def test_players_and_other_installers_are_waited_for_by_the_user(tmp_path: Path) -> None:
    archive, home = zipped_build(tmp_path), tmp_path / "home"
    build = put(archive, home)
    for kind, place, told in (
        ("LOCK_SH", build.folder, "players run from"),
        ("LOCK_EX", home / ".ai2thor/tmp" / NAME, "another process installs"),
    ):
        with _holding(f"fcntl.{kind}", Path(f"{place}.lock")):
            with pytest.raises(install.InstallError, match=told):
                put(archive, home)
            assert installed(CLOUD, home) == build


def _holding(kind: str, lock: Path) -> subprocess.Popen[bytes]:
    """Another process that holds a lock as `ai2thor` does; leaving the block ends it."""

    class Holder(subprocess.Popen[bytes]):
        def __exit__(self, *problem: object) -> None:
            self.kill()
            self.wait()

    holder = Holder([sys.executable, "-c", HOLDER.format(kind=kind), str(lock)])
    deadline = time.monotonic() + 30
    while not Path(f"{lock}.held").exists():
        assert time.monotonic() < deadline, "the lock was never held"
        time.sleep(0.01)
    return holder


def test_it_is_published_where_the_package_looks_for_it() -> None:
    package = pytest.importorskip("ai2thor.build")
    theirs = package.Build("CloudRendering", NAME.rpartition("-")[2], False).url
    assert install.published_url(CLOUD) == theirs.replace("http://", "https://")
