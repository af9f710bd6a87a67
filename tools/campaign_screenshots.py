"""Take the pictures of the campaign pages that the documentation shows.

    python tools/campaign_screenshots.py [FOLDER]

Campaigns of the bundled examples are begun in a folder that is deleted afterwards, invented people
answer them, and Chromium photographs the pages into docs/images as WebP.
"""

from __future__ import annotations

import base64
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from campaign_site import running
from example_campaigns import (
    ACCEPTABILITY,
    ADEQUACY,
    CLAIMS,
    Begun,
    answers,
    begin,
    checked,
    fill,
)
from patmark.human.campaign.store import Store
from patmark.human.campaign.web import create_app

_ROOT = Path(__file__).resolve().parents[1]
_QUALITY = 72
_JAPANESE = {
    "source": "The gripper jaw (12) is hinged to the piston rod of the air cylinder (16).",
    "reference": "把持爪（12）は、エアシリンダ（16）のピストンロッドに枢着される。",
    "output": "グリッパ顎（12）は、空気シリンダー（14）のピストンロッドに蝶番される。",
}


def main() -> None:
    """Take all pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else _ROOT / "docs" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work, _browser() as browser:
        for take in (_adequacy, _acceptability, _claims, _spans, _phone, _organiser):
            take(Path(work), _Camera(browser, folder))
    for path in sorted(folder.glob("campaign-*.webp")):
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} KB")


class _Camera:
    """Opens pages of a given size and language, and takes pictures of them."""

    def __init__(self, browser: Any, folder: Path) -> None:
        self._browser = browser
        self._folder = folder

    def page(self, width: int = 1100, height: int = 800, locale: str = "en-GB") -> Any:
        size = {"width": width, "height": height}
        context = self._browser.new_context(viewport=size, locale=locale, reduced_motion="reduce")
        return context.new_page()

    def take(self, page: Any, name: str, height: int, top: str = "body") -> None:
        """Take a picture of so many pixels from an element on, with caret and focus."""
        page.set_viewport_size({"width": page.viewport_size["width"], "height": height})
        page.evaluate("(top) => document.querySelector(top).scrollIntoView()", top)
        page.evaluate("document.fonts.ready.then(() => null)")
        session = page.context.new_cdp_session(page)
        taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": _QUALITY})
        target = self._folder / f"campaign-{name}.webp"
        target.write_bytes(base64.b64decode(taken["data"]))


@contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
    if found is None:
        sys.exit("no Chromium found on the path")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def _served(begun: Begun) -> Iterator[str]:
    with Store.open(begun.db) as store, running(create_app(store)) as address:
        yield address


def _enter(page: Any, address: str, begun: Begun, name: str) -> None:
    page.goto(f"{address}/e/{begun.links[name]}")
    page.locator("main form button").click()
    page.wait_for_url(f"{address}/")


def _press(page: Any, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def _saved(page: Any) -> None:
    page.locator("#saving:not(.waiting):not(:empty)").wait_for()


def _adequacy(work: Path, camera: _Camera) -> None:
    """Training with feedback, a page, and the list of answers."""
    begun = begin(work / "adequacy.db", ADEQUACY)
    with _served(begun) as address:
        page = camera.page()
        _enter(page, address, begun, "e1")
        page.goto(f"{address}/next")
        _press(page, "5 3 2 Enter")
        page.locator("#feedback").wait_for()
        camera.take(page, "training", 960)
        _train(begun, "e1", first=1)
        page.goto(f"{address}/next")
        _press(page, "5 4")
        _saved(page)
        camera.take(page, "adequacy", 1000)
        _press(page, "2")
        _saved(page)
        page.goto(f"{address}/review")
        camera.take(page, "review", 800)


def _train(begun: Begun, name: str, first: int = 0) -> None:
    """Give the expected answers on the training pages from the given one on."""
    pages = [page for page in begun.plan.pages_of(name) if page.phase == "training"]
    with Store.open(begun.db) as store:
        given = [*answers(begun.plan, pages[first:]), *checked(pages[first:])]
        store.save_many(begun.campaign, name, given)


def _acceptability(work: Path, camera: _Camera) -> None:
    """Take a picture of the chart in Chinese with its third question open."""
    begun = begin(work / "acceptability.db", ACCEPTABILITY)
    with _served(begun) as address:
        page = camera.page(locale="zh-CN")
        _enter(page, address, begun, "e2")
        page.goto(f"{address}/next")
        _press(page, "y y")
        _saved(page)
        camera.take(page, "acceptability-zh", 900)


def _claims(work: Path, camera: _Camera) -> None:
    begun = begin(work / "claims.db", CLAIMS)
    _train(begun, "e1")
    with _served(begun) as address:
        page = camera.page(width=1200)
        _enter(page, address, begun, "e1")
        page.goto(f"{address}/next")
        _press(page, "3 Enter 6 Enter")
        _saved(page)
        camera.take(page, "claim-rating", 1000, "#candidate-A")


def _spans(work: Path, camera: _Camera) -> None:
    """Errors marked in Japanese, by kinds for patents, one of them in the source."""
    begun = begin(work / "spans.db", _japanese_campaign(work))
    with _served(begun) as address:
        page = camera.page(locale="ja-JP")
        _enter(page, address, begun, "e1")
        page.goto(f"{address}/next")
        for word, keys in (("グリッパ顎", "2 e w"), ("14", "3 t r"), ("蝶番", "2")):
            start = _JAPANESE["output"].index(word)
            page.locator(".marking[data-side=target]").focus()
            _press(page, "Home " + "ArrowRight " * start + "Shift+ArrowRight " * len(word))
            _press(page, f"Enter {keys}")
        _saved(page)
        camera.take(page, "spans-ja", 1000)


def _japanese_campaign(work: Path) -> Path:
    rows: dict[str, dict[str, Any]] = {
        "testset.jsonl": {"source": _JAPANESE["source"], "references": [_JAPANESE["reference"]]},
        "cobalt.jsonl": {"hypothesis": _JAPANESE["output"]},
    }
    for name, row in rows.items():
        line = json.dumps({"id": "s1", **row}, ensure_ascii=False)
        (work / name).write_text(line + "\n", encoding="utf-8")
    settings = {
        "name": "Errors, en to ja", "form": "mqm", "typology": "patent", "languages": "en-ja",
        "testset": "testset.jsonl", "runs": [{"system": "cobalt", "file": "cobalt.jsonl"}],
        "evaluators": ["e1"],
    }  # fmt: skip
    file = work / "spans.json"
    file.write_text(json.dumps(settings), encoding="utf-8")
    return file


def _phone(work: Path, camera: _Camera) -> None:
    begun = begin(work / "phone.db", ADEQUACY)
    _train(begun, "e3")
    with _served(begun) as address:
        page = camera.page(width=360, height=740, locale="ja-JP")
        _enter(page, address, begun, "e3")
        page.goto(f"{address}/next")
        _press(page, "4")
        _saved(page)
        camera.take(page, "phone", 740, "#candidate-A")


def _organiser(work: Path, camera: _Camera) -> None:
    """Progress, agreement, consensus and ranking of a campaign that everybody has finished."""
    begun = begin(work / "organiser.db", ADEQUACY)
    fill(begun)
    with _served(begun) as address:
        page = camera.page(width=1200)
        page.goto(f"{address}/o/{begun.secret}")
        page.locator("main button").click()
        page.wait_for_url("**/organiser")
        shots: dict[str, tuple[str, int]] = {
            "organiser": ("", 1000),
            "agreement": ("/agreement", 800),
            "consensus": ("/consensus", 800),
            "ranking": ("/ranking", 700),
        }
        for name, (path, height) in shots.items():
            page.goto(f"{address}/organiser{path}")
            camera.take(page, name, height)


if __name__ == "__main__":
    main()
