"""How root starts a guest that is not root, in files that only root can get to.

bubblewrap maps one user of the machine to the guest's. Started by root, that would be root
itself: without capabilities, but still the owner of the machine's files. So a keeper that is
root starts it as an ordinary user. That user may not walk into, say, /root; therefore
everything that is to be mounted is mounted before, below a folder that it may enter, in a mount
namespace of the keeper's own, which nobody else sees and which ends with it.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from env_service.sandbox.bwrap.plan import Operation

_CLONE_NEWNS = 0x00020000
_MS_NOSUID, _MS_NODEV, _MS_BIND, _MS_REC, _MS_SLAVE = 2, 4, 4096, 16384, 1 << 19
_PLACES = ("/mnt", "/media", "/srv", "/opt")
BIND = "--ro-bind"


def stage(operations: Sequence[Operation]) -> list[Operation]:
    """The operations, reading from places that every user can reach. Raises OSError.

    Only for root; changes what this process sees below one of _PLACES.
    """
    sources = dict.fromkeys(each[1] for each in operations if each[0] == BIND)
    _call("unshare", _CLONE_NEWNS)
    # What the machine unmounts goes here too; what we mount goes nowhere.
    _mount("none", "/", "", _MS_REC | _MS_SLAVE)
    # Held open, since the stage may hide some of them.
    opened = {source: os.open(source, os.O_PATH | os.O_CLOEXEC) for source in sources}
    stages = _bind_all(opened.items())
    for fd in opened.values():
        os.close(fd)
    return [_moved(each, stages) for each in operations]


def _bind_all(opened: Iterable[tuple[str, int]]) -> dict[str, str]:
    place = next(Path(each) for each in _PLACES if Path(each).is_dir())
    _mount("tmpfs", str(place), "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=0755,size=1m")
    stages = {}
    for number, (source, fd) in enumerate(opened):
        stage = place / str(number)
        entry = f"/proc/self/fd/{fd}"
        if Path(entry).is_dir():
            stage.mkdir()
        else:
            stage.touch()
        _mount(entry, str(stage), "", _MS_BIND | _MS_REC)
        stages[source] = str(stage)
    return stages


def _moved(operation: Operation, stages: dict[str, str]) -> Operation:
    if operation[0] != BIND:
        return operation
    return (BIND, stages[operation[1]], *operation[2:])


def _mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    texts = (text.encode() for text in (source, target, kind))
    _call("mount", *texts, ctypes.c_ulong(flags), options.encode())


def _call(function: str, *arguments: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, function)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{function}: {os.strerror(number)}")
