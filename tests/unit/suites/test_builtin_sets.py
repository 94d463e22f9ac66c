"""Names of built-in task sets."""

from __future__ import annotations

import pytest

from env_service.domain.names import MalformedNameError
from env_service.suites.alfred.builtin import task_set as alfred
from env_service.suites.asgard.builtin import task_set as asgard
from env_service.suites.builtin_sets import BuiltinName, is_builtin, read_set_name


def test_a_name_tells_count_and_seed():
    assert read_set_name("builtin", asgard.COUNT) == BuiltinName(108, 0)
    assert read_set_name("builtin", alfred.COUNT) == BuiltinName(70, 0)
    assert read_set_name("builtin-500", 70) == BuiltinName(500, 0)
    assert read_set_name("builtin-7-42", 70) == BuiltinName(7, 42)
    assert read_set_name("builtin-1-0", 70) == BuiltinName(1, 0)


@pytest.mark.parametrize(
    "name",
    [
        "builtin-",
        "builtin-0",
        "builtin-05",
        "builtin--3",
        "builtin-5-",
        "builtin-5-01",
        "builtin-5-1-2",
        "builtin-five",
        "builtin-5-1\n",
        "builtin-1000000",
    ],
)
def test_a_malformed_name_is_told_the_form(name):
    assert is_builtin(name)
    for suite in (asgard, alfred):
        with pytest.raises(MalformedNameError, match=r"builtin-COUNT-SEED, such as builtin-500-7"):
            suite.builtin_task_set(name)


def test_other_names_are_none_of_these():
    for name in ("official", "valid_seen/lota", "", "builtins", "built-in"):
        assert not is_builtin(name)
        assert asgard.builtin_task_set(name) is None
        assert alfred.builtin_task_set(name) is None
