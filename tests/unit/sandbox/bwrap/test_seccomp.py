"""The filter, run by a machine of a few lines as the kernel would run it."""

from __future__ import annotations

import errno
import socket
import struct

import pytest

from env_service.sandbox.bwrap.seccomp import (
    ARCHITECTURES,
    DENIED,
    PINNED,
    UNCOUNTED,
    Architecture,
    build_filter,
)

ALLOWED = 0x7FFF0000
LOAD, AND, RETURN = 0x20, 0x54, 0x06
JUMPS = {
    0x15: lambda a, k: a == k,
    0x35: lambda a, k: a >= k,
    0x45: lambda a, k: bool(a & k),
}
I386 = 0x40000003
MOST_INSTRUCTIONS = 4096


def verdict(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """What the filter returns for a call; 0 where it is allowed, else the error's number."""
    padded = (*arguments, *(0,) * (6 - len(arguments)))
    data = struct.pack("=IIQ6Q", number, architecture, 0, *padded)
    code = list(struct.iter_unpack("=HBBI", program))
    place, value = 0, 0
    while True:
        operation, if_true, if_not, operand = code[place]
        place += 1
        if operation == LOAD:
            (value,) = struct.unpack_from("=I", data, operand)
        elif operation == AND:
            value &= operand
        elif operation == RETURN:
            return 0 if operand == ALLOWED else operand & 0xFFFF
        else:
            place += if_true if JUMPS[operation](value, operand) else if_not


@pytest.fixture(params=sorted(ARCHITECTURES))
def machine(request: pytest.FixtureRequest) -> Architecture:
    return ARCHITECTURES[request.param]


def ask(machine: Architecture, name: str, *arguments: int, also: tuple[str, ...] = ()) -> int:
    program = build_filter(machine, also)
    return verdict(program, machine.audit, machine.numbers[name], *arguments)


def test_what_no_agent_needs_is_denied(machine: Architecture) -> None:
    denied = [name for name in DENIED if name in machine.numbers]
    assert {ask(machine, name) for name in denied} == {errno.EPERM}
    assert {"ptrace", "bpf", "io_uring_setup", "unshare", "kexec_load", "reboot"} <= set(denied)


def test_every_name_is_a_call_of_some_machine() -> None:
    known = {name for machine in ARCHITECTURES.values() for name in machine.numbers}
    assert {*DENIED, *UNCOUNTED, *PINNED} <= known


def test_all_else_is_allowed(machine: Architecture) -> None:
    program = build_filter(machine)
    handled = {*machine.numbers.values()}
    others = set(range(462)) - handled
    assert {verdict(program, machine.audit, number) for number in others} == {0}


def test_calls_of_another_architecture_are_denied(machine: Architecture) -> None:
    assert verdict(build_filter(machine), I386, 4) == errno.EPERM


def test_the_second_table_of_a_pc_is_denied() -> None:
    machine = ARCHITECTURES["x86_64"]
    for number in (0x40000000, 0x40000200, 0x40000000 + 41):
        assert verdict(build_filter(machine), machine.audit, number) == errno.EPERM


@pytest.mark.parametrize("family", [socket.AF_UNIX, socket.AF_INET, socket.AF_INET6])
def test_ordinary_sockets_are_allowed(machine: Architecture, family: int) -> None:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        assert ask(machine, "socket", family, kind | socket.SOCK_CLOEXEC) == 0


@pytest.mark.parametrize("family", [*range(3, 10), *range(11, 46)])
def test_no_other_family_of_sockets_is(machine: Architecture, family: int) -> None:
    assert ask(machine, "socket", family, socket.SOCK_STREAM) == errno.EPERM


def test_raw_sockets_are_denied(machine: Architecture) -> None:
    kind = socket.SOCK_RAW | socket.SOCK_NONBLOCK
    assert ask(machine, "socket", socket.AF_INET, kind) == errno.EPERM


def test_threads_and_processes_can_be_made_but_no_namespaces(machine: Architecture) -> None:
    thread, fork = 0x3D0F00, 0x1200011
    assert ask(machine, "clone", thread) == ask(machine, "clone", fork) == 0
    for bit in (17, 25, 26, 27, 28, 29, 30):
        assert ask(machine, "clone", fork | 1 << bit) == errno.EPERM


def test_clone3_does_not_exist_so_that_clone_is_used(machine: Architecture) -> None:
    assert ask(machine, "clone3") == errno.ENOSYS


def test_nobody_types_into_a_terminal(machine: Architecture) -> None:
    tiocsti, tcgets = 0x5412, 0x5401
    assert ask(machine, "ioctl", 0, tiocsti) == errno.EPERM
    # The upper half is ignored by the kernel, so it must not get around the filter.
    assert ask(machine, "ioctl", 0, tiocsti | 1 << 32) == errno.EPERM
    assert ask(machine, "ioctl", 0, tcgets) == 0


@pytest.mark.parametrize("name", [*UNCOUNTED, *PINNED])
def test_more_is_denied_on_demand(machine: Architecture, name: str) -> None:
    assert ask(machine, name) == 0
    assert ask(machine, name, also=(name,)) == errno.EPERM


def test_the_kernel_takes_programs_of_this_length(machine: Architecture) -> None:
    program = build_filter(machine, (*UNCOUNTED, *PINNED))
    assert len(program) % 8 == 0
    assert len(program) // 8 < MOST_INSTRUCTIONS
