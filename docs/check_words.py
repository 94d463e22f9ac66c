"""Counts words of translated-sounding English in pages, docstrings, comments and messages.

    python docs/check_words.py             # fails where a kind of text has too many
    python docs/check_words.py --list      # shows each place
    python docs/check_words.py --list env_service/engine

The documentation of httpx, Gymnasium or inspect_ai has at most one of these words in 2,000. Rewrite
a sentence in which one stands out; a synonym in its place does not help a reader. Some uses are
right, such as an object that stands on a table, so each kind of text may have a few.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
UNIDIOMATIC = re.compile(
    r"\b(told|tells|nobody|beside|lies? (in|below)|comes? to|goes|gone|going on"
    r"|of (its|their|our) own|(is|are) no|knows|as it is|held (in|to)|stands"
    r"|(is|are) (here|there))\b",
    re.IGNORECASE,
)
GENERATED = ("docs/protocol.md", "docs/conformance-rules.md", "docs/asgard-upstream.md")
FOR_AGENTS = re.compile(
    r"env_service/(suites/\w+/.*(wording|actions|judging|builtin|recorded|episode|observation|grading"
    r"|formatters|symbolic_replay|action_language|problem_rules|rules|skills|plan_reader)"
    r"|worlds/activity/preconditions|templates)"
)
"""Files with instructions, feedback, reasons and task texts. Agents get them, and results contain
them: with other words, scores change and earlier runs can no longer be verified."""
MOST = {"pages": 0.5, "docstrings": 0.8, "comments": 1.0, "messages": 0.4, "texts for agents": 8.0}
"""Of 1,000 words of each kind of text."""


def texts(path: Path) -> Iterator[tuple[str, str, int]]:
    """The kind of each text in a file, the text, and the line at which it begins."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield "pages", source, 1
        return
    name = path.relative_to(ROOT).as_posix()
    docstrings = set()
    tree = ast.parse(source)
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text)) as constant):
                docstrings.add(id(constant))
                yield "docstrings", text, node.lineno
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if " " in text and id(node) not in docstrings:
                kind = "texts for agents" if FOR_AGENTS.match(name) else "messages"
                yield kind, text, node.lineno
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield "comments", token.string, token.start[0]


def files(folders: list[str]) -> list[Path]:
    """The pages, and the Python files of the product, that git knows in these folders."""
    listed = subprocess.run(
        [
            "git",
            "ls-files",
            *(folders or ["*.md", "env_service", "houseguest", "agents", "proto/python"]),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    kept = [each for each in listed if each.endswith((".md", ".py")) and each not in GENERATED]
    return [ROOT / each for each in kept if "_pb2" not in each]


def say(line: str) -> None:
    """Prints a line."""
    sys.stdout.write(f"{line}\n")


def main() -> None:
    """Counts, prints, and fails above the limits."""
    parser = argparse.ArgumentParser(
        description="Counts words of translated-sounding English in pages and code."
    )
    parser.add_argument("folders", nargs="*", help="files or folders; default: all")
    parser.add_argument("--list", action="store_true", help="show each place")
    asked = parser.parse_args()
    words: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for path in files(asked.folders):
        for kind, text, line in texts(path):
            words[kind] += len(text.split())
            for match in UNIDIOMATIC.finditer(text):
                found[kind] += 1
                if asked.list:
                    at = line + text.count("\n", 0, match.start())
                    around = " ".join(text[max(0, match.start() - 50) : match.end() + 50].split())
                    say(f"{path.relative_to(ROOT)}:{at}: {kind}: {around}")
    rates = {kind: 1000 * found[kind] / words[kind] for kind in words}
    for kind, rate in rates.items():
        say(f"{kind}: {rate:.1f} in 1,000 of {words[kind]} words (at most {MOST[kind]})")
    if not asked.folders and any(rate > MOST[kind] for kind, rate in rates.items()):
        sys.exit("rewrite some of these sentences: python docs/check_words.py --list")


if __name__ == "__main__":
    main()
