"""Takes from an answer what is not the answer: thoughts, markdown, typographic characters."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("’‘‛ʼ´＇", "'"),
        **dict.fromkeys("“”„«»＂", '"'),
        **dict.fromkeys("\u00a0\u2007\u2009\u202f\u3000\t", " "),
        **dict.fromkeys("−–‐‑—－", "-"),
        **dict.fromkeys("（﹙", "("),
        **dict.fromkeys("）﹚", ")"),
        **dict.fromkeys("，、", ","),
        **dict.fromkeys("：", ":"),
        **dict.fromkeys("；", ";"),
        **dict.fromkeys("→⇒➡⟶➜", ">"),
        **dict.fromkeys("*`\u200b\u200c\u200d\ufeff\ufe0f", None),
        "\r": "\n",
    }
)
_THOUGHT = re.compile(r"<\s*+(/?+)\s*+(?:think|thinking|thought|thoughts|reasoning)\s*+>", re.I)
_LATEX = re.compile(r"\\(?:text\w*+|math\w*+|boxed)\s*+(?=\{)")
_FENCE = re.compile(r"^ *+(?:```|~~~).*$", re.M)


def clean(text: str) -> str:
    """The text without thoughts, fences, emphasis, LaTeX's fonts and invisible characters.

    Curly apostrophes, other spaces, other minus signs and the like become plain; every line
    break is a newline. Takes time in proportion to the text.
    """
    spoken = drop_thoughts(text.replace("\r\n", "\n"))
    return _LATEX.sub("", _FENCE.sub("", spoken)).translate(_PLAIN)


def drop_thoughts(text: str) -> str:
    """The text outside of ``<think>`` and its like.

    What comes before a closing tag without an opening one is thought too, as is all that
    follows an opening tag that nothing closes.
    """
    spoken: list[str] = []
    depth, start = 0, 0
    for tag in _THOUGHT.finditer(text):
        if tag[1]:
            if depth == 0:
                spoken.clear()
            depth = max(0, depth - 1)
        else:
            if depth == 0:
                spoken.append(text[start : tag.start()])
            depth += 1
        start = tag.end()
    if depth == 0:
        spoken.append(text[start:])
    return "\n".join(spoken)


def after_markers(text: str, marker: re.Pattern[str]) -> Iterator[str]:
    """What follows each marker, up to the next one; the last comes first."""
    end = len(text)
    for found in reversed(list(marker.finditer(text))):
        yield text[found.end() : end]
        end = found.start()
