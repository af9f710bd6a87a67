"""Build the compact WordNet table that patmark ships.

    python tools/build_wordnet.py WORDNET_3.0_DICT_FOLDER

reads the database files of WordNet 3.0 (``data.*``, ``index.*``, ``*.exc``; line ends of either
kind) and writes ``wordnet-3.0.zst``, ``verbs-3.0.txt`` (the words that are verbs and nothing else,
one a line) and their LICENSE to ``src/patmark/languages/wordnet_data``. The same input gives the
same bytes.

The table is one zst stream: a line of JSON that names the number of synsets per part of speech and
the byte lengths of the sections, then the sections in the order of that line:

* ``words``: all lemmas in lower case, sorted, one per line, words of a compound joined by ``_``;
* ``exceptions``: lines ``part-of-speech form base …`` of irregular forms;
* ``counts``: for each word, how many synsets it is in, one byte each;
* ``synsets``: the synset numbers of the words one after the other, noun senses first, each part
  of speech in the order of the index; three planes of bytes, lowest byte first. Synsets are
  numbered in the order of the data files: noun, verb, adj, adv;
* ``plain``: one bit per entry of ``synsets``: whether the synset spells the word in lower case.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import zstandard

PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")
TARGET = Path(__file__).resolve().parents[1] / "src" / "patmark" / "languages" / "wordnet_data"
ADJECTIVE_MARKER = re.compile(r"\([a-z]+\)$")
COMPRESSION_LEVEL = 22


def records(path: Path) -> Iterator[list[str]]:
    """Yield the fields of each line of a database file, without its licence lines."""
    for line in path.read_text(encoding="ascii").splitlines():
        if line and not line.startswith(" "):
            yield line.split()


def read_synsets(folder: Path) -> tuple[dict[tuple[str, int], int], list[set[str]], dict[str, int]]:
    """Read the synsets: (part of speech, offset) -> number, their spellings, their counts."""
    numbers: dict[tuple[str, int], int] = {}
    spellings: list[set[str]] = []
    counts: dict[str, int] = {}
    for part in PARTS_OF_SPEECH:
        before = len(spellings)
        for fields in records(folder / f"data.{part}"):
            numbers[part, int(fields[0])] = len(spellings)
            names = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
            spellings.append({ADJECTIVE_MARKER.sub("", name) for name in names})
        counts[part] = len(spellings) - before
    return numbers, spellings, counts


def read_index(folder: Path, numbers: dict[tuple[str, int], int]) -> dict[str, list[int]]:
    """Return the synset numbers of each lemma."""
    index: defaultdict[str, list[int]] = defaultdict(list)
    for part in PARTS_OF_SPEECH:
        for fields in records(folder / f"index.{part}"):
            offsets = fields[len(fields) - int(fields[2]) :]
            index[fields[0]] += [numbers[part, int(offset)] for offset in offsets]
    return index


def read_exceptions(folder: Path) -> Iterator[str]:
    """Lines ``part-of-speech form base …``; of two lines for one form the later one counts."""
    for part in PARTS_OF_SPEECH:
        bases = {fields[0]: fields[1:] for fields in records(folder / f"{part}.exc")}
        yield from (" ".join([part, form, *bases[form]]) for form in sorted(bases))


def byte_planes(numbers: Sequence[int]) -> bytes:
    """All lowest bytes, then all middle bytes, then all highest: they compress better apart."""
    values = np.array(numbers, dtype=np.uint32)
    return b"".join(((values >> shift) & 0xFF).astype(np.uint8).tobytes() for shift in (0, 8, 16))


def build(folder: Path) -> bytes:
    """Return the table as uncompressed bytes."""
    numbers, spellings, counts = read_synsets(folder)
    index = read_index(folder, numbers)
    words = sorted(index)
    senses = [(word, synset) for word in words for synset in index[word]]
    sections = {
        "words": "\n".join(words).encode("ascii"),
        "exceptions": "\n".join(read_exceptions(folder)).encode("ascii"),
        "counts": bytes(len(index[word]) for word in words),
        "synsets": byte_planes([synset for _, synset in senses]),
        "plain": np.packbits([word in spellings[synset] for word, synset in senses]).tobytes(),
    }
    lengths = {name: len(section) for name, section in sections.items()}
    header = json.dumps({"version": "3.0", "synsets": counts, "sections": lengths})
    return b"\n".join([header.encode("ascii"), b"".join(sections.values())])


def only_verbs(folder: Path) -> list[str]:
    """Return the single words that the index has only as verbs."""
    known = {
        part: {fields[0] for fields in records(folder / f"index.{part}")}
        for part in PARTS_OF_SPEECH
    }
    others = known["noun"] | known["adj"] | known["adv"]
    return sorted(word for word in known["verb"] - others if word.isalpha())


def licence(folder: Path) -> str:
    """Return the licence of WordNet, the numbered lines of its files."""
    lines = (folder / "data.noun").read_text(encoding="ascii").splitlines()
    numbered = [line.split(maxsplit=1)[1:] for line in lines if line.startswith("  ")]
    text = "\n".join("".join(rest).rstrip() for rest in numbered)
    return f"WordNet Release 3.0\n\n{text}\n"


def main() -> None:
    """Read the folder named on the command line and write the table."""
    parser = argparse.ArgumentParser(description="Build the compact WordNet table.")
    parser.add_argument("folder", type=Path, help="the dict folder of WordNet 3.0")
    parser.add_argument("--out", type=Path, default=TARGET, help="where the table goes")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    table = zstandard.compress(build(options.folder), COMPRESSION_LEVEL)
    (options.out / "wordnet-3.0.zst").write_bytes(table)
    verbs = "".join(f"{word}\n" for word in only_verbs(options.folder))
    (options.out / "verbs-3.0.txt").write_text(verbs, encoding="ascii")
    (options.out / "LICENSE").write_text(licence(options.folder), encoding="ascii")
    print(f"wordnet-3.0.zst: {len(table):,} bytes")


if __name__ == "__main__":
    main()
