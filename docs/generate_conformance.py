"""Writes the rule tables of docs/conformance-rules.md, or checks that they are up to date.

python docs/generate_conformance.py            # writes them
python docs/generate_conformance.py --check    # exit code 1 when they are stale

A table stands between ``<!-- rules of KIT -->`` and ``<!-- end -->``; the rest of the page is
written by hand.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from env_service.conformance.catalogue import KITS, rules_of

PAGE = Path(__file__).resolve().parent / "conformance-rules.md"


def page(text: str) -> str:
    """The page with its tables as they should be."""
    for kit in KITS:
        start, end = f"<!-- rules of {kit} -->\n", "<!-- end -->"
        if text.count(start) != 1:
            raise SystemExit(f"{PAGE} has to hold the line {start.strip()!r} once")
        before, _, rest = text.partition(start)
        text = before + start + rules_table(kit) + end + rest.partition(end)[2]
    return text


def rules_table(kit: str) -> str:
    """Every rule of a kit, a row each."""
    rows = [
        f"| `{rule.id}` | {rule.severity.value} | {rule.requirement} | {rule.source} |"
        for rule in rules_of(kit)
    ]
    head = ["| Rule | Severity | Requirement | Source |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *rows]) + "\n"


def main() -> None:
    """Writes the page, or compares it."""
    parser = argparse.ArgumentParser(description="Writes docs/conformance-rules.md's tables.")
    parser.add_argument("--check", action="store_true", help="compare only")
    check = parser.parse_args().check
    now = PAGE.read_text(encoding="utf-8")
    wanted = page(now)
    if check and now != wanted:
        sys.exit(f"{PAGE} is stale: run `python docs/generate_conformance.py`")
    if not check:
        PAGE.write_text(wanted, encoding="utf-8")


if __name__ == "__main__":
    main()
