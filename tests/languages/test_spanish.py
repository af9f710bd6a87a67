"""The Spanish pack: a translation without faults, translations with one each, claims, numbers."""

from __future__ import annotations

import re

import pytest

from patmark.claims.lint import lint
from patmark.facts import compare_facts, facts_of
from patmark.languages import language

_PAIRS = (
    ("The housing 10 has a length of 1,200 mm.", "La carcasa 10 tiene una longitud de 1.200 mm."),
    (
        "The wall thickness is at least 0.5 mm and at most 3 mm.",
        "El espesor de pared es de al menos 0,5 mm y como máximo 3 mm.",
    ),
    (
        "At a temperature of more than 80 °C, the valve 22 opens.",
        "A una temperatura superior a 80 °C, la válvula 22 se abre.",
    ),
    (
        "If the flow is low, the controller does not start the motor 30.",
        "Si el caudal es bajo, el controlador no arranca el motor 30.",
    ),
    ("The force is not more than 15 N.", "La fuerza es no superior a 15 N."),
    (
        "The coating is dried for 30 minutes at about 120 °C.",
        "El recubrimiento se seca durante 30 minutos a aproximadamente 120 °C.",
    ),
    (
        "The motor starts only when the sensor 24 detects a leak.",
        "El motor arranca solo cuando el sensor 24 detecta una fuga.",
    ),
    (
        "The valve 22 or the valve 23 is closed.",
        "Se cierra la válvula 22 o la válvula 23.",
    ),
    ("The speed is 1,500 rpm or more.", "La velocidad es de 1500 rpm o más."),
    ("The rotor has four blades.", "El rotor tiene cuatro palas."),
)
_FAULTS = (
    ("1.200 mm", "12,00 mm", "number"),
    ("al menos", "más de", "limit"),
    ("superior a 80", "inferior a 80", "limit"),
    ("no arranca", "arranca", "polarity"),
    ("30 minutos", "30 segundos", "unit"),
    ("solo cuando", "cuando", "marker"),
    ("22 o la", "22 y la", "marker"),
    ("cuatro", "cinco", "number"),
)


def _kinds(source: str, target: str) -> list[str]:
    found = compare_facts(facts_of(source, "en"), facts_of(target, "es"))
    return [one.kind for one in found if one.severity != "information"]


@pytest.mark.parametrize(("source", "target"), _PAIRS)
def test_a_correct_translation_has_no_difference(source: str, target: str) -> None:
    assert _kinds(source, target) == []


@pytest.mark.parametrize(("right", "wrong", "kind"), _FAULTS)
def test_a_fault_is_found(right: str, wrong: str, kind: str) -> None:
    source, target = next(pair for pair in _PAIRS if right in pair[1])
    assert kind in _kinds(source, target.replace(right, wrong))


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("dos mil trescientos cables", "2300"),
        ("treinta y cinco cables", "35"),
        ("veintiún cables", "21"),
        ("ciento veinte cables", "120"),
        ("3 tapas y un millón de cables", "1000000"),
    ],
)
def test_numbers_in_words(words: str, key: str) -> None:
    found = facts_of(words, "es").quantities
    assert key in [item.key for item in found if item.certainty == "stated"]


_CLAIMS = """Reivindicaciones

1. Bomba que comprende una carcasa (10), caracterizada porque contiene una válvula (22).

2. Bomba según la reivindicación 1 {end}

3. Bomba según una cualquiera de las reivindicaciones 1 a {last}, en la que la carcasa es de acero.
"""


def test_claims_are_linted_in_spanish() -> None:
    right = _CLAIMS.format(end=", que comprende además un filtro (26).", last=2)
    result = lint(right, "epo", language="es")
    assert len(result.claims.claims) == 3 and not result.findings and not result.notes
    wrong = _CLAIMS.format(end=", que comprende además un filtro muy fino", last=3)
    found = {item.rule for item in lint(wrong, "epo", language="es").findings}
    assert {"period-missing", "relative-term", "dependency-self"} <= found


@pytest.mark.parametrize(
    ("heading", "section"),
    [
        ("Campo técnico", "field"),
        ("Antecedentes de la invención", "background"),
        ("Breve descripción de los dibujos", "drawings"),
    ],
)
def test_headings(heading: str, section: str) -> None:
    forms = language("es").table("headings").rows
    found = [
        row.id
        for row in forms
        if row.group == "section"
        and re.search(rf"\b(?:{'|'.join(row.forms)})\b", heading, re.IGNORECASE)
    ]
    assert section in found
