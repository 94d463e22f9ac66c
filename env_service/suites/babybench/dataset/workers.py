"""Makes rows in several processes."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import islice

from env_service.suites.babybench.dataset.recipe import Recipe
from env_service.suites.babybench.dataset.rows import make_row
from env_service.suites.babybench.dataset.shards import Made, Piece
from env_service.suites.process_pool import process_pool

_WAITING = 3
"""Pieces of work that each process has in hand or waiting: few, so that memory is bounded."""


def make_all(
    recipe: Recipe, pieces: Iterable[Piece], jobs: int
) -> Generator[list[Made], None, None]:
    """Yields what came of each piece, in any order, from ``jobs`` processes (1: from this one).

    Pieces are taken one by one, as processes come free. Closing the generator lets the running
    pieces come to an end, and starts no others.
    """
    if jobs <= 1:
        yield from (make_piece(recipe, piece) for piece in pieces)
        return
    pool = process_pool(jobs)
    left = iter(pieces)
    running: set[Future[list[Made]]] = set()
    try:
        while True:
            wanted = islice(left, jobs * _WAITING - len(running))
            running |= {pool.submit(make_piece, recipe, piece) for piece in wanted}
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def make_piece(recipe: Recipe, piece: Piece) -> list[Made]:
    """Makes the rows of a piece. What cannot be made is a problem of its row, and no more."""
    return [_make(recipe, piece.level, seed) for seed in piece.seeds]


def _make(recipe: Recipe, level: str, seed: int) -> Made:
    try:
        return Made(level, seed, make_row(recipe, level, seed))
    except Exception as error:  # noqa: BLE001 - handed on as this row's problem
        return Made(level, seed, None, f"{type(error).__name__}: {error}")
