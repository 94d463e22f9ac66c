"""Writes the table of docs/asgard-upstream.md from the suite's rules, or checks it.

python docs/generate_asgard_upstream.py            # writes it
python docs/generate_asgard_upstream.py --check    # exit code 1 when it is stale
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from env_service.suites.asgard.rules import differences

PAGE = Path(__file__).resolve().parent / "asgard-upstream.md"
START, END = "<!-- differences -->\n", "<!-- end -->"


def page(text: str) -> str:
    """The page with its table as it should be."""
    before, _, rest = text.partition(START)
    return before + START + table() + END + rest.partition(END)[2]


def table() -> str:
    """Every difference, a row each."""
    rows = [f"| `{each.name}` | {each.paper} | {each.code} |" for each in differences()]
    head = ["| difference | `paper` | `upstream` |", "| --- | --- | --- |"]
    return "\n".join([*head, *rows]) + "\n"


def main() -> None:
    """Writes the page, or checks it."""
    parser = argparse.ArgumentParser(description="Writes the table of docs/asgard-upstream.md.")
    parser.add_argument("--check", action="store_true", help="change nothing")
    check = parser.parse_args().check
    text = PAGE.read_text(encoding="utf-8")
    wanted = page(text)
    if check and text != wanted:
        sys.exit("docs/asgard-upstream.md is stale: run `make docs`")
    if not check:
        PAGE.write_text(wanted, encoding="utf-8")


if __name__ == "__main__":
    main()
