"""Where control groups can be made, and what is written into them."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.sandbox.bwrap import cgroups
from env_service.sandbox.bwrap.cgroups import GroupHome, find_home
from env_service.sandbox.options import MIB, AgentLimits

LIMITS = AgentLimits(memory=64 * MIB, cpus=0.5, pids=20)


def machine(folder: Path, mounts: list[str], groups: str) -> Path:
    """A /proc/self that tells of these mounts and groups."""
    proc = folder / "proc"
    proc.mkdir()
    (proc / "mountinfo").write_text("\n".join(mounts) + "\n")
    (proc / "cgroup").write_text(groups)
    return proc


def v2(folder: Path, group: str, controllers: str) -> Path:
    """A tree of version 2 in which the parent of our group grants these controllers."""
    own = folder / "fs" / group
    own.mkdir(parents=True)
    for place in (own, own.parent):
        (place / "cgroup.procs").write_text("")
    (own.parent / "cgroup.subtree_control").write_text(controllers)
    mount = f"30 20 0:26 / {folder}/fs rw - cgroup2 cgroup2 rw,nsdelegate"
    return machine(folder, [mount], f"0::/{group}\n")


@pytest.fixture(autouse=True)
def _every_folder_is_a_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "_can_make", lambda place: place.is_dir())


def test_in_version_2_an_agent_lies_beside_the_service(tmp_path: Path) -> None:
    proc = v2(tmp_path, "user/app.slice/house.scope", "cpu memory pids\n")
    home = find_home(proc)
    beside = tmp_path / "fs/user/app.slice"
    assert home == GroupHome(2, beside, beside, beside)


def test_without_the_controller_of_cpus_the_others_do(tmp_path: Path) -> None:
    home = find_home(v2(tmp_path, "a/b", "memory pids\n"))
    assert home is not None
    assert home.cpu is None
    assert not any("cpu" in file for file, _ in home.plan(LIMITS).settings)


@pytest.mark.parametrize("granted", ["", "memory\n", "cpu pids\n"])
def test_without_memory_and_pids_there_are_none(tmp_path: Path, granted: str) -> None:
    assert find_home(v2(tmp_path, "a/b", granted)) is None


def test_version_1_has_a_tree_for_each_controller(tmp_path: Path) -> None:
    for name in ("memory/box", "pids", "cpu"):
        (tmp_path / name).mkdir(parents=True)
    mounts = [
        f"31 20 0:27 / {tmp_path}/memory rw - cgroup cgroup rw,memory",
        f"32 20 0:28 / {tmp_path}/pids rw - cgroup cgroup rw,pids",
        f"33 20 0:29 / {tmp_path}/cpu rw - cgroup cgroup rw,cpu,cpuacct",
        f"34 20 0:30 / {tmp_path}/unified rw - cgroup2 cgroup2 rw",
    ]
    groups = "3:memory:/box\n2:cpu,cpuacct:/\n1:pids:/\n0::/\n"
    home = find_home(machine(tmp_path, mounts, groups))
    assert home == GroupHome(1, tmp_path / "memory/box", tmp_path / "pids", tmp_path / "cpu")


def test_a_mount_of_a_part_of_the_tree_is_understood(tmp_path: Path) -> None:
    for name in ("memory/inner", "pids/inner"):
        (tmp_path / name).mkdir(parents=True)
    mounts = [
        f"31 20 0:27 /docker/x {tmp_path}/{name} rw - cgroup cgroup rw,{name}"
        for name in ("memory", "pids")
    ]
    proc = machine(tmp_path, mounts, "3:memory:/docker/x/inner\n1:pids:/docker/x/inner\n")
    home = find_home(proc)
    assert home == GroupHome(1, tmp_path / "memory/inner", tmp_path / "pids/inner", None)


def test_no_control_groups_at_all(tmp_path: Path) -> None:
    assert find_home(tmp_path) is None


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (1, {"memory.limit_in_bytes": "67108864", "cpu.cfs_quota_us": "50000", "pids.max": "21"}),
        (2, {"memory.max": "67108864", "cpu.max": "50000 100000", "memory.swap.max": "0"}),
    ],
)
def test_limits_are_written(tmp_path: Path, version: int, expected: dict[str, str]) -> None:
    plan = GroupHome(version, tmp_path, tmp_path, tmp_path).plan(LIMITS)
    written = {Path(file).name: value for file, value in plan.settings}
    assert expected.items() <= written.items()
    assert len(plan.folders) == 1


def test_agents_have_groups_of_their_own(tmp_path: Path) -> None:
    home = GroupHome(2, tmp_path, tmp_path, tmp_path)
    assert home.plan(LIMITS).folders != home.plan(LIMITS).folders


def test_a_kill_for_lack_of_memory_is_noticed(tmp_path: Path) -> None:
    plan = GroupHome(2, tmp_path, tmp_path, tmp_path).plan(LIMITS)
    events = Path(plan.kills[0])
    assert not cgroups.ran_out_of_memory(plan)
    events.parent.mkdir()
    events.write_text("low 0\noom 3\noom_kill 0\n")
    assert not cgroups.ran_out_of_memory(plan)
    events.write_text("low 0\noom 3\noom_kill 1\n")
    assert cgroups.ran_out_of_memory(plan)


def test_groups_of_services_that_are_gone_are_swept(tmp_path: Path) -> None:
    left, others = tmp_path / f"{cgroups.PREFIX}4194399-0", tmp_path / "others-4194399-0"
    mine = tmp_path / f"{cgroups.PREFIX}1-0"
    for folder in (left, others, mine):
        folder.mkdir()
    GroupHome(2, tmp_path, tmp_path, tmp_path).sweep()
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([mine.name, others.name])
