"""What the site does to pages that read well in the repository too.

Pages link to source files and folders of the repository, which the site does not contain: there the
link's text stands alone.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((\.\./[^)#\s]*)(#[^)]*)?\)")


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """The page without links that leave the documentation."""
    folder = (DOCS / page.file.src_uri).parent

    def kept(found: re.Match[str]) -> str:
        target = (folder / found[2]).resolve()
        return found[0] if target.is_relative_to(DOCS) else found[1]

    return LINK.sub(kept, markdown)
