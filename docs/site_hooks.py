"""What the site changes in pages, which also have to read well in the repository.

- Pages link to source files and folders of the repository, which the site does not contain. The
  site keeps the text of such a link.
- The reference of the TypeScript SDK is generated from the comments of its public declarations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((\.\./[^)#\s]*)(#[^)]*)?\)")

TYPESCRIPT = "<!-- typescript reference -->"
"""The place of the generated reference in its page."""
_SDK = DOCS.parent / "agents" / "typescript" / "sdk" / "src"
_EXPORT = re.compile(r"^export (?:type )?\{([^}]+)\} from \"\./([\w-]+)\.js\";", re.MULTILINE)
_COMMENT = r"(?:/\*\*(?P<comment>(?:(?!\*/).)*?)\*/\n)?"
_MEMBER = re.compile(
    r"^  (?:/\*\*(?P<comment>(?:(?!\*/).)*?)\*/\n  )?"
    r"(?P<head>(?:static |async |readonly |get |\*)*(?!constructor|private|#|if\b|for\b|return\b)"
    r"[a-z]\w*\??(?::[^;]+;|\((?:[^()]|\([^()]*\))*\): [^\n]+? \{))",
    re.MULTILINE | re.DOTALL,
)


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """The page as the site shows it."""
    folder = (DOCS / page.file.src_uri).parent

    def kept(found: re.Match[str]) -> str:
        target = (folder / found[2]).resolve()
        return found[0] if target.is_relative_to(DOCS) else found[1]

    markdown = LINK.sub(kept, markdown)
    return markdown.replace(TYPESCRIPT, "\n".join(typescript_reference()))


def typescript_reference() -> Iterator[str]:
    """Every name that the TypeScript SDK exports, with its comment and its members."""
    index = (_SDK / "index.ts").read_text(encoding="utf-8")
    for names, module in _EXPORT.findall(index):
        source = (_SDK / f"{module}.ts").read_text(encoding="utf-8")
        for name in re.findall(r"\w+", names):
            yield from _declaration(name, source)


def _declaration(name: str, source: str) -> Iterator[str]:
    function = rf"{_COMMENT}export (?P<head>(?:async )?function {name}\b.*?\): [^\n]*?) \{{\n"
    other = rf"{_COMMENT}export (?P<head>[^\n{{=]*?\b{name}\b[^;]*?)(?P<end>;|\{{\}}|\{{\n)"
    search = re.MULTILINE | re.DOTALL
    found = re.search(f"^{function}", source, search) or re.search(f"^{other}", source, search)
    if found is None:
        raise ValueError(f"{_SDK} exports {name}, but no module declares it")
    yield f"## {name}\n\n```ts\n{found['head'].rstrip(' =')}\n```\n"
    yield _prose(found["comment"])
    if found.groupdict().get("end") == "{\n":
        body = source[found.end() :].partition("\n}\n")[0]
        for member in _MEMBER.finditer(body):
            head = re.sub(r"\s+", " ", member["head"].removesuffix("{")).rstrip("; ")
            yield f"- `{head}`  \n  {_prose(member['comment']).strip()}".rstrip()
        yield ""


def _prose(comment: str | None) -> str:
    lines = (re.sub(r"^\s*\*? ?", "", line) for line in (comment or "").strip().splitlines())
    return " ".join(line for line in lines if line) + "\n"
