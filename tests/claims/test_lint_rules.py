"""Each rule of the claim linter on claims that break it, and on claims that do not."""

from __future__ import annotations

import pytest

import rule_pages
from patmark.claims import parse_claims
from patmark.claims.lint import FAMILIES, OFFICES, lint, rules
from patmark.claims.lint.rule import Rule, read_rule
from patmark.errors import UsageError

_PUMP = "1. A pump comprising a drive shaft and a controller that turns the drive shaft.\n"
_LONG = "\n".join(f"{number}. A pump number {number} comprising a lid." for number in range(1, 22))

_EXAMPLES = [(rule, language) for rule in rules() for language in rule.languages]
_BROKEN: list[tuple[str, str, str, int | None]] = [
    ("number-missing", "uspto", _PUMP + "The pump of claim 1, wherein the controller is red.", 2),
    ("number-first", "uspto", "2. A pump comprising a lid.", 2),
    ("number-gap", "uspto", _PUMP + "3. The pump of claim 1, wherein the controller is red.", 3),
    ("number-duplicate", "uspto", _PUMP + "1. The pump of claim 1, further comprising a lid.", 1),
    ("claim-truncated", "uspto", "1. A pump comprising a shaft and", 1),
    ("period-missing", "uspto", "1. A pump comprising a shaft", 1),
    ("several-sentences", "uspto", "1. A pump comprising a shaft. The shaft is made of steel.", 1),
    ("capital-missing", "uspto", "1. a pump comprising a shaft.", 1),
    ("article-slip", "uspto", "1. A pump comprising an shaft and a arm.", 1),
    ("word-doubled", "uspto", "1. A pump comprising a lid on on a shaft.", 1),
    ("bracket-open", "uspto", "1. A pump comprising a lid (12 and a shaft.", 1),
    ("dependency-self", "uspto", _PUMP + "2. The pump of claim 2, further comprising a lid.", 2),
    ("dependency-forward", "uspto",
     _PUMP + "2. The pump of claim 3, further comprising a lid.\n3. The pump of claim 1, wherein "
     "the controller is red.", 2),
    ("dependency-missing", "uspto", _PUMP + "2. The pump of claim 7, further comprising a lid.", 2),
    ("dependency-category", "uspto", _PUMP + "2. The method of claim 1, comprising a lid.", 2),
    ("multiple-on-multiple", "uspto",
     _PUMP + "2. The pump of claim 1, further comprising a lid.\n3. The pump of claim 1 or 2, "
     "further comprising a cap.\n4. The pump of any one of claims 1 to 3, comprising a rod.", 4),
    ("multiple-not-alternative", "uspto",
     _PUMP + "2. The pump of claim 1, further comprising a lid.\n"
     "3. The pump according to claims 1 and 2, further comprising a cap.", 3),
    ("dependency-adds-nothing", "uspto", _PUMP + "2. The pump of claim 1.", 2),
    ("antecedent-missing", "uspto", "1. A pump comprising a lid, wherein the rotor is red.", 1),
    ("antecedent-ambiguous", "uspto",
     "1. A pump comprising a first valve and a second valve, wherein the valve is red.", 1),
    ("antecedent-number", "uspto", "1. A pump comprising a lid, wherein the lids are red.", 1),
    ("antecedent-double", "uspto",
     "1. A pump comprising a shaft, a lid and a shaft, wherein the shaft turns.", 1),
    ("term-drift", "uspto", "1. A pump with a drive shaft, wherein the drive axle is red.", 1),
    ("term-spelling", "uspto", "1. A pump comprising a sidewall, wherein the side wall is red.", 1),
    ("approximate-term", "uspto", "1. A pump comprising a substantially straight shaft.", 1),
    ("relative-term", "uspto", "1. A pump comprising a shaft of a suitable length.", 1),
    ("exemplary-language", "uspto", "1. A pump comprising a metal, such as steel.", 1),
    ("negative-limitation", "uspto", "1. A pump comprising a shaft without a lid.", 1),
    ("means-plus-function", "uspto", "1. A pump comprising turning means for turning a lid.", 1),
    ("nonce-word", "uspto", "1. A pump comprising a module configured to turn a lid.", 1),
    ("transition-missing", "uspto", "1. A pump.", 1),
    ("markush-open", "uspto",
     "1. A pump comprising a metal selected from the group comprising steel and iron.", 1),
    ("omnibus", "uspto", "1. A pump as shown in Fig. 2.", 1),
    ("category-mixed", "uspto", "1. A pump and method of using it, comprising a lid.", 1),
    ("duplicate-claim", "uspto",
     _PUMP + "2. The pump of claim 1, further comprising a lid.\n"
     "3. The pump of claim 1, further comprising a lid.", 3),
    ("near-duplicate", "uspto",
     _PUMP + "2. The pump of claim 1, further comprising a lid.\n"
     "3. The pump according to claim 1, which further comprises said lids.", 3),
    ("repeats-parent", "uspto",
     "1. A pump comprising a shaft, wherein the shaft has a hollow steel core.\n"
     "2. The pump of claim 1, wherein the shaft has a hollow steel core.", 2),
    ("sign-changed", "uspto", "1. A pump comprising a lid (12), wherein the lid (14) is red.", 1),
    ("sign-conflict", "uspto", "1. A pump comprising a lid (12) and a shaft (12).", 1),
    ("sign-unbracketed", "epo", "1. A pump comprising a lid 12, wherein the lid 12 is red.", 1),
    ("two-part-form", "epo", _PUMP, 1),
    ("independent-per-category", "epo", _PUMP + "2. A valve comprising a lid.", 2),
    ("fee-claims", "uspto", _LONG, None),
    ("fee-independent", "uspto", _LONG, None),
    ("fee-multiple", "uspto",
     _PUMP + "2. The pump of claim 1, further comprising a lid.\n"
     "3. The pump of claim 1 or 2, further comprising a cap.", None),
]  # fmt: skip


