from dataclasses import asdict, fields

from env_service.suites.asgard.rules import PAPER, RULES, UPSTREAM, Rules, differences


def test_the_paper_has_no_bug_and_the_release_has_all():
    assert not any(asdict(PAPER).values())
    assert all(asdict(UPSTREAM).values())
    assert dict(RULES) == {"paper": PAPER, "upstream": UPSTREAM}


def test_paper_is_the_default():
    assert next(iter(RULES)) == "paper"
    assert Rules() == PAPER


def test_one_difference_can_be_played_alone():
    rules = Rules(sticky_location_goals=True)
    assert [name for name, value in asdict(rules).items() if value] == ["sticky_location_goals"]


def test_every_difference_says_what_both_do():
    told = differences()
    assert [each.name for each in told] == [each.name for each in fields(Rules)]
    for each in told:
        assert each.paper.endswith("."), each.name
        assert each.code.endswith("."), each.name
