"""The kits' rules, and where they say that they come from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from env_service.conformance.agent.check import AGENT_RULES, pick_agent_rules
from env_service.conformance.catalogue import KITS, rules_of
from env_service.conformance.report import Severity
from env_service.domain.names import UnknownNameError

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("kit", KITS)
def test_every_rule_has_an_id_of_its_own_and_one_sentence(kit: str) -> None:
    rules = rules_of(kit)
    assert len({rule.id for rule in rules}) == len(rules)
    for rule in rules:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.id)
        assert rule.requirement.endswith(".")
        assert rule.requirement[0].isupper()


@pytest.mark.parametrize("kit", KITS)
def test_every_rule_names_where_it_comes_from(kit: str) -> None:
    for rule in rules_of(kit):
        place = rule.source.partition(",")[0]
        path = ROOT / place if "/" in place else ROOT / "proto/houseguest/agent/v1" / place
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"\b[A-Z][A-Z]+_[A-Z_]+\b", rule.source):
            assert name in text, f"{rule.id}: {place} knows no {name}"


def test_every_agent_scene_has_a_name_of_its_own() -> None:
    scenes = {each.scene for each in AGENT_RULES}
    assert len({scene.name for scene in scenes}) == len(scenes)


def test_most_rules_are_musts() -> None:
    musts = [rule for kit in KITS for rule in rules_of(kit) if rule.severity is Severity.MUST]
    assert len(musts) > 80


def test_a_rule_that_is_none_is_told_with_its_neighbour() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'voided'"):
        pick_agent_rules(("void",))
