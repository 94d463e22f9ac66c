"""The system calls that an agent in bubblewrap may not make, as a filter for the kernel."""

from __future__ import annotations

import errno
import socket
import struct
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

DENIED = (
    # Another process's memory and state.
    *("ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd"),
    # Namespaces and mounts.
    *("unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount"),
    *("fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "quotactl", "quotactl_fd"),
    *("name_to_handle_at", "open_by_handle_at", "fanotify_init", "lookup_dcookie"),
    # Large interfaces of the kernel that agents do not need.
    *("io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "perf_event_open"),
    *("userfaultfd", "add_key", "request_key", "keyctl", "memfd_secret"),
    *("migrate_pages", "move_pages", "modify_ldt", "uselib"),
    # The machine itself.
    *("kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff", "acct", "syslog"),
    *("init_module", "finit_module", "delete_module", "iopl", "ioperm", "vhangup"),
    *("settimeofday", "clock_settime", "adjtimex", "clock_adjtime"),
    *("sethostname", "setdomainname"),
)
UNCOUNTED = ("memfd_create", "shmget")
"""Memory that no process has mapped: denied as well where only processes are measured."""
PINNED = ("sched_setaffinity",)
"""Denied as well where an agent is held on a few cores, which it could leave by this."""

FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6)
"""The only sockets there are: netlink, packet, vsock and all others are denied."""

_CLONE_NEW = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET."""
_TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX, by which a process types into a terminal."""
_SOCK_TYPE_MASK = 0xF

_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_EQUAL, _AT_LEAST, _ANY_BIT = 0x15, 0x35, 0x45
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16

Instruction = tuple[int, int, int, int]
"""Code, how many to skip if true and if not, operand: a ``struct sock_filter``."""


def build_filter(architecture: Architecture, also: Collection[str] = ()) -> bytes:
    """The program, as bubblewrap's ``--seccomp`` reads it: 8 bytes an instruction.

    ``also`` are names of calls that are denied besides. Another architecture's calls, as of
    32-bit programs, are all denied. clone3 hides its flags in memory, where a filter cannot
    look: it does not exist (ENOSYS), and every C library then uses clone.
    """
    number = architecture.numbers
    program = [
        _load(_ARCHITECTURE),
        (_EQUAL, 1, 0, architecture.audit),
        _fail(errno.EPERM),
        _load(_NUMBER),
    ]
    if architecture.second_set:
        program += _deny_if(_AT_LEAST, architecture.second_set)
    for name in (*DENIED, *also):
        if name in number:
            program += _deny_if(_EQUAL, number[name])
    program += [(_EQUAL, 0, 1, number["clone3"]), _fail(errno.ENOSYS)]
    for name, check in (("clone", _clone()), ("socket", _socket()), ("ioctl", _ioctl())):
        program += [(_EQUAL, 0, len(check), number[name]), *check]
    program.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _clone() -> Sequence[Instruction]:
    return [_argument(0), *_deny_if(_ANY_BIT, _CLONE_NEW), _allow()]


def _socket() -> Sequence[Instruction]:
    """The family is one of ours, and the type is not raw."""
    known = [(_EQUAL, len(FAMILIES) - place, 0, f) for place, f in enumerate(FAMILIES)]
    kind = [_argument(1), (_AND, 0, 0, _SOCK_TYPE_MASK), *_deny_if(_EQUAL, socket.SOCK_RAW)]
    return [_argument(0), *known, _fail(errno.EPERM), *kind, _allow()]


def _ioctl() -> Sequence[Instruction]:
    denied = [each for request in _TERMINAL_INPUT for each in _deny_if(_EQUAL, request)]
    return [_argument(1), *denied, _allow()]


def _deny_if(comparison: int, operand: int) -> Sequence[Instruction]:
    return [(comparison, 0, 1, operand), _fail(errno.EPERM)]


def _load(offset: int) -> Instruction:
    """Loads 32 bits of ``struct seccomp_data``."""
    return (_LOAD, 0, 0, offset)


def _argument(place: int) -> Instruction:
    """Loads an argument's lower half (both machines are little-endian): all of it that the
    kernel reads in the calls that are looked at here."""
    return _load(_ARGUMENTS + 8 * place)


def _fail(number: int) -> Instruction:
    return (_RETURN, 0, 0, _ERROR | number)


def _allow() -> Instruction:
    return (_RETURN, 0, 0, _ALLOW)


# --- Numbers of the system calls that no agent may make, or only with harmless arguments

_COMMON = {
    # From 424 on, numbers are the same everywhere.
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "clone3": 435,
    "pidfd_getfd": 438,
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "memfd_secret": 447,
}
_X86_64 = {
    "ioctl": 16,
    "shmget": 29,
    "socket": 41,
    "clone": 56,
    "ptrace": 101,
    "syslog": 103,
    "uselib": 134,
    "vhangup": 153,
    "modify_ldt": 154,
    "pivot_root": 155,
    "adjtimex": 159,
    "chroot": 161,
    "acct": 163,
    "settimeofday": 164,
    "mount": 165,
    "umount2": 166,
    "swapon": 167,
    "swapoff": 168,
    "reboot": 169,
    "sethostname": 170,
    "setdomainname": 171,
    "iopl": 172,
    "ioperm": 173,
    "init_module": 175,
    "delete_module": 176,
    "quotactl": 179,
    "sched_setaffinity": 203,
    "lookup_dcookie": 212,
    "clock_settime": 227,
    "kexec_load": 246,
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "migrate_pages": 256,
    "unshare": 272,
    "move_pages": 279,
    "perf_event_open": 298,
    "fanotify_init": 300,
    "name_to_handle_at": 303,
    "open_by_handle_at": 304,
    "clock_adjtime": 305,
    "setns": 308,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "kcmp": 312,
    "finit_module": 313,
    "memfd_create": 319,
    "kexec_file_load": 320,
    "bpf": 321,
    "userfaultfd": 323,
}
_AARCH64 = {
    "lookup_dcookie": 18,
    "ioctl": 29,
    "umount2": 39,
    "mount": 40,
    "pivot_root": 41,
    "chroot": 51,
    "vhangup": 58,
    "quotactl": 60,
    "acct": 89,
    "unshare": 97,
    "kexec_load": 104,
    "init_module": 105,
    "delete_module": 106,
    "clock_settime": 112,
    "syslog": 116,
    "ptrace": 117,
    "sched_setaffinity": 122,
    "reboot": 142,
    "sethostname": 161,
    "setdomainname": 162,
    "settimeofday": 170,
    "adjtimex": 171,
    "shmget": 194,
    "socket": 198,
    "add_key": 217,
    "request_key": 218,
    "keyctl": 219,
    "clone": 220,
    "swapon": 224,
    "swapoff": 225,
    "migrate_pages": 238,
    "move_pages": 239,
    "perf_event_open": 241,
    "fanotify_init": 262,
    "name_to_handle_at": 264,
    "open_by_handle_at": 265,
    "clock_adjtime": 266,
    "setns": 268,
    "process_vm_readv": 270,
    "process_vm_writev": 271,
    "kcmp": 272,
    "finit_module": 273,
    "memfd_create": 279,
    "bpf": 280,
    "userfaultfd": 282,
    "kexec_file_load": 294,
}


@dataclass(frozen=True, slots=True)
class Architecture:
    """A machine's kernel interface: its AUDIT_ARCH number, its system calls by name, and the
    bit that marks a second set of them in one table (x32; 0: there is none)."""

    audit: int
    numbers: Mapping[str, int]
    second_set: int = 0


ARCHITECTURES: Mapping[str, Architecture] = MappingProxyType(
    {
        "x86_64": Architecture(0xC000003E, {**_COMMON, **_X86_64}, second_set=0x40000000),
        "aarch64": Architecture(0xC00000B7, {**_COMMON, **_AARCH64}),
    }
)
"""By the name that ``uname -m`` gives."""
