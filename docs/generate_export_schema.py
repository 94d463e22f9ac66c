"""Writes the tables of docs/export-schema.md, or checks that they are up to date.

python docs/generate_export_schema.py            # writes them
python docs/generate_export_schema.py --check    # exit code 1 when they are stale

A table stands between ``<!-- columns of NAME -->`` and ``<!-- end -->``; the rest of the page is
written by hand.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from env_service.exports.card import schema
from env_service.exports.fine_tuning import COLUMNS
from env_service.exports.tables import OPENING_PICTURES, STEP_PICTURES
from env_service.results.report.episode_table import EPISODE_COLUMNS, USAGE_COLUMNS
from env_service.results.report.step_table import OPENING_COLUMNS, STEP_COLUMNS

PAGE = Path(__file__).resolve().parent / "export-schema.md"
TABLES = {
    "episodes": (*EPISODE_COLUMNS, *OPENING_COLUMNS, OPENING_PICTURES),
    "steps": (*STEP_COLUMNS, STEP_PICTURES),
    "usage": USAGE_COLUMNS,
    "sft": COLUMNS,
}


def page(text: str) -> str:
    """The page with its tables as they should be."""
    for name, columns in TABLES.items():
        start, end = f"<!-- columns of {name} -->\n", "<!-- end -->"
        if text.count(start) != 1:
            raise SystemExit(f"{PAGE} has to hold the line {start.strip()!r} once")
        before, _, rest = text.partition(start)
        text = f"{before}{start}\n{schema(columns)}\n\n{end}{rest.partition(end)[2]}"
    return text


def main() -> None:
    """Writes the page, or compares it."""
    parser = argparse.ArgumentParser(description="Writes docs/export-schema.md's tables.")
    parser.add_argument("--check", action="store_true", help="compare only")
    check = parser.parse_args().check
    now = PAGE.read_text(encoding="utf-8")
    wanted = page(now)
    if check and now != wanted:
        sys.exit(f"{PAGE} is stale: run `python docs/generate_export_schema.py`")
    if not check:
        PAGE.write_text(wanted, encoding="utf-8")


if __name__ == "__main__":
    main()