@pytest.mark.parametrize("rule,office,text,claim", _BROKEN, ids=[row[0] for row in _BROKEN])
def test_a_rule_finds_what_it_is_for(rule: str, office: str, text: str, claim: int | None) -> None:
    result = lint(text, office)
    assert claim in [item.claim for item in result.findings if item.rule == rule]
    for item in result.findings:
        assert 0 <= item.start <= item.end <= len(text)
    assert rule in result.rules_run


@pytest.mark.parametrize(
    ("rule", "language"), _EXAMPLES, ids=[f"{rule.id}-{code}" for rule, code in _EXAMPLES]
)
def test_wrong_examples_of_a_rule_are_found_and_right_ones_not(rule: Rule, language: str) -> None:
    examples = rule.examples[language]
    for example in (*examples.wrong, *examples.right):
        result = lint(
            example.claims, example.office, language=language, description=example.description
        )
        assert result.claims.language == language
        assert rule.id in result.rules_run
        found = rule.id in [item.rule for item in result.findings]
        assert found == (example in examples.wrong), example.claims
        assert all(0 <= item.start <= item.end <= len(example.claims) for item in result.findings)


def _source(**changes: object) -> dict[str, object]:
    examples = {"wrong": ["1. A lid etc.", "1. A cap etc."], "right": ["1. A lid.", "1. A cap."]}
    return {
        "title": "a fault", "family": "wording", "message": "{words}", "basis": {},
        "severity": {"epo": "warning"}, "examples": {"en": examples}, **changes,
    }  # fmt: skip


def test_a_rule_with_fewer_than_two_examples_is_refused() -> None:
    rule = read_rule("open-list", _source(), {})
    assert rule.languages == ("en",) and rule.examples["en"].wrong[0].office == "epo"
    few = {"wrong": ["1. A lid etc."], "right": ["1. A lid.", "1. A cap."]}
    for changes, added in (({"examples": {"en": few}}, {}), ({}, {"zh": {"open-list": few}})):
        with pytest.raises(UsageError, match=r"rule open-list: 1 wrong example\(s\) for (en|zh)"):
            read_rule("open-list", _source(**changes), added)
    with pytest.raises(UsageError, match="unknown family 'words'"):
        read_rule("open-list", _source(family="words"), {})


def test_a_pack_adds_the_examples_of_its_language() -> None:
    more = {"wrong": ["1. Ein Deckel usw.", "1. Eine Kappe usw."], "right": ["1. Ein.", "1. Eine."]}
    assert read_rule("open-list", _source(), {"de": {"open-list": more}}).languages == ("en", "de")


def test_limits_that_the_description_does_not_state() -> None:
    claim, text = "1. A pump with a lid of {} mm to 5 mm.", "The lid is from 2 mm to 5 mm thick."
    found = [
        [item.rule for item in lint(claim.format(end), description=text).findings]
        for end in ("1", "2")
    ]
    assert ["number-unsupported" in rules for rules in found] == [True, False]


def test_every_rule_has_a_severity_and_a_place_in_the_list() -> None:
    assert {row[0] for row in _BROKEN} < {rule.id for rule in rules()}
    assert len({rule.id for rule in rules()}) == len(rules())
    places = [(FAMILIES.index(rule.family), rule.place) for rule in rules()]
    assert places == sorted(set(places))
    for rule in rules():
        assert set(rule.severity) == set(rule.basis) == set(OFFICES)
        assert any(rule.severity.values())


