"""The page: one file, well-formed, readable without a mouse, and safe from what runs say."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from env_service.domain.episode import GoalCondition
from env_service.results.report.content import Document
from env_service.results.report.html_page import MOST_ROWS, Drawn, as_page
from env_service.results.report.run_report import Designed, make_report
from tests.support.lab_report import LAB_DESIGN
from tests.support.late import Late
from tests.support.made_run import USED, made_text, with_condition

plotting = Late("env_service.results.report.plotting")

EVIL = "</td><script>alert(1)</script><img src=x onerror=alert(1)>\"'&\x00"
VOID = {"meta", "link", "br", "hr", "img", "input", "path", "use", "rect", "stop", "line"}


class Reader(HTMLParser):
    """Keeps what is open, every tag with its attributes, and all text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.wrong.append(f"</{tag}> closes {self.open[-1:]}")
        else:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def report(*texts: object) -> Document:
    return make_report(texts, lambda _: Designed(LAB_DESIGN))  # type: ignore[arg-type]


def page_of(document: Document) -> str:
    return as_page(
        document,
        {
            (section.id, figure.id): Drawn(
                plotting.draw(figure.drawing, figure.id, png=False).svg,
                plotting.draw(
                    figure.drawing, f"{figure.id}-narrow", png=False, room=plotting.NARROW
                ).svg,
            )
            for section in document.sections
            for figure in section.figures()
        },
    )


def page_with_blank_figures(document: Document) -> str:
    """For tests of what stands around figures: drawing them takes most of a page's time."""
    blank = Drawn("<svg></svg>", "<svg></svg>")
    figures = [(section, figure) for section in document.sections for figure in section.figures()]
    return as_page(document, {(section.id, figure.id): blank for section, figure in figures})


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


@pytest.fixture(scope="module")
def page() -> str:
    base = made_text("base", usage=USED)
    other = made_text(
        "other", usage=USED, repeats=2, condition=with_condition(base.manifest, feedback="none")
    )
    return page_of(report(base, other, made_text("elsewhere", world="heavy")))


def test_it_is_well_formed(page: str) -> None:
    reader = read(page)
    assert reader.wrong == []
    assert reader.open == []


def test_ids_are_unique_and_references_lead_to_them(page: str) -> None:
    tags = read(page).tags
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    wanted = {name for _, a in tags for name in (a.get("aria-labelledby") or "").split()}
    wanted |= {
        (a.get(key) or "").removeprefix("#")
        for _, a in tags
        for key in ("href", "xlink:href")
        if (a.get(key) or "").startswith("#")
    }
    wanted |= set(re.findall(r"url\(#([^)]+)\)", page))
    assert wanted <= set(ids)


