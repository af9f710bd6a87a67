"""Terminology by the rules of the WMT25 task."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import patmark
from patmark.data import Run, Segment, TestSet
from patmark.errors import InputError, UsageError
from patmark.measures.terms import TaskTermConsistency, TermSuccess

_TERMS = [{"source": "pump", "target": ["Pumpe"]}, {"source": "valve", "target": ["Ventil"]}]
_SOURCES = ("The pump has a valve.", "A pump.", "The pump.", "The valve.")
_OUTPUTS = ("Die Pumpe hat ein Ventil.", "Ein Pumpwerk.", "Die Pumpe.", "Das Ventil.")


def _test_set(sources: tuple[str, ...], references: tuple[str, ...] = ()) -> TestSet:
    segments = tuple(
        Segment(
            str(place),
            source=source,
            references=(references[place],) if references else (),
            meta={"terms": _TERMS},
        )
        for place, source in enumerate(sources)
    )
    return TestSet(segments, "de", "en")


def _value(measure: TermSuccess | TaskTermConsistency, test_set: TestSet, *outputs: str) -> float:
    found = measure.findings(test_set, outputs)
    return sum(one.kept for one in found) / sum(one.expected for one in found)


def test_the_worked_example_of_the_task() -> None:
    """Sentences 4 of 5; the document (2/3 + 1)/2; consistency 4 of 5, as the task's scripts say."""
    sentences = _test_set(_SOURCES)
    assert _value(TermSuccess(by="presence"), sentences, *_OUTPUTS) == pytest.approx(0.8)
    assert _value(TaskTermConsistency(), sentences, *_OUTPUTS) == pytest.approx(0.8)
    document = _test_set((" ".join(_SOURCES),))
    assert _value(TermSuccess(), document, " ".join(_OUTPUTS)) == pytest.approx((2 / 3 + 1) / 2)


def test_rates_are_those_of_the_definition() -> None:
    source, output = "Pump pump PUMP valve", "Pumpe Pumpe Pumpe Pumpe Pumpe"
    one = _test_set((source,))
    assert _value(TermSuccess(), one, output) == pytest.approx((min(5 / 3, 1) + 0) / 2)
    assert _value(TermSuccess(by="presence"), one, output) == 0.5
    # the document track counts terms that the reference renders
    known = _test_set((source,), ("Pumpe",))
    assert _value(TermSuccess(), known, output) == 1
    [finding] = TermSuccess().findings(_test_set((source,)), ["Pumpe Ventil"])
    assert (finding.kept, finding.expected) == (pytest.approx(4 / 3), 2)
    assert "success 0.33" in finding.evidence[0].message


def _times(text: str, part: str) -> int:
    """How often a part stands in a text without overlaps, looked for place by place."""
    found = at = 0
    while at + len(part) <= len(text):
        here = text[at : at + len(part)].lower() == part.lower()
        found, at = found + here, at + (len(part) if here else 1)
    return found


def test_rates_of_random_texts_are_those_of_an_independent_count() -> None:
    """The definitions of the task, on words without inflection, so that lemmas add nothing."""
    rng = random.Random(9)
    glossary = {"甲": ["kappa", "Kap"], "乙": ["sigma"], "丙丁": ["rho tau", "omega"]}
    terms = [{"source": source, "target": target} for source, target in glossary.items()]
    for _ in range(60):
        sources = ["".join(rng.choices("甲乙丙丁戊", k=9)) for _ in range(5)]
        words = ["kappa", "Kap", "SIGMA", "rho tau", "omega", "mu", "nu"]
        outputs = [" ".join(rng.choices(words, k=6)) for _ in range(5)]
        segments = [
            Segment(str(at), source=text, meta={"terms": terms}) for at, text in enumerate(sources)
        ]
        test_set = TestSet(tuple(segments), "en", "zh")
        rates, present, renderings = [], [], []
        for source, output in zip(sources, outputs, strict=True):
            for term, targets in glossary.items():
                asked, counts = _times(source, term), [_times(output, one) for one in targets]
                if asked:
                    rates.append(min(1.0, sum(counts) / asked))
                    present.append(sum(counts) > 0)
                    most = max(range(len(targets)), key=lambda at: (counts[at], len(targets[at])))
                    renderings.append((term, targets[most] if counts[most] else None))
        if not rates:
            continue
        usual = {}
        for term in glossary:
            own = [one for name, one in renderings if name == term and one]
            usual[term] = max(own, key=own.count) if own else None
        alike = [one is not None and one == usual[name] for name, one in renderings]
        for measure, values in (
            (TermSuccess(), rates),
            (TermSuccess(by="presence"), present),
            (TaskTermConsistency(), alike),
        ):
            expected = sum(values) / len(values)
            assert _value(measure, test_set, *outputs) == pytest.approx(expected)