def test_a_good_set_of_claims_has_no_errors_and_no_warnings() -> None:
    result = lint(
        _PUMP + "2. The pump of claim 1, wherein the controller is red.\n"
        "3. A method of operating the pump of claim 1, comprising turning the drive shaft.\n"
    )
    assert result.at_least("warning") == ()


@pytest.mark.parametrize(
    "claim",
    [
        "1. A pump comprising a first and a second shaft, wherein the first shaft is red.",
        "1. A pump comprising a shaft having a speed of rotation, wherein the rotation speed is 5.",
        "1. A method comprising comparing two values; and storing the comparison.",
        "1. A metal selected from the group consisting of steel and iron.",
        "1. A pump comprising a shaft and a lid, wherein both are of the same size.",
        "1. A kit comprising a unit, an hourglass, a U-shaped lid, an RF coil and a one-piece cap.",
        "1. A device comprising lids, wherein each of the lids is red.",
        "1. A plate having a longitudinal axis, wherein the longitudinal axes are parallel.",
    ],
)
def test_these_claims_are_not_complained_about(claim: str) -> None:
    assert lint(claim).at_least("warning") == ()


@pytest.mark.parametrize(
    "text",
    ["a wall that ends in a annular edge", "an edge and a arm", "an oven or a Ethernet port",
     "an lid", "a lid of an used box", "an edge;\na axle"],
)  # fmt: skip
def test_a_wrong_article_is_found_wherever_it_stands(text: str) -> None:
    """The error that the paper of Patent-CE names: in a annular edge."""
    assert len(lint(f"1. A cap comprising {text}.", select=["article-slip"]).findings) == 1


def test_letters_and_sounds_are_no_wrong_articles() -> None:
    text = (
        "1. A kit comprising a unimodal filter, an lth lid, an nth lid, an mRNA, a "
        "European plug and protein A inhibitors, wherein step a ends and the electrode a outputs."
    )
    assert lint(text, select=["article-slip"]).findings == ()


def test_a_formula_that_the_text_lacks_is_no_error() -> None:
    for ending in ("a compound of the formula (I)", "wherein the compound of formula I is not:"):
        result = lint(f"1. A salt of {ending}", select=["form"])
        assert [item.severity for item in result.findings] == ["warning"]
    assert lint("1. A pump comprising:", select=["form"]).at_least("error")


def test_severities_of_a_missing_antecedent() -> None:
    def severity(claim: str) -> str:
        return next(f for f in lint(claim).findings if f.rule == "antecedent-missing").severity

    assert severity("1. A pump comprising a lid, wherein the rotor is red.") == "error"
    assert severity("1. A pump comprising a steel lid, wherein the iron lid is red.") == "warning"
    assert severity("1. A pump comprising a lid, wherein the width of the lid is 5.") == (
        "information"
    )


def test_offices_differ() -> None:
    text = (
        _PUMP + "2. The pump of claim 1, further comprising a lid.\n3. The pump of claim 1 or 2, "
        "further comprising a cap.\n4. The pump of any one of claims 1 to 3, comprising a rod."
    )
    found = {
        office: [
            f.severity for f in lint(text, office).findings if f.rule == "multiple-on-multiple"
        ]
        for office in OFFICES
    }
    assert found == {
        "any": [], "uspto": ["error"], "epo": [], "jpo": ["error"], "cnipa": ["error"],
    }  # fmt: skip
    basis = {f.basis for f in lint(text, "jpo").findings if f.rule == "multiple-on-multiple"}
    assert basis == {"Regulations, Art. 24-3(v)"}
    with pytest.raises(UsageError, match="unknown office 'dpma'"):
        lint(text, "dpma")


def test_the_description_supports_the_claims() -> None:
    text = "1. A pump comprising a lid (12) and a rotor (14), and turning means for turning a lid."
    result = lint(text, "epo", description="Fig. 1 shows a pump with a lid 12.")
    found = {(f.rule, text[f.start : f.end]) for f in result.findings}
    assert ("term-unsupported", "rotor") in found
    assert ("sign-unmatched", "rotor") in found
    assert ("term-unsupported", "lid") not in found
    bare = lint("1. A pump comprising a lid.", "epo", description="Fig. 1 shows a pump, a lid.")
    assert "signs-absent" in [f.rule for f in bare.findings]
    assert lint(text, "epo").not_run["term-unsupported"] == "needs the description"


