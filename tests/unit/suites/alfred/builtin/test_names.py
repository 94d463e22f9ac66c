from __future__ import annotations

import pytest

from env_service.domain.names import MalformedNameError
from env_service.suites.alfred.builtin.names import BuiltinName, is_builtin, read_set_name
from env_service.suites.alfred.builtin.sets import builtin_task_set


def test_a_name_tells_count_and_seed():
    assert read_set_name("builtin") == BuiltinName(70, 0)
    assert read_set_name("builtin-500") == BuiltinName(500, 0)
    assert read_set_name("builtin-7-42") == BuiltinName(7, 42)


@pytest.mark.parametrize(
    "name", ["builtin-", "builtin-0", "builtin-05", "builtin--3", "builtin-5-01", "builtin-five"]
)
def test_a_malformed_name_is_told_the_form(name):
    assert is_builtin(name)
    with pytest.raises(MalformedNameError, match=r"builtin-COUNT-SEED, such as builtin-500-7"):
        builtin_task_set(name)


def test_other_names_are_none_of_these():
    for name in ("valid_seen", "valid_seen/lota", "", "builtins", "built-in"):
        assert not is_builtin(name)
        assert builtin_task_set(name) is None
