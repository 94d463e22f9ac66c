"""An incomplete suite is told what it lacks; a suite without its data what else there is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from env_service.cli.main import run
from env_service.contract import find_gaps
from env_service.datasets.errors import DataPackMissingError
from env_service.domain.episode import Episode
from env_service.domain.task import TaskSet
from env_service.suites.asgard.suite import AsgardSuite
from env_service.suites.base import PlainSuite, Suite
from env_service.suites.registry import SuiteLoadError, load_suite, suite_names
from env_service.suites.selection import (
    check_playable,
    pick_task_set,
    require_data,
    settle_condition,
)
from tests.support.lab import LabSuite


class Guess(PlainSuite):
    """Half a suite."""

    name, version, description = "guess", "1", "A guess."
    worlds = ("here",)
    settings = ("one",)
    modes = "stepwise"

    def task_sets(self) -> dict[str, object]:
        return {}

    def offer(self) -> None:
        """Takes no condition."""


class Inherited(Suite):
    """Has the protocol's own methods, which do nothing."""


class Unmade(LabSuite):
    def __init__(self, argument: str) -> None:
        raise AssertionError(argument)


class Empty(LabSuite):
    def task_sets(self) -> dict[str, object]:  # type: ignore[override] # on purpose
        return {}


class Burning(LabSuite):
    def task_sets(self) -> dict[str, object]:  # type: ignore[override] # on purpose
        raise KeyError("the tasks' file")


class Worldless(LabSuite):
    worlds = ()


class Offerless(LabSuite):
    def offer(self, condition: object) -> None:  # type: ignore[override] # on purpose
        """Gives nothing."""


class Disclosureless(LabSuite):
    def disclosure(self, condition: object) -> None:  # type: ignore[override] # on purpose
        """Gives nothing."""


class Placeless(LabSuite):
    def episodes_per_worker(self, world: str) -> int:
        return 0


class BurningEpisodes(LabSuite):
    def open_episode(self, order: object) -> object:  # type: ignore[override] # on purpose
        raise RuntimeError("disk on fire")


class Taskless(LabSuite):
    def task_sets(self) -> dict[str, TaskSet]:
        return {"none": TaskSet("none", "No task.", ())}


class HalfEpisodes(LabSuite):
    def open_episode(self, order: object) -> object:  # type: ignore[override] # on purpose
        class Half:
            def start(self) -> None: ...
            def close(self) -> None: ...

        return Half()


@pytest.mark.parametrize("name", suite_names())
def test_the_suites_that_come_along_are_whole(name: str) -> None:
    assert find_gaps(load_suite(name), Suite) == []


def test_what_is_missing_is_named_with_its_parameters() -> None:
    with pytest.raises(SuiteLoadError, match=r"suite \S+:Guess lacks ") as caught:
        load_suite(f"{__name__}:Guess")
    for gap in (
        "report",
        "open_episode(order)",
        "offer(condition) (its signature differs)",
        "settings as a tuple of Setting",
        "modes as a tuple (it is a str)",
        "env_service/suites/base.py",
    ):
        assert gap in str(caught.value)
    for kept in ("task_sets", "worlds_of", "description"):
        assert kept not in str(caught.value)


def test_the_base_class_is_named_to_whoever_does_not_use_it() -> None:
    with pytest.raises(SuiteLoadError, match="subclass of PlainSuite"):
        load_suite(f"{__name__}:Inherited")
    with pytest.raises(SuiteLoadError, match=r"docs/extend\.md$"):
        load_suite(f"{__name__}:Guess")


def test_an_empty_method_of_the_protocol_counts_for_nothing() -> None:
    gaps = find_gaps(Inherited(), Suite)
    assert "open_episode(order)" in gaps
    assert "name" in gaps


def test_a_suite_that_cannot_be_made_says_why() -> None:
    with pytest.raises(SuiteLoadError, match=r"calling Unmade\(\): TypeError: .*'argument'"):
        load_suite(f"{__name__}:Unmade")


def test_a_suite_without_task_sets_says_so() -> None:
    with pytest.raises(SuiteLoadError, match=r"task_sets\(\) has to give .* at least one"):
        pick_task_set(load_suite(f"{__name__}:Empty"))


def test_an_incomplete_episode_is_named() -> None:
    suite = load_suite(f"{__name__}:HalfEpisodes")
    task = pick_task_set(suite).tasks[0]
    with pytest.raises(SuiteLoadError, match=r"episode that suite lab opens lacks act\(action\)"):
        check_playable(suite, task, suite.worlds[0], settle_condition(suite, {}))
    assert find_gaps(object(), Episode) != []


@pytest.mark.parametrize(
    "command", [("run", "--agent", "random"), ("tasks",), ("expert",)], ids=lambda each: each[0]
)
def test_commands_name_the_gap(
    command: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    name, *rest = command
    assert run([name, "--suite", f"{__name__}:Guess", *rest]) == 2
    told = capsys.readouterr().err
    assert "Guess lacks " in told
    assert "Traceback" not in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (Burning, 'failed: KeyError: "the tasks\' file" ('),
        (Worldless, "worlds has to give at least one, and gave ()"),
        (Offerless, "offer(condition) has to give an ObservationOffer, and gave None"),
        (Disclosureless, "disclosure(condition) has to give a Disclosure, and gave None"),
        (Placeless, "episodes_per_worker(world) has to give a number of at least 1, and gave 0"),
        (BurningEpisodes, "failed: RuntimeError: disk on fire ("),
        (Taskless, "task set 'none' has no tasks"),
    ],
)
def test_a_run_of_a_faulty_suite_names_the_fault(
    kind: type[LabSuite],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["run", "--suite", f"{__name__}:{kind.__name__}", "--agent", "random"]) == 2
    error = capsys.readouterr().err
    assert told in error
    if "failed: " in told:
        assert f"({__file__}, line " in error
    assert "Traceback" not in error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [["suites"], ["tasks", "--suite"], ["expert", "--suite"]])
def test_other_commands_name_the_fault_of_a_suite(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command, f"{__name__}:Burning"]) == 2
    error = capsys.readouterr().err
    assert "failed: KeyError" in error
    assert "Traceback" not in error


class TestMissingData:
    @pytest.fixture(autouse=True)
    def nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path))
        return iter(())

    @pytest.mark.parametrize("name", ["actplan", "alfred", "asgard"])
    def test_it_says_how_to_get_them_and_what_needs_none(self, name: str) -> None:
        with pytest.raises(DataPackMissingError) as caught:
            pick_task_set(load_suite(name))
        told = str(caught.value)
        assert told.startswith(f"data pack {name} is not installed. ")
        assert f"`houseguest data fetch {name}`" in told
        assert "play `--task-set builtin`" in told

    def test_also_of_the_rooms_that_tasks_are_played_in(self) -> None:
        with pytest.raises(DataPackMissingError, match=r"--task-set builtin"):
            require_data(AsgardSuite(), "official", "household")
