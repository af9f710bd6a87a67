"""Guidelines: the marks that are known, and nothing else that a browser could take for markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, strategies as st

from patmark.human.campaign import form_names, read_form
from patmark.human.campaign.web.rendering import to_markup
from patmark.wording import LANGUAGES

TAGS = set(re.findall(r"\w+", "h2 h3 h4 h5 p ul ol li table thead tbody tr th td div strong em "
                      "code pre a hr blockquote"))  # fmt: skip


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# One **two**", "<h2>One <strong>two</strong></h2>"),
        ("a\nb\n\nc *d*", "<p>a\nb</p>\n<p>c <em>d</em></p>"),
        ("* a\n* b\n  more", "<ul><li>a</li><li>b\nmore</li></ul>"),
        ("1. a\n2. b", "<ol><li>a</li><li>b</li></ol>"),
        ("- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
        ("> a\n> b", "<blockquote><p>a\nb</p></blockquote>"),
        ("`a < *b*`", "<p><code>a &lt; *b*</code></p>"),
        ("```\n<b>\n```", "<pre>&lt;b&gt;</pre>"),
        ("2 * 3 * 4 and a_b_c", "<p>2 * 3 * 4 and a_b_c</p>"),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("[x](javascript:alert)", "<p>[x](javascript:alert)</p>"),
        (
            '[x](https://a.example/?b=1&c="d)',
            '<p><a href="https://a.example/?b=1&amp;c=%22d" rel="noreferrer noopener" '
            'target="_blank">x</a></p>',
        ),
        ("text\n* item", "<p>text</p>\n<ul><li>item</li></ul>"),
        ("---", "<hr>"),
        ("[x](//a.example)", "<p>[x](//a.example)</p>"),
        ("[x](data:text/html,y)", "<p>[x](data:text/html,y)</p>"),
    ],
)
def test_marks(text: str, html: str) -> None:
    assert re.sub(r"\n<", "<", to_markup(text)) == re.sub(r"\n<", "<", html)


def test_no_image_is_loaded() -> None:
    assert "<img" not in to_markup("![x](https://a.example/y.png)")


def test_tables() -> None:
    html = to_markup("| a | b |\n|---|:-:|\n| 1 | **2** |\n\nend")
    assert '<th scope="col">a</th>' in html
    assert "<td><strong>2</strong></td>" in html
    assert html.endswith("<p>end</p>")


class Reader(HTMLParser):
    """Which tags and attributes a browser would see, and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


@given(st.text(alphabet="ab <>&\"'*_`#-|[]()!\n1.:/\x00htps", max_size=60))
def test_any_text_stays_harmless_and_whole(text: str) -> None:
    html = to_markup(text)
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.tags <= TAGS
    assert reader.attributes <= {"href", "rel", "target", "start", "class", "tabindex", "scope"}
    letters = re.compile("[ab]")
    linked = re.sub(r"\(https?://[^\s()]+\)", "", text)
    fenced = re.sub(r"(?m)^```.*$", "", linked)
    assert len(letters.findall(reader.text)) >= len(letters.findall(fenced))


@pytest.mark.parametrize("name", form_names())
def test_guidelines_of_all_forms(name: str) -> None:
    form = read_form(name)
    for language in LANGUAGES:
        html = to_markup(form.guideline[language])
        assert html.startswith("<h2>")
        assert "**" not in html
        assert "|--" not in html
