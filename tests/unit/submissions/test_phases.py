"""What phases.toml may say, and how a wrong one is named."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from env_service.cli.command import with_sample
from env_service.domain.names import UnknownNameError
from env_service.submissions.failures import PhasesError
from env_service.submissions.phases import EXAMPLE, SecretSeeds, pick_phase, read_phases

WRONG = {
    "suite = 'x'": "'suite' must be a table such as [minival]",
    "": "the file defines no phase",
    "[a": "Expected",
    "[a]": "[a]: lacks the key 'suite'",
    "[a]\nsuite = 'babyia'": "Did you mean 'babyai'?",
    "[a]\nsuite = 'babyai'\nper_dya = 1": "unknown key 'per_dya'. Did you mean 'per_day'?",
    "[a]\nsuite = 'babyai'\nper_day = -1": "per_day: is -1; it has to be from 0 to 1000000",
    "[a]\nsuite = 'babyai'\nranking = 'worst'": "no ranking 'worst'. Valid: best, latest",
    "[a]\nsuite = 'babyai'\ncloses = 2030-01-01": "a time with a time zone",
    "[a]\nsuite = 'babyai'\nlimits = {memory = 'much'}": (
        "limits.memory: is 'much'; it must be a size"
    ),
    "[a]\nsuite = 'babyai'\nlimits = {mem = '8g'}": "Did you mean 'limits.memory'?",
    "[a]\nsuite = 'babyai'\ntask_sets = ['x-{seed}']": "only {secret}",
    "[a]\nsuite = 'babyai'\ntask_sets = ['x-{secret*1001}']": "at most 1000 are allowed",
    "[a]\nsuite = 'babyai'\nhidden = true\nsandbox = 'process'": "can read the hidden tasks",
    "[a]\nsuite = 'babyai'\ntask_sets = ['x-{secret}']\nsandbox = 'process'": "can read the hidden",
    "[a]\nsuite = 'asgard'\nhidden = true\nseed = 7\ntask_sets = ['builtin-9-7']": (
        "seed: is 7; agents receive it, and 'builtin-9-7' contains it"
    ),
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "phases.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PhasesError) as caught:
        read_phases(path)
    assert WRONG[text] in str(caught.value)


def test_a_file_that_is_not_there_is_told_how_to_be_made(tmp_path: Path) -> None:
    with pytest.raises(PhasesError, match="queue phases --example >"):
        read_phases(tmp_path / "phases.toml")


def test_the_example_is_good(tmp_path: Path) -> None:
    path = tmp_path / "phases.toml"
    path.write_text(with_sample(EXAMPLE), encoding="utf-8")
    phases = read_phases(path)
    assert list(phases) == ["minival", "test"]
    test = phases["test"]
    assert test.closes == datetime(2030, 12, 31, 23, 59, 59, tzinfo=UTC)
    assert (test.task_sets, test.world, test.condition) == (("",), "", {})
    assert (test.ceiling.seconds, test.step_budget) == (14400, 60)
    with pytest.raises(UnknownNameError, match="Did you mean 'minival'"):
        pick_phase(phases, "minvial")


def test_every_key_of_the_example_is_known(tmp_path: Path) -> None:
    path = tmp_path / "phases.toml"
    commented = re.sub(r"(?m)^# (?=\w+ = )", "", with_sample(EXAMPLE))
    path.write_text(commented, encoding="utf-8")
    test = read_phases(path)["test"]
    assert test.task_sets == ("TASK-SET-{secret}",)
    assert test.condition == {"condition": "CONDITION", "SETTING": "VALUE"}


def test_what_may_be_told_of_a_hidden_phase_names_no_task_set(tmp_path: Path) -> None:
    path = tmp_path / "phases.toml"
    path.write_text("[a]\nsuite = 'asgard'\ntask_sets = ['builtin-9-{secret}']", encoding="utf-8")
    phase = read_phases(path)["a"]
    assert phase.hidden
    assert "builtin" not in str(phase.to_json())
    assert path.stat().st_mode & 0o777 == 0o600


def test_secrets_are_drawn_once_and_kept_from_others(tmp_path: Path) -> None:
    path = tmp_path / "secrets.json"
    names = ("builtin-9-{secret}", "predict:all:{secret*3}", "plain")
    first = SecretSeeds(path).fill_in("test", names)
    assert SecretSeeds(path).fill_in("test", names) == first
    assert SecretSeeds(path).fill_in("other", names) != first
    assert first[0].removeprefix("builtin-9-").isdecimal()
    assert len(set(first[1].removeprefix("predict:all:").split(","))) == 3
    assert first[2] == "plain"
    assert path.stat().st_mode & 0o777 == 0o600
