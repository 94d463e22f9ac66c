import pytest

from env_service.domain.names import MalformedNameError, UnknownNameError
from env_service.suites.asgard.conditions import (
    NAMED,
    Conditions,
    Declared,
    named_condition,
    read_suffix,
    write_suffix,
)
from env_service.suites.asgard.suite import AsgardSuite
from env_service.suites.selection import settle_condition

BASELINE = "T0_Fs_H60_C0_P2_I1_R1_S1_E0_M8192"


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("baseline", BASELINE),
        ("detailed", "T0_Fd_H60_C0_P2_I1_R1_S1_E0_M8192"),
        ("no-feedback", "T0_Fn_H60_C0_P2_I1_R1_S1_E0_M8192"),
        ("no-hand", "T0_Fs_H00_C0_P2_I1_R1_S1_E0_M8192"),
        ("no-memory", "T0_Fs_H60_C0_P2_I1_R0_S1_E0_M8192"),
        ("no-previous-image", "T0_Fs_H60_C0_P2_I0_R1_S1_E0_M8192"),
        ("text-only-detailed", "T1_Fd_H00_C0_P2_I0_R1_S1_E0_M8192"),
    ],
)
def test_a_condition_has_the_releases_code(name, suffix):
    assert write_suffix(named_condition(name)) == suffix


@pytest.mark.parametrize("name", NAMED)
def test_a_code_leads_back_to_its_condition(name):
    condition = named_condition(name)
    settings, declared = read_suffix(write_suffix(condition))
    assert {**settings, "rules": "paper"} == condition
    assert list(settings) == [key for key in condition if key != "rules"]
    assert declared == Declared()


def test_what_the_agent_declares_is_in_the_code():
    told = Declared(prompt_version=1, temperature=0.7, max_tokens=4096)
    suffix = write_suffix(named_condition("baseline"), told)
    assert suffix == "T0_Fs_H60_C0_P1_I1_R1_S1_E70_M4096"
    assert read_suffix(suffix)[1] == told


def test_one_digit_will_do_for_no_hand():
    assert read_suffix(BASELINE.replace("H60", "H0"))[0]["hand"] == "0"


@pytest.mark.parametrize(
    ("suffix", "problem"),
    [
        ("", "the letters of a code are T F H C P I R S E M"),
        (BASELINE.removesuffix("_M8192"), "the letters of a code are T F H C P I R S E M"),
        (
            "Fs_T0_" + BASELINE.removeprefix("T0_Fs_"),
            "the letters of a code are T F H C P I R S E M",
        ),
        (BASELINE + "_M8192", "the letters of a code are T F H C P I R S E M"),
        (BASELINE.replace("Fs", "Fx"), "F is 'x'; it has to be one of n, s, d"),
        (BASELINE.replace("H60", "H45"), "H is '45'; it has to be one of 60, 0"),
        (BASELINE.replace("M8192", "Mmany"), "M is 'many'; it has to be a whole number"),
    ],
)
def test_other_codes_are_refused_by_what_is_wrong_with_them(suffix, problem):
    with pytest.raises(MalformedNameError) as error:
        read_suffix(suffix)
    assert repr(suffix) in str(error.value)
    assert problem in str(error.value)


def test_a_condition_may_be_asked_for_by_its_code():
    conditions = Conditions()
    assert conditions["no-hand"] == {"hand": "0"}
    assert conditions[BASELINE]["feedback"] == "simple"
    assert BASELINE in conditions
    assert BASELINE not in list(conditions)


@pytest.mark.parametrize("name", ["nohand", "no_hand", "", "Baseline"])
def test_a_name_that_is_neither_is_unknown(name):
    assert name not in Conditions()


def test_a_code_with_a_mistake_in_it_is_told_by_the_mistake():
    with pytest.raises(UnknownNameError, match="its F is 'x'"):
        settle_condition(AsgardSuite(), {"condition": BASELINE.replace("Fs", "Fx")})
