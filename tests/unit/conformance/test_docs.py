"""The page about conformance tells of the rules as they are."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from env_service.conformance.catalogue import KITS, rules_of

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_the_page_lists_every_rule_as_it_is() -> None:
    spec = importlib.util.spec_from_file_location(
        "generate_conformance", DOCS / "generate_conformance.py"
    )
    assert spec is not None
    assert spec.loader is not None
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    text = (DOCS / "conformance-rules.md").read_text(encoding="utf-8")
    assert generator.page(text) == text, "run `python docs/generate_conformance.py`"
    for kit in KITS:
        for rule in rules_of(kit):
            assert f"| `{rule.id}` | {rule.severity.value} | {rule.requirement}" in text
