"""Whether this machine can run bubblewrap, and what to do where it cannot."""

import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from env_service.sandbox.bwrap.filesystem_view import base_operations
from env_service.sandbox.bwrap.seccomp import ARCHITECTURES, Architecture
from env_service.sandbox.errors import AgentStartError

AGENT_UID = 10001
"""The user id that an agent sees; also its real one if the service is root."""
OLDEST = (0, 8)
"""The first bubblewrap with ``--disable-userns``."""
COUNTED_KERNEL = (5, 14)
"""The first Linux that counts the processes of each user namespace apart."""
NAMESPACES = ("--unshare-all", "--unshare-user", "--disable-userns")
_TRIAL_SECONDS = 30.0
_AS_USER = (
    "import os, sys; uid = int(sys.argv[1]); os.setgroups([]); os.setgid(uid); os.setuid(uid);"
    "os.execv(sys.argv[2], sys.argv[2:])"
)
_SWITCHES = (
    ("kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"),
    ("user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000"),
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "an AppArmor profile that allows bwrap user namespaces, or sysctl"
        " kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)


@dataclass(frozen=True, slots=True)
class Support:
    """What there is: the program, its version, the machine's system calls, and the user whom
    agents have to be started as (None: oneself)."""

    program: str
    version: str
    architecture: Architecture
    uid: int | None
    counted: bool


def find_support() -> Support:
    """Raises AgentStartError, saying what to install or to switch on."""
    if sys.platform != "linux":
        raise AgentStartError("--sandbox bwrap needs Linux; --sandbox docker runs elsewhere, too")
    architecture = ARCHITECTURES.get(platform.machine())
    if architecture is None:
        raise AgentStartError(
            f"--sandbox bwrap supports the system calls of {' and '.join(ARCHITECTURES)}, not of"
            f" {platform.machine()}; use --sandbox docker"
        )
    program = shutil.which("bwrap")
    if program is None:
        raise AgentStartError(
            "--sandbox bwrap needs bubblewrap, which is not installed: apt install bubblewrap, or"
            " dnf install bubblewrap"
        )
    version = _version(program)
    uid = AGENT_UID if os.geteuid() == 0 else None
    _try(program, uid)
    return Support(program, version, architecture, uid, _kernel() >= COUNTED_KERNEL)


def _version(program: str) -> str:
    try:
        asked = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise AgentStartError(f"{program} does not run: {error}") from error
    version = asked.stdout.split()[-1] if asked.stdout.split() else ""
    if _numbers(version) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise AgentStartError(
            f"{program} is bubblewrap {version or 'of an unknown version'}, but --sandbox bwrap"
            f" needs {oldest} or newer (as in Debian 12, Ubuntu 24.04, Fedora 38)"
        )
    return version


def _try(program: str, uid: int | None) -> None:
    """Makes all the namespaces once."""
    words = [word for each in base_operations(AGENT_UID) if each[0] != "--ro-bind-data"
             for word in each]  # fmt: skip
    command = [program, *NAMESPACES, *words, "--proc", "/proc", "--dev", "/dev"]
    ids = ["--uid", str(AGENT_UID), "--gid", str(AGENT_UID)]
    command += [*ids, "--", shutil.which("true") or "true"]
    # A `user=` of `subprocess` would fork this process. gRPC's handlers would then start threads
    # in the child, and what they log or break there would look like bubblewrap's doing.
    if uid is not None:
        command = [sys.executable, "-I", "-S", "-c", _AS_USER, str(uid), *command]
    try:
        tried = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_TRIAL_SECONDS,
            check=False,
            cwd="/",
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise AgentStartError(f"{program} does not run: {error}") from error
    if tried.returncode != 0:
        raise AgentStartError(
            f"bubblewrap cannot create its namespaces ({tried.stderr.strip()}){_hint()}"
        )


def _hint() -> str:
    """What forbids it, as far as the kernel's settings show."""
    for name, forbids, remedy in _SWITCHES:
        switch = Path("/proc/sys") / name
        if switch.is_file() and switch.read_text().strip() == forbids:
            return f": users cannot create namespaces on this machine; enable them with {remedy}"
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return ": a container cannot create them unless it was started with that permission"
    return ": allow user namespaces on this machine"


def _kernel() -> tuple[int, ...]:
    return _numbers(platform.release())


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"\d+", version)[:2])
