"""A spy in each sandbox: what it finds, and what it does not."""

from __future__ import annotations

import json
import os
import socket
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.sandbox import spy
from tests.conformance.sandbox.kit import CELLS, laboratory, listening

CODE = Path(spy.__file__).read_text(encoding="utf-8")
DENIED = {"EPERM", "EACCES", "ENOSYS"}
NO_WAY = {"ENETUNREACH", "EHOSTUNREACH", "ECONNREFUSED", "ETIMEDOUT", "EADDRNOTAVAIL"}
OURS = ("/tmp", "/dev/shm")
UNWRITABLE = (
    *("/", "/etc", "/usr", "/usr/bin", "/run", "/run/houseguest", "/run/houseguest/agent.sock"),
    *(
        "/dev",
        "/proc",
        "/etc/passwd",
        "/proc/sys/kernel/core_pattern",
        "/proc/sys/vm/overcommit_memory",
    ),
)


@dataclass(frozen=True)
class Findings:
    """What a spy reported, and in which kind of sandbox."""

    cell: str
    report: dict[str, Any]


@pytest.fixture(scope="module", params=sorted(name for name in CELLS if CELLS[name].holds_in))
def findings(request: pytest.FixtureRequest) -> Iterator[Findings]:
    """One spy in each sandbox; this machine has all prepared that it could find."""
    cell = CELLS[request.param]
    cell.need()
    with laboratory(cell) as lab, ExitStack() as stack:
        name = f"secret-{uuid.uuid4().hex}"
        secret = lab.folder / "runs" / name
        secret.parent.mkdir(exist_ok=True)
        secret.write_text("the answers")
        control = lab.folder / "control" / "control.sock"
        beside = lab.folder / f"{name}.sock"
        for path in (control, beside):
            stack.enter_context(listening(path))
        listener = stack.enter_context(socket.create_server(("0.0.0.0", 0)))
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind("\0" + name)
        abstract.listen()
        wanted = {
            "tcp": [(address, listener.getsockname()[1]) for address in _own_addresses()],
            "abstract": name,
            "name": name,
            "sockets": [str(control), str(beside), *_engines()],
            "writes": [*UNWRITABLE, *OURS],
            "secret": [str(secret), str(Path.home() / ".ssh"), str(lab.folder / "runs")],
        }
        stack.enter_context(pytest.MonkeyPatch.context()).setenv("HOUSE_SECRET", name)
        lab.options = replace(lab.options, environment={"SPY": json.dumps(wanted)})
        _, text = lab.run(CODE)
        yield Findings(cell.name, json.loads(text.splitlines()[-1]))


def test_there_is_no_way_to_the_internet(findings: Findings) -> None:
    assert findings.report["routes"] == []
    assert findings.report["udp"] == "ENETUNREACH"


def test_no_service_of_the_machine_can_be_reached(findings: Findings) -> None:
    assert len(findings.report["tcp"]) >= 1
    assert set(findings.report["tcp"]) <= NO_WAY
    assert findings.report["abstract"] == "ECONNREFUSED"
    assert set(findings.report["sockets"]) <= {"ENOENT", "EACCES"}


def test_of_the_service_there_is_the_agents_socket_alone(findings: Findings) -> None:
    assert findings.report["address"] == "unix:/run/houseguest/agent.sock"
    assert findings.report["house"] == "done"


def test_nothing_can_be_written_but_scratch(findings: Findings) -> None:
    writes = findings.report["writes"]
    assert {path for path, result in writes.items() if result == "done"} <= set(OURS)
    assert writes["/tmp"] == "done"


def test_no_file_of_the_machines_users_or_of_the_runs_is_seen(findings: Findings) -> None:
    assert findings.report["seen"] == []
    # Docker gets the whole folder of the socket: there has to be nothing else in it.
    shared = {"/run/houseguest/"} if findings.cell == "docker" else set()
    assert [p for p in findings.report["found"] if not any(map(p.startswith, shared))] == []
    assert findings.report["devices"] == []


def test_there_are_no_other_processes(findings: Findings) -> None:
    # The first process of the sandbox, the agent, and its fork that tried to execute.
    assert len(findings.report["processes"]) <= 2
    assert max(findings.report["processes"]) < 20
    assert findings.report["fds"] <= 4


def test_nothing_of_the_services_environment_comes_along(findings: Findings) -> None:
    assert "HOUSE_SECRET" not in findings.report["variables"]
    assert "HOUSEGUEST_TOKEN" in findings.report["variables"]


def test_it_is_nobody_and_stays_so(findings: Findings) -> None:
    report = findings.report
    assert report["uid"][:3] == [10001] * 3
    assert 0 not in report["uid"][3]
    for capabilities in ("CapEff", "CapPrm", "CapBnd", "CapAmb"):
        assert int(report["status"][capabilities], 16) == 0
    assert report["status"]["NoNewPrivs"] == "1"
    assert report["status"]["Seccomp"] == "2"
    for call in ("setuid", "setgid", "chroot", "mount", "umount"):
        assert report[call] in {"EPERM", "EINVAL"}, call


def test_sockets_that_reach_below_the_network_are_denied(findings: Findings) -> None:
    assert findings.report["raw"] == "EPERM"
    assert findings.report["packet"] == "EPERM"
    assert findings.report["inet"] == "done"


@pytest.mark.parametrize(
    "call", ["bpf", "perf_event_open", "userfaultfd", "unshare", "setns", "pivot_root", "keyctl"]
)
def test_calls_that_no_agent_needs_are_denied(findings: Findings, call: str) -> None:
    assert findings.report["calls"][call] in DENIED


@pytest.mark.parametrize(
    "call", ["io_uring_setup", "ptrace", "process_vm_readv", "add_key", "open_by_handle_at", "kcmp"]
)
def test_bubblewraps_filter_denies_more_calls(findings: Findings, call: str) -> None:
    _only_bubblewrap(findings)
    assert findings.report["calls"][call] == "EPERM"


def test_bubblewraps_filter_denies_more_sockets(findings: Findings) -> None:
    _only_bubblewrap(findings)
    assert findings.report["netlink"] == findings.report["vsock"] == "EPERM"


def test_memory_that_nobody_counts_is_denied(findings: Findings) -> None:
    if findings.cell != "bwrap-watched":
        pytest.skip("control groups count it")
    assert findings.report["calls"]["memfd_create"] == "EPERM"


def test_nothing_in_scratch_can_be_executed_in_a_container(findings: Findings) -> None:
    if findings.cell != "docker":
        pytest.skip("bubblewrap cannot mount it so")
    assert findings.report["executed"] == "EACCES"


def _only_bubblewrap(findings: Findings) -> None:
    if findings.cell == "docker":
        pytest.skip("a container has its engine's filter")


def _own_addresses() -> set[str]:
    """This machine's, by route rather than by traffic: a UDP socket that is connected sends
    nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return {"127.0.0.1"}
        return {"127.0.0.1", probe.getsockname()[0], "172.17.0.1"}


def _engines() -> list[str]:
    """Where a Docker engine may listen."""
    named = os.environ.get("DOCKER_HOST", "")
    known = [named.removeprefix("unix://")] if named.startswith("unix://") else []
    return [*known, "/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock"]
