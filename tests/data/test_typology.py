"""Typologies of errors."""

from __future__ import annotations

import pytest

from patmark.data.annotations import Annotation
from patmark.data.typology import typology, typology_names
from patmark.errors import UsageError

LANGUAGES = {"en", "zh", "ja"}


@pytest.mark.parametrize("name", ["mqm", "wmt", "patent"])
def test_every_category_is_described_with_an_example_in_three_languages(name: str) -> None:
    chosen = typology(name)
    assert name in typology_names() and set(chosen.title) == LANGUAGES
    for one in (*chosen.categories, *chosen.severities):
        assert set(one.label) == set(one.definition) == LANGUAGES
        assert all(map(str.strip, (*one.label.values(), *one.definition.values())))
    for category in chosen.categories:
        assert set(category.example) == LANGUAGES and all(category.example.values())
        assert set(chosen.groups[category.group]) == LANGUAGES


def test_the_patent_typology_has_what_patents_need() -> None:
    assert [one.name for one in typology("patent").categories] == [
        "Claims/Scope",
        "Claims/Dependency",
        "Claims/Legal phrase",
        "Technical data/Reference sign",
        "Technical data/Number or unit",
        "Terminology/Wrong term",
        "Terminology/Inconsistent term",
        "Accuracy/Mistranslation",
        "Accuracy/Omission",
        "Accuracy/Addition",
        "Accuracy/Untranslated",
        "Language/Grammar",
        "Language/Style",
        "Non-translation",
        "Other",
    ]
    assert [one.name for one in typology("patent").severities] == ["critical", "major", "minor"]
    assert typology("patent").category("Accuracy/Omission").side == "source"


def test_names_are_found_in_any_case_and_by_their_aliases() -> None:
    wmt = typology("wmt")
    assert wmt.category("fluency/punctuation").name == "Fluency/Punctuation"
    assert wmt.category("Non-translation!").name == "Non-translation"
    assert wmt.severity("Major").name == "major"


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"unknown typology 'patents'.*did you mean patent\?"):
        typology("patents")
    wmt = typology("wmt")
    with pytest.raises(UsageError, match=r"did you mean Accuracy/Mistranslation\?"):
        wmt.category("Acuracy/Mistranslaton")
    with pytest.raises(UsageError, match=r"did you mean Fluency/Grammar\?"):
        wmt.category("grammar")
    with pytest.raises(UsageError, match=r"has no severity 'x'; the known ones are major, minor"):
        wmt.severity("x")


def test_the_problems_of_an_annotation() -> None:
    mark = Annotation("a", "1", "ann", 0, 1, "target", "Style", "critical")
    assert list(typology("wmt").problems(mark)) == [
        "the typology 'wmt' has no category 'Style'; the known ones are "
        + ", ".join(one.name for one in typology("wmt").categories),
        "the typology 'wmt' has no severity 'critical'; the known ones are major, minor, neutral",
    ]
