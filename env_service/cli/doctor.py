"""``houseguest doctor``: check this machine for problems, and say how to fix them."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click

from env_service.cli.agent_options import AgentCommand
from env_service.cli.errors import PROBLEM, Misuse
from env_service.cli.options import json_option, print_json
from env_service.doctor.registry import all_checks, examine, plugin_checks
from env_service.domain.text import counted

if TYPE_CHECKING:
    from rich.status import Status

    from env_service.doctor.diagnosis import Diagnosis

_EXAMPLES = """\b
Examples:
  houseguest doctor
  houseguest doctor --agent ./my_agent
  houseguest doctor --out /big/disk/runs
  houseguest doctor --world WORLD --start
  houseguest doctor --json | jq '.checks[] | select(.state == "problem")'

Exit status: 0 no required part has a problem; 1 a required part has one; 2 wrong usage.
"""

_MARKS = {
    "ok": click.style("✓", fg="green"),
    "note": click.style("•", fg="blue"),
    "warning": click.style("!", fg="yellow", bold=True),
    "problem": click.style("✗", fg="red", bold=True),
}
_INDENT = 22
"""Width of the mark and the name, in columns."""
_WIDEST = 110
_LEAST_WIDTH = 30

WORLDS = sorted({check.world for check in plugin_checks() if check.world})
"""The simulators that have checks."""

_AGENT_HELP = """Also check this agent, as `houseguest run` would start it: a name from
`houseguest agents`, a folder, or cmd:"…". The agent's own options are also accepted."""


@click.command(
    "doctor",
    cls=AgentCommand,
    sections={"Checks": ("agent", "agent_args", "world", "start", "scene", "out", "signing_key")},
    epilog=_EXAMPLES,
)
@click.option("--agent", default="", metavar="AGENT", help=_AGENT_HELP)
@click.option(
    "--agent-args", default="", metavar="ARGS", help="Arguments for the command of a cmd: agent."
)
@click.option(
    "--world",
    metavar="WORLD",
    type=click.Choice(WORLDS),
    help=f"Also check all that this simulator needs: {', '.join(WORLDS) or 'none is installed'}.",
)
@click.option("--start", is_flag=True, help="Start the simulator and play one step.")
@click.option("--scene", default="", help="Scene for the start.  [default: the world's]")
@click.option(
    "--out",
    default=Path("runs"),
    show_default=True,
    type=click.Path(path_type=Path),
    help="Parent folder of run folders.",
)
@click.option("--signing-key", type=click.Path(path_type=Path), help="PEM file of the signing key.")
@json_option
def doctor_command(*, as_json: bool, out: Path, **options: Any) -> int:
    """Check this machine for problems, and show how to fix them.

    Checks Python and packages, disk, sockets, memory, data packs and agents. --agent also checks
    that agent and its requirements, such as a model server. --world checks a simulator, and
    --start starts it.
    """
    from env_service.doctor.diagnosis import DiagnosisState, DoctorRequest, worst

    if options["start"] and not options["world"]:
        raise Misuse("--start needs a simulator to start: pass --world WORLD.")
    options["world"] = options["world"] or ""
    subject = DoctorRequest(runs=out, **options)
    findings = []
    with _Waiting(quiet=as_json) as waiting:
        for finding in examine(subject, all_checks(), waiting.say):
            findings.append(finding)
            if not as_json:
                waiting.clear()
                click.echo(_text(finding))
    state = worst(findings)
    if as_json:
        print_json({"state": state, "checks": [asdict(finding) for finding in findings]})
    else:
        click.echo(_verdict(findings))
    return PROBLEM if state is DiagnosisState.PROBLEM else 0


class _Waiting:
    """Shows the current check on a terminal."""

    def __init__(self, *, quiet: bool) -> None:
        self._status: Status | None = None
        if not quiet and sys.stdout.isatty() and sys.stderr.isatty():
            from rich.console import Console

            self._status = Console(stderr=True).status("")

    def say(self, name: str) -> None:
        """Shows the name of the current check."""
        if self._status is not None:
            self._status.update(name)
            self._status.start()

    def clear(self) -> None:
        """Clears the line, so that other output can be printed."""
        if self._status is not None:
            self._status.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()


def _text(finding: Diagnosis) -> str:
    """The mark, the name and the finding, with advice on the lines below."""
    width = max(min(shutil.get_terminal_size().columns, _WIDEST) - _INDENT, _LEAST_WIDTH)
    lines = _wrapped(finding.found, width)
    if finding.mend:
        advice = _wrapped(finding.mend, width - 2)
        lines += [f"{'→ ' if place == 0 else '  '}{line}" for place, line in enumerate(advice)]
    head = f"{_MARKS[finding.state]} {finding.name}"
    if len(finding.name) + 2 < _INDENT:
        head += " " * (_INDENT - 2 - len(finding.name)) + lines.pop(0)
    return "\n".join([head, *(" " * _INDENT + line for line in lines)])


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of at most ``width`` characters; longer words, such as paths, are not broken."""
    lines = text.splitlines() or [""]
    return [
        piece
        for line in lines
        for piece in textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
        or [""]
    ]


def _verdict(findings: Sequence[Diagnosis]) -> str:
    counts = Counter(finding.state.value for finding in findings)
    parts = [counted(counts[state], state) for state in ("problem", "warning") if counts[state]]
    if not parts:
        return "\nNo problems found."
    wrong = ", ".join(finding.name for finding in findings if finding.state.value == "problem")
    hint = f" Marked with ✗ above: {wrong}." if wrong else " Everything required works."
    return f"\n{' and '.join(parts)}.{hint}"