def test_chinese_and_japanese() -> None:
    chinese = (
        "1. 一种水泵，其特征在于，包括转轴和控制器。\n2. 根据权利要求5所述的水泵，其特征在于，"
        "所述螺栓为红色。\n3. 根据权利要求1所述的水泵，其特征在于，所述转轴为钢。\n"
        "4. 根据权利要求1所述的水泵，其特征在于，所述转轴为钢"
    )
    result = lint(chinese, "cnipa")
    found = {(f.claim, f.rule) for f in result.findings}
    assert {(2, "dependency-missing"), (4, "duplicate-claim"), (4, "period-missing")} <= found
    assert (2, "antecedent-missing") in found and (3, "antecedent-missing") not in found
    assert "article-slip" in result.not_run and "article-slip" not in result.rules_run
    assert result.not_run["article-slip"] == "is not made for zh"
    japanese = lint(
        "【請求項1】回転軸を備えるポンプ。\n【請求項2】前記歯車が赤い、請求項4に記載のポンプ。"
    )
    assert {(2, "dependency-missing"), (2, "antecedent-missing")} <= {
        (f.claim, f.rule) for f in japanese.findings
    }


def test_parsed_claims_give_the_same_findings() -> None:
    text = "1. A pump comprising a lid, wherein the rotor is red"
    assert lint(parse_claims(text)).findings == lint(text).findings


def test_amended_claims_that_are_gone_are_left_alone() -> None:
    result = lint("1-4. (canceled)\n5. (New) A pump comprising a lid.")
    assert [f.rule for f in result.at_least("warning")] == []


def test_a_claim_without_words() -> None:
    found = lint("【請求項1】。\n【請求項2】回転軸を備えるポンプ。").findings
    assert (1, "claim-empty") in [(f.claim, f.rule) for f in found]


def test_the_page_has_the_table_of_all_rules() -> None:
    text = rule_pages.PAGE.read_text("utf-8")
    assert rule_pages.with_table(text) == text
    assert [rule.id for rule in rules() if f"## {rule.id}\n" not in rule_pages.reference()] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. 一种泵,包括转轴。\n2. 根据权利要求5所述的泵,其特征在于,所述螺栓为钢。", ["螺栓"]),
        ("1. A pump having a lid.\n2. The pump of claim 5, wherein the bolt is red.", ["bolt"]),
        ("1. A pump having a lid.\n2. The pump of claim 5, having a cap.\n"
         "3. The pump of claim 2, wherein the bolt is red.", ["bolt"]),
    ],
)  # fmt: skip
def test_a_missing_claim_may_have_introduced_a_term(text: str, expected: list[str]) -> None:
    found = lint(text).findings
    terms = [f for f in found if f.rule == "antecedent-missing"]
    assert [text[f.start : f.end] for f in terms] == expected
    assert {f.severity for f in terms} == {"information"}
    assert [f.severity for f in found if f.rule == "dependency-missing"] == ["error"]


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("1. A pump comprising a seal about 5 mm thick", "thick"),
        ("1. A pump comprising a seal (12)", "(12)"),
        ("1. 一种水泵，包括转轴，所述转轴为钢", "钢"),
        ("1. 一种水泵，包括转轴，所述转轴为PVC", "PVC"),
    ],
)
def test_a_missing_period_is_marked_at_the_last_word(text: str, last: str) -> None:
    assert [text[f.start : f.end] for f in lint(text, select=["period-missing"]).findings] == [last]


def test_ordinals_beyond_tenth_tell_things_apart() -> None:
    text = (
        "1. A device comprising a fifteenth gear and a twenty-first gear, wherein the 15th gear "
        "drives the 21st gear.\n2. The device of claim 1, further comprising a sixteenth gear."
    )
    assert [f.rule for f in lint(text).at_least("warning")] == []


@pytest.mark.parametrize("introduced", ["2nd", "second"])
def test_an_ordinal_in_figures_is_a_word(introduced: str) -> None:
    text = (
        f"1. A camera comprising a 1st lens and a {introduced} lens, wherein the 2nd lens is red."
    )
    assert [f.rule for f in lint(text).at_least("warning")] == []


_CHINESE = "1. 一种泵，其特征在于，包括壳体。\n2. 根据权利要求1所述的泵，其特征在于，还包括盖。\n"


@pytest.mark.parametrize(
    ("reference", "alternative"),
    [
        ("根据权利要求1和2", False), ("根据权利要求1至2", False), ("根据权利要求1、2", False),
        ("如申請專利範圍第1項及第2項", False), ("根据权利要求1或2", True),
        ("根据权利要求1至2中任一项", True), ("根据权利要求1至2其中之一", True),
        ("根据权利要求1-2中的一项", True), ("根据权利要求1和/或2", True),
    ],
)  # fmt: skip
def test_chinese_claims_that_refer_to_several(reference: str, alternative: bool) -> None:
    text = f"{_CHINESE}3. {reference}所述的泵，其特征在于，所述壳体为金属。"
    found = [each.rule for each in lint(parse_claims(text), "cnipa").findings]
    assert found == ([] if alternative else ["multiple-not-alternative"])
