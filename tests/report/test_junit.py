"""Results of gates as JUnit XML."""

from __future__ import annotations

from xml.etree import ElementTree

from patmark.evaluation.gates import GateResult
from patmark.report.junit import to_junit


def _result(passed: bool, message: str = "fine", system: str = "atlas") -> GateResult:
    return GateResult("fail-under", "BLEU", system, 28.0, 30.0, passed, None, message)


def test_cases_and_failures() -> None:
    text = to_junit([_result(True), _result(False, "too low", "borealis")], "nightly")
    root = ElementTree.fromstring(text.encode("utf-8"))
    assert root.tag == "testsuites" and root.attrib == {"tests": "2", "failures": "1"}
    [suite] = root
    assert suite.tag == "testsuite"
    assert suite.attrib == {"name": "nightly", "tests": "2", "failures": "1"}
    passed, failed = suite
    assert passed.attrib == {"classname": "nightly.fail-under", "name": "BLEU of atlas"}
    [found] = passed
    assert (found.tag, found.text) == ("system-out", "fine")
    [failure] = failed
    assert failure.tag == "failure" and failure.text == "too low"
    assert failure.attrib == {"message": "too low", "type": "fail-under"}


def test_text_is_escaped_and_what_xml_cannot_hold_is_replaced() -> None:
    message = "a < b & \"c\" > 'd' 弁 \U00020000\nnext\x00\x1b\ufffe"
    text = to_junit([_result(False, message, "<s&t>")], 'a"b')
    [suite] = ElementTree.fromstring(text.encode("utf-8"))
    [case] = suite
    [failure] = case
    assert suite.attrib["name"] == 'a"b' and case.attrib["name"] == "BLEU of <s&t>"
    assert failure.attrib["message"] == message.translate({0: "�", 0x1B: "�", 0xFFFE: "�"})


def test_no_results_are_a_valid_empty_suite() -> None:
    [suite] = ElementTree.fromstring(to_junit([]).encode("utf-8"))
    assert suite.attrib == {"name": "patmark", "tests": "0", "failures": "0"} and len(suite) == 0


def test_the_same_results_give_the_same_text() -> None:
    assert to_junit([_result(False)]) == to_junit([_result(False)])
    assert to_junit([_result(True)]) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites tests="1" failures="0">\n'
        '  <testsuite name="patmark" tests="1" failures="0">\n'
        '    <testcase classname="patmark.fail-under" name="BLEU of atlas">\n'
        "      <system-out>fine</system-out>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n"
    )
