"""How near spellings are."""

from __future__ import annotations


def one_off(word: str, known: str) -> bool:
    """Whether a letter put in, left out, changed, or swapped with the next makes one the other."""
    if abs(len(word) - len(known)) > 1:
        return False
    start = 0
    while start < min(len(word), len(known)) and word[start] == known[start]:
        start += 1
    left, right = word[start:], known[start:]
    if len(left) == len(right):
        return left[1:] == right[1:] or left[1::-1] + left[2:] == right
    return left[1:] == right or left == right[1:]