def test_terms_that_the_source_lacks_do_not_count_and_lemmas_do() -> None:
    nothing = TermSuccess().findings(_test_set(("A cup.",)), ["Eine Tasse."])
    assert (nothing[0].kept, nothing[0].expected) == (0, 0)
    terms = {"terms": [{"source": "阀门", "target": ["valve body"]}]}
    segment = Segment("1", source="阀门打开。", meta=terms)
    test_set = TestSet((segment,), "en", "zh")
    assert _value(TermSuccess(by="presence"), test_set, "The valve bodies open.") == 1
    assert (
        _value(TermSuccess(), test_set, "The valve bodies open.") == 0
    )  # counted as it is written


def test_the_most_frequent_rendering_is_that_of_the_whole_output() -> None:
    terms = {"terms": [{"source": "泵", "target": ["pump", "pumping unit"]}]}
    segments = tuple(Segment(str(n), source="泵。", meta=terms) for n in range(4))
    test_set = TestSet(segments, "en", "zh")
    outputs = ("A pumping unit.", "A pumping unit.", "A pump.", "A cup.")
    assert _value(TaskTermConsistency(), test_set, *outputs) == 0.5


@pytest.mark.parametrize("ending", ["csv", "json", "tbx", "tmx"])
def test_a_glossary_prescribes_terms_for_score_and_compare(tmp_path: Path, ending: str) -> None:
    files = {
        "csv": "zh,en\n泵,pump\n阀,valve\n",
        "json": json.dumps(
            [{"source": "泵", "target": "pump"}, {"source": "阀", "target": ["valve"]}]
        ),
        "tbx": "<martif><text><body>"
        + "".join(
            f'<termEntry><langSet xml:lang="zh"><tig><term>{one}</term></tig></langSet>'
            f'<langSet xml:lang="en"><tig><term>{other}</term></tig></langSet></termEntry>'
            for one, other in (("泵", "pump"), ("阀", "valve"))
        )
        + "</body></text></martif>",
        "tmx": '<tmx version="1.4"><header srclang="zh"/><body>'
        + "".join(
            f'<tu><tuv xml:lang="zh"><seg>{one}</seg></tuv>'
            f'<tuv xml:lang="en"><seg>{other}</seg></tuv></tu>'
            for one, other in (("泵", "pump"), ("阀", "valve"))
        )
        + "</body></tmx>",
    }  # fmt: skip
    path = tmp_path / f"terms.{ending}"
    path.write_text(files[ending], encoding="utf-8")
    texts = TestSet((Segment("1", source="泵和阀。"), Segment("2", source="泵。")), "en", "zh")
    runs = [
        Run("proper", ("A pump and a valve.", "A pump.")),
        Run("noterm", ("Pump, tap.", "A cup.")),
    ]
    done = patmark.score(texts, runs, glossary=str(path), sampling=patmark.Sampling(resamples=0))
    found = {name: [one.value for one in of.values()] for name, of in done.estimates.items()}
    assert found["term-success"] == found["term-success(by=presence)"] == [1, pytest.approx(1 / 3)]
    assert found["term-accuracy"] == [1, pytest.approx(1 / 3)]
    assert found["term-consistency-wmt"][0] == 1


def test_glossaries_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    (tmp_path / "terms.csv").write_text("zh,en\n轮,wheel\n", encoding="utf-8")
    texts = TestSet((Segment("1", source="泵。", references=("A pump.",)),), "en", "zh")
    with pytest.raises(InputError, match="no source contains a term"):
        patmark.score(texts, [Run("a", ("A pump.",))], glossary=tmp_path / "terms.csv")
    with pytest.raises(UsageError, match="has no effect with"):
        patmark.score([], protocol="patsnap", glossary="terms.csv")
