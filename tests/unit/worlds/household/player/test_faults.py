"""What goes wrong on request."""

from __future__ import annotations

import json

import pytest

from env_service.worlds.household.player.faults import VARIABLE, FaultAction, Faults, Start


def read(value: object) -> Faults:
    return Faults.from_environment({VARIABLE: json.dumps(value)})


def test_nothing_goes_wrong_unasked() -> None:
    faults = Faults.from_environment({})
    assert faults.start is Start.FINE
    assert all(faults.next("Pass") is None for _ in range(5))


def test_a_fault_comes_at_its_action_and_time() -> None:
    faults = read({"on": [{"action": "PickupObject", "nth": 2, "do": "signal", "number": 11}]})
    assert [faults.next(name) is not None for name in ("PickupObject", "Pass", "PickupObject")] == [
        False,
        False,
        True,
    ]
    assert faults.next("PickupObject") is None


def test_a_star_counts_every_action() -> None:
    faults = read({"on": [{"nth": 3, "do": "half"}]})
    found = [faults.next(name) for name in ("Reset", "Initialize", "Pass")]
    assert found[2] is not None
    assert found[2].effect is FaultAction.HALF


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "not JSON"),
        ("[]", "JSON object"),
        ('{"begin": 1}', "unknown keys: begin"),
        ('{"start": "explode"}', "start is one of .*'hang'"),
        ('{"on": [{"action": "Pass"}]}', 'needs a "do"'),
        ('{"on": [{"do": "sing"}]}', "do is one of .*'garbage'"),
        ('{"channels": 5}', "3 or 4"),
    ],
)
def test_a_wrong_request_says_what_is_wrong(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Faults.from_environment({VARIABLE: text})
