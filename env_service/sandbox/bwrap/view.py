"""What a guest sees of this machine's files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import env_service
from env_service.sandbox.bwrap.interpreter import (
    SYSTEM,
    Program,
    find_program,
    holds_house,
    is_home,
)
from env_service.sandbox.bwrap.plan import Operation
from env_service.sandbox.errors import GuestStartError
from env_service.sandbox.manifest import MANIFEST
from env_service.sandbox.options import ReadOnlyMount
from env_service.sandbox.places import MODEL, TAKEN, is_within

_SETTINGS = (
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "timezone"),
    *("ssl/openssl.cnf", "ssl/certs", "ca-certificates", "pki/tls", "mime.types", "fonts"),
)
"""Of /etc: what tells programs where things are, and nothing about this machine's users."""
SCRATCH = "/tmp"  # noqa: S108 - the guest's own
_USERS = "guest:x:{uid}:{uid}:guest:/tmp:/usr/sbin/nologin\n"
_GROUPS = "guest:x:{uid}:\n"
_HOSTS = "127.0.0.1 localhost\n::1 localhost\n"


@dataclass(slots=True)
class View:
    """Places that a guest can read, and those within them that it cannot.

    ``shown`` leads from a place in the sandbox to the file or folder that is there.
    """

    shown: dict[PurePosixPath, Path] = field(default_factory=dict)
    hidden: set[PurePosixPath] = field(default_factory=set)

    def show(self, place: Path) -> None:
        """Shows a file or folder where it lies, and all that it links to on the way."""
        hop = place
        while hop.is_symlink() and PurePosixPath(hop) not in self.shown:
            self.shown[PurePosixPath(hop)] = hop
            hop = Path(os.path.normpath(hop.parent / hop.readlink()))
        for each in (hop, place.resolve()):
            self.shown[PurePosixPath(each)] = each

    def hide(self, folder: Path) -> None:
        """Puts an empty folder in place of one that would be seen otherwise."""
        self.hidden.add(PurePosixPath(folder.resolve()))

    def operations(self, home: Sequence[Operation] = ()) -> Iterator[Operation]:
        """bubblewrap's options, outer places before those within them.

        ``home`` are those that make the guest's own /tmp.
        """
        yield from home
        closed: list[Operation] = []
        for place in sorted({*self.shown, *self.hidden}, key=lambda each: len(each.parts)):
            if place in self.shown:
                if not self._seen(place):
                    yield ("--ro-bind", str(self.shown[place]), str(place))
            elif self._seen(place):
                yield ("--tmpfs", str(place))
                closed.append(("--remount-ro", str(place)))
        yield from closed

    def holds(self, folder: Path) -> bool:
        """Whether the guest has this folder, be it with a part of what is in it."""
        place = PurePosixPath(folder)
        return any(each.is_relative_to(place) or place.is_relative_to(each) for each in self.shown)

    def _seen(self, place: PurePosixPath) -> bool:
        """Whether what lies around a place shows it anyway, as it is."""
        for outer in place.parents:
            if outer in self.hidden and outer not in self.shown:
                return False
            if outer in self.shown:
                there = self.shown[outer] / place.relative_to(outer)
                return there == self.shown.get(place, Path(place))
        return any(place.is_relative_to(folder) for folder in SYSTEM)


def command_view(command: Sequence[str]) -> tuple[View, Program]:
    """What a command needs: its program, and the files and folders that its words name.

    A file brings its folder along, where a program looks for its own modules; but never a
    home folder, nor the house's own. Raises GuestStartError.
    """
    program = find_program(command[0])
    view = View()
    view.hide(Path(env_service.__file__).parent)
    for place in program.needs:
        view.show(place)
    for folder in program.hidden:
        view.hide(folder)
    for place in _named(command):
        view.show(place)
    return view, program


def add_mounts(view: View, mounts: Iterable[ReadOnlyMount]) -> None:
    """Shows what the user wants to be seen. Raises GuestStartError for what cannot be."""
    for mount in mounts:
        _check_target(mount)
        if not mount.source.exists():
            raise GuestStartError(f"--mount {mount.source}: there is no such file or folder")
        if mount.source.is_socket() or mount.source.is_block_device():
            raise GuestStartError(f"--mount {mount.source}: only files and folders can be mounted")
        view.shown[mount.target] = mount.source.resolve()


def base_operations(uid: int) -> Iterator[Operation]:
    """The machine's programs and libraries, and the little of /etc that they need."""
    for name in SYSTEM:
        folder = Path(name)
        if folder.is_symlink():
            yield ("--symlink", str(folder.readlink()), name)
        elif folder.is_dir():
            yield ("--ro-bind", name, name)
    for setting in _SETTINGS:
        file = Path("/etc") / setting
        if file.exists():
            yield ("--ro-bind", str(file.resolve()), str(file))
    for name, content in (("passwd", _USERS), ("group", _GROUPS), ("hosts", _HOSTS)):
        yield ("--ro-bind-data", content.format(uid=uid), f"/etc/{name}")


def _named(command: Sequence[str]) -> Iterator[Path]:
    """The files and folders that a command's words name, as ``-m module`` does, too."""
    before = ""
    for word in command[1:]:
        texts = [word, word.partition("=")[2]] if word.startswith("-") else [word]
        if before == "-m":
            first = word.split(".")[0]
            texts += [first, f"{first}.py"]
        before = word
        for text in filter(None, texts):
            place = Path(os.path.abspath(text))  # noqa: PTH100 - seen where it is named
            shown = _with_siblings(place) if _exists(place) else None
            if shown is not None:
                yield shown


def _with_siblings(place: Path) -> Path | None:
    """A folder as it is, and a file's folder; None for a folder that no guest is to see."""
    folder = place if place.is_dir() else place.parent
    own = (folder / MANIFEST).is_file() or not holds_house(folder)
    if own and not is_home(folder) and not _reserved(folder):
        return folder
    return None if place.is_dir() else place


def _reserved(folder: Path) -> bool:
    """Whether the guest has a folder of its own there, or sees the machine's anyway."""
    place = PurePosixPath(folder)
    around = any(PurePosixPath(each).is_relative_to(place) for each in TAKEN)
    own = tuple(each for each in TAKEN if each != SCRATCH)
    return around or any(is_within(place, each) for each in (*own, *SYSTEM, "/etc"))


def _exists(place: Path) -> bool:
    try:
        return place.is_file() or place.is_dir()
    except OSError:
        # No name that a file could have.
        return False


def _check_target(mount: ReadOnlyMount) -> None:
    """Raises GuestStartError for a place that is the guest's own, or the machine's."""
    own = (each for each in TAKEN if each != str(MODEL))
    for folder in (*own, *SYSTEM, "/etc"):
        within = is_within(mount.target, folder)
        if within or PurePosixPath(folder).is_relative_to(mount.target):
            raise GuestStartError(
                f"--mount {mount.source}:{mount.target}: {folder} is not to be changed; choose"
                f" another place, as in --mount {mount.source}:/data"
            )