def test_it_needs_no_network(page: str) -> None:
    for tag, attributes in read(page).tags:
        assert tag not in ("link", "iframe", "object", "embed", "img", "base", "form")
        for key in ("src", "href", "xlink:href", "action", "data", "poster", "srcset"):
            assert (attributes.get(key) or "#").startswith("#"), (tag, attributes)
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)
    policy = next(a["content"] for _, a in read(page).tags if a.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-")


def test_tables_and_figures_can_be_read_by_anybody(page: str) -> None:
    tags = read(page).tags
    count = [tag for tag, _ in tags].count
    assert count("table") == count("caption") > 10
    assert all(a.get("scope") for tag, a in tags if tag == "th")
    pictures = [a for tag, a in tags if tag == "svg"]
    assert len(pictures) == 2 * count("figure") > 20, "wide and narrow"
    assert all(a["role"] == "img" and a["aria-labelledby"] for a in pictures)
    scrolling = [a for _, a in tags if a.get("class") == "scroll"]
    assert all(a["tabindex"] == "0" and a["aria-label"] for a in scrolling)
    assert ("html", {"lang": "en"}) in tags


def test_light_and_dark_are_both_there(page: str) -> None:
    assert "prefers-color-scheme: dark" in page
    assert '[data-theme="dark"]' in page
    assert 'id="theme"' in page
    assert "var(--ink)" in page[page.index("<svg") :]


def test_nothing_that_a_run_says_becomes_markup() -> None:
    text = made_text("evil", tasks=4, agent=EVIL, world=EVIL, condition={EVIL: EVIL})
    declared = ({"agent_name": EVIL, "model": EVIL, "configuration": {EVIL: EVIL}},)
    records = tuple(
        replace(
            record,
            task_id=f"{EVIL}{n}",
            group=EVIL,
            failure=EVIL,
            success=False,
            labels={"said": EVIL, "true": EVIL + str(n)},
            goal_conditions=(GoalCondition(EVIL, False),),
        )
        for n, record in enumerate(text.episodes)
    )
    data = ({"pack": EVIL, "commit": EVIL, "modified": [EVIL]},)
    manifest = replace(text.manifest, declared=declared, data=data)
    reader = read(page_of(report(replace(text, manifest=manifest, episodes=records))))
    assert reader.wrong == []
    assert [tag for tag, _ in reader.tags].count("script") == 1
    assert not any("onerror" in attributes for _, attributes in reader.tags)
    assert any("<script>alert(1)</script>" in text for text in reader.text)


def test_what_was_run_and_how_to_run_it_again(page: str) -> None:
    text = " ".join(" ".join(read(page).text).split())
    for words in (
        "Success by bench",
        "Published in B. Author, Journal of Laboratories (2024), table 3",
        "run `houseguest verify` with this run's path",
        "--world light --set feedback=simple",
        "complete: 20 episodes scored",
    ):
        assert words in text


def test_long_lists_are_cut_and_say_so() -> None:
    text = made_text("long", tasks=50, repeats=12, wins=lambda *_: False)
    page = page_with_blank_figures(report(text))
    assert f"… and {600 - MOST_ROWS} more rows, in the CSV file." in page


def test_rows_fill_their_tables_and_one_column_is_drawn_at_most() -> None:
    page = page_with_blank_figures(report(made_text("one"), made_text("two", seed=8)))

    def span(name: str, cell: str) -> int:
        found = re.search(rf'{name}="(\d+)"', cell)
        return int(found[1]) if found else 1

    for table in re.findall(r"<table>.*?</table>", page, re.DOTALL):
        widths, covered = set(), 0
        for row in re.findall(r"<tr.*?</tr>", table, re.DOTALL):
            cells = re.findall(r"<t[hd][^>]*>", row)
            widths.add((covered > 0) + sum(span("colspan", cell) for cell in cells))
            covered = covered - 1 if covered else span("rowspan", cells[0]) - 1
            assert row.count('class="drawn"') <= 1
        assert len(widths) == 1
    assert page.count('class="drawn"') > 2


def test_commands_to_play_again_can_be_pasted() -> None:
    agent = "vlm --model 'a model' --actions sha256:0123"
    text = made_text("one", agent=agent, budgets={"agent_step_seconds": 60.0})
    shown = page_text(text)
    pasted = agent.replace("sha256:0123", "PATH-0123")
    assert f"--agent {pasted} --seed 7 --step-budget 60" in shown
    own = made_text("own", agent="cmd:python my_agent.py")
    assert "--agent 'cmd:python my_agent.py' --seed 7" in page_text(own)


def page_text(text: object) -> str:
    return " ".join(read(page_with_blank_figures(report(text))).text)


def test_the_bar_of_contents_leads_to_every_block() -> None:
    base = made_text("base", usage=USED)
    heavy = made_text("elsewhere", world="heavy")
    shown = read(page_with_blank_figures(report(base, heavy)))
    ids = {attributes.get("id") for _, attributes in shown.tags}
    links = [
        str(attributes["href"])[1:]
        for tag, attributes in shown.tags
        if tag == "a" and str(attributes.get("href", "")).startswith("#")
    ]
    assert set(links) <= ids
    for name in ("overview", "groups", "success", "lost"):
        assert links.count(f"labsuite-light-{name}") == 2, "in the bar, and at the side"
    assert {"labsuite-light", "labsuite-heavy"} <= set(links)
