"""An answer compared with the true states, as moments of a replay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from env_service.domain.moment import Mark, Moment
from env_service.suites.babybench.tracing.answer_trace import AnswerTrace, Step, Track


def answer_moments(trace: AnswerTrace) -> Iterator[Moment]:
    """The verdict on the level's start; then each track from its start, step by step."""
    read = [f"read as: {'; '.join(trace.said)}"] if trace.said else []
    left_out = (f"left out: {each}" for each in trace.left_out)
    marks = tuple(_marks(trace))
    start = Moment(board=trace.start.board(marks))
    yield replace(start, notes=(trace.verdict, *read, *left_out))
    for track in trace.tracks:
        yield replace(start, track=track.name, notes=(track.note,) if track.note else ())
        yield from _steps(track, trace, marks)


def _marks(trace: AnswerTrace) -> Iterator[Mark]:
    if trace.target is not None:
        yield Mark(*trace.target, "target")
    if trace.claim is not None:
        yield Mark(*trace.claim.position, f"claimed end, heading {trace.claim.heading}")


def _steps(track: Track, trace: AnswerTrace, marks: tuple[Mark, ...]) -> Iterator[Moment]:
    start = trace.start
    cells = list(start.cells)
    helped = any(step.help for step in track.steps)
    for step in track.steps:
        if step.change is not None:
            (x, y), thing = step.change
            cells[y * start.width + x] = thing
        board = replace(
            replace(start, cells=tuple(cells), carrying=step.carrying).board(marks),
            agent=step.state.position,
            heading=int(step.state.heading),
        )
        problem = "changed nothing" if step.idle else ""
        yield Moment(
            board=board,
            track=track.name,
            caption=step.action,
            problem=problem,
            notes=tuple(_notes(step, helped=helped)),
        )


def _notes(step: Step, *, helped: bool) -> Iterator[str]:
    """The subgoals of the expert's stack, the next one first."""
    if helped:
        yield f"subgoals added so far: {step.help}"
    for line in reversed(step.stack):
        yield f"{line.words} ({line.owner})"
