"""An agent that tries every way out it knows, and writes down what came of it.

It runs as ``python -c`` with nothing but the standard library. Its first argument is the marker,
and it finds in the variable ``SPY`` what to look for, as JSON.
"""

import ctypes
import errno
import json
import os
import platform
import socket
import stat
import sys
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
NUMBERS = {
    "x86_64": {
        "io_uring_setup": 425,
        "bpf": 321,
        "keyctl": 250,
        "userfaultfd": 323,
        "perf_event_open": 298,
        "ptrace": 101,
        "process_vm_readv": 310,
        "setns": 308,
        "pivot_root": 155,
        "open_by_handle_at": 304,
        "unshare": 272,
        "memfd_create": 319,
        "add_key": 248,
        "kcmp": 312,
    },
    "aarch64": {
        "io_uring_setup": 425,
        "bpf": 280,
        "keyctl": 219,
        "userfaultfd": 282,
        "perf_event_open": 241,
        "ptrace": 117,
        "process_vm_readv": 270,
        "setns": 268,
        "pivot_root": 41,
        "open_by_handle_at": 265,
        "unshare": 97,
        "memfd_create": 279,
        "add_key": 217,
        "kcmp": 272,
    },
}[platform.machine()]
ARGUMENTS = {
    "unshare": (0x10000000,),
    "process_vm_readv": (1, 0, 0, 0, 0, 0),
    # PTRACE_SETOPTIONS: attaching would stop the first process, and with it the container's end.
    "ptrace": (0x4200, 1, 0, 0),
    "kcmp": (1, 1, 0, 0, 0),
    "memfd_create": (b"x", 0),
    "add_key": (b"user", b"x", b"y", 1, -3),
    # KEYCTL_GET_KEYRING_ID of the session's keyring.
    "keyctl": (0, -3, 0),
}


def named(number):
    return errno.errorcode.get(number, str(number))


def tried(action):
    """The name of the error, or what it returned."""
    try:
        result = action()
    except OSError as error:
        return named(error.errno)
    return "done" if result is None else result


def called(function, *arguments):
    """A function of the C library: the name of the error, or ``done``."""
    ctypes.set_errno(0)
    if getattr(LIBC, function)(*arguments) == -1:
        return named(ctypes.get_errno())
    return "done"


def connected(family, kind, address):
    with socket.socket(family, kind) as there:
        there.settimeout(2)
        there.connect(address)


def written(path):
    if not Path(path).is_dir():
        Path(path).open("ab").close()
        return
    target = Path(path) / "spy-was-here"
    target.write_bytes(b"x")
    target.unlink()


def executed():
    script = Path("/tmp/spy-script")
    script.write_text("#!/bin/sh\nexit 0\n")
    script.chmod(0o755)
    pid = os.fork()
    if pid == 0:
        try:
            os.execv(script, [str(script)])
        except OSError as error:
            os._exit(error.errno)
    return named(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


def opened(family, kind=socket.SOCK_STREAM, protocol=0):
    socket.socket(family, kind, protocol).close()


def status():
    lines = Path("/proc/self/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def existing(paths):
    return [path for path in paths if os.path.lexists(path)]


def devices():
    return sorted(
        str(each) for each in Path("/dev").iterdir() if stat.S_ISBLK(each.lstat().st_mode)
    )


def entries(folder):
    return sorted(each.name for each in Path(folder).iterdir())


def everything():
    """All files that can be walked to, outside the kernel's own and large places."""
    skipped = {"/proc", "/sys", "/usr", "/lib", "/var/lib/dpkg"}
    for place, below, names in os.walk("/"):
        below[:] = [name for name in below if str(Path(place) / name) not in skipped]
        yield from (str(Path(place) / name) for name in names)


def main():
    looked_for = json.loads(os.environ["SPY"])
    host = [tuple(each) for each in looked_for["tcp"]]
    print(
        json.dumps(
            {
                "routes": Path("/proc/net/route").read_text().splitlines()[1:],
                "udp": tried(
                    lambda: connected(socket.AF_INET, socket.SOCK_DGRAM, ("192.0.2.1", 9))
                ),
                "tcp": [tried(lambda a=a: connected(2, 1, a)) for a in host],
                "abstract": tried(lambda: connected(1, 1, "\0" + looked_for["abstract"])),
                "sockets": [tried(lambda p=p: connected(1, 1, p)) for p in looked_for["sockets"]],
                "house": tried(lambda: connected(1, 1, "/run/houseguest/agent.sock")),
                "house_folder": entries("/run/houseguest"),
                "writes": {path: tried(lambda p=path: written(p)) for path in looked_for["writes"]},
                "seen": existing(looked_for["secret"]),
                "found": [p for p in everything() if looked_for["name"] in p],
                "processes": sorted(int(p) for p in entries("/proc") if p.isdecimal()),
                "uid": [os.getuid(), os.geteuid(), os.getgid(), os.getgroups()],
                "status": status(),
                "variables": sorted(os.environ),
                "address": os.environ["HOUSEGUEST_ADDRESS"],
                "fds": len(entries("/proc/self/fd")) - 1,
                "devices": devices(),
                "executed": tried(executed),
                "setuid": called("setuid", 0),
                "setgid": called("setgid", 0),
                "chroot": called("chroot", b"/tmp"),
                "mount": called("mount", b"x", b"/tmp", b"tmpfs", 0, None),
                "umount": called("umount2", b"/proc", 2),
                "raw": tried(lambda: opened(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)),
                "packet": tried(lambda: opened(socket.AF_PACKET, socket.SOCK_RAW)),
                "netlink": tried(lambda: opened(socket.AF_NETLINK, socket.SOCK_RAW)),
                "vsock": tried(lambda: opened(socket.AF_VSOCK)),
                "inet": tried(lambda: opened(socket.AF_INET)),
                "calls": {
                    name: called("syscall", number, *ARGUMENTS.get(name, (0, 0, 0, 0)))
                    for name, number in NUMBERS.items()
                },
            }
        )
    )


if __name__ == "__main__":
    sys.exit(main())
