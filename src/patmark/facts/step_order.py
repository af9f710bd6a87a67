"""Order of steps: earlier and later steps in a text.

"A before B", "after A, B", "A, and then B", Aした後にB, 先A再B all are the steps A, B. Two texts
differ if their steps match better in another order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import permutations

from patmark.facts.differences import Difference, Span
from patmark.facts.lexicon import Hit, phrases
from patmark.facts.texts import TextFacts
from patmark.languages import language
from patmark.wording import tr

Features = Callable[[TextFacts, Sequence[Span]], set[str]]
Step = tuple[Span, ...]
_MOST_STEPS = 4
_LEAST_EVIDENCE = 2
_ARGUMENT_END = re.compile(r"[,;。、]|\.(?!\d)|\bwhich\b|\band then\b")
_CLAUSE_START = phrases("[,;。、:]|{clause-topic}")
_BARE = phrases("{step-word}")
_LEADS = re.compile(r"[\s,;、。]*$")


def compare_steps(source: TextFacts, target: TextFacts, features: Features) -> list[Difference]:
    """Return a difference if two texts have their steps in a different order."""
    ours = _steps(source)
    theirs = _steps(target) if ours else None
    if ours is None or theirs is None or len(ours[1]) != len(theirs[1]):
        return []
    (mark, mine), (other_mark, yours) = (
        (found[0], _without_subject(facts, found[1]))
        for facts, found in ((source, ours), (target, theirs))
    )
    one, other = (
        _distinctive([features(facts, step) for step in steps])
        for facts, steps in ((source, mine), (target, yours))
    )
    fitting = {
        order: sum(len(one[place] & other[at]) for place, at in enumerate(order))
        for order in permutations(range(len(mine)))
    }
    straight = fitting[tuple(range(len(mine)))]
    if max(fitting.values()) < max(straight + _LEAST_EVIDENCE, 2 * straight) and not (
        len(mine) == 2 and _changed_places(one, other)
    ):
        return []
    word = f"“{target.quoted(other_mark.start, other_mark.end)}”"
    message = tr("the two sides of {word} are exchanged", word=word)
    sentence = next(
        (s for s in target.sentences if s[0] <= other_mark.start < s[1]),
        (other_mark.start, other_mark.end),
    )
    places = source.span(mark.start, mark.end), target.span(*sentence)
    return [Difference("marker", "time", message, *places, "likely")]


_SUBJECT = re.compile(
    r"[\s,;]*(?:first(?:ly)?,? +)?(?!(?:it|they)\b)"
    r"(?:[a-z-]+ +){1,8}?(?:is|are|was|were|has been|have been|be) ",
    re.IGNORECASE,
)


_ADVERBS = re.compile(
    r"[\s,;]*(?:(?:and|then|finally|further|lastly|it|they|is|are|was|were|be|being|been|having)\b\s*)*"
)
_PARTICIPLE = re.compile("[a-z-]+(?:ed|ing)\\b")


def _is_verb(facts: TextFacts, start: int, end: int) -> bool:
    """Return True if a part of an English text begins with a verb: and finally diced."""
    lead = _ADVERBS.match(facts.text, start, end)
    place = lead.end() if lead else start
    return _PARTICIPLE.match(facts.text, place, end) is not None or any(
        hit.start == place and hit.row.group in ("action", "thing-process") for hit in facts.words
    )


def _without_subject(facts: TextFacts, steps: list[Step]) -> list[Step]:
    """Leave out the subject of the only English step that has one: it is that of all steps."""
    if language(facts.language).is_dense:
        return steps
    subjects = [
        (number, part, match.end())
        for number, step in enumerate(steps)
        for part, (start, end) in enumerate(step)
        if (match := _SUBJECT.match(facts.text, start, end))
    ]
    if len(subjects) != 1:
        return steps
    [(number, part, begin)] = subjects
    others = [step for at, step in enumerate(steps) if at != number]
    if not all(any(_is_verb(facts, *span) for span in step) for step in others):
        return steps
    found = list(steps)
    parts = list(found[number])
    parts[part] = begin, parts[part][1]
    found[number] = tuple(parts)
    return found


def _changed_places(ours: list[set[str]], theirs: list[set[str]]) -> bool:
    """Return True if each of two steps fits the other one, and their subject alone its own."""
    return bool(
        ours[0] & theirs[1]
        and ours[1] & theirs[0]
        and not ours[1] & theirs[1]
        and len(ours[0] & theirs[0]) <= 1
    )


def _distinctive(steps: list[set[str]]) -> list[set[str]]:
    """Return the features of each step that no other step has."""
    counts = Counter(feature for step in steps for feature in step)
    return [{feature for feature in step if counts[feature] == 1} for step in steps]


def _steps(facts: TextFacts) -> tuple[Hit, list[Step]] | None:
    """Return the steps of the only sentence with words of time, earliest first, and a word."""
    marks = facts.by_group.get("then", [])
    directed = [hit for hit in facts.by_group.get("time", ()) if _is_directed(facts, hit)]
    if not marks and not directed:
        return None
    first = min((*marks, *directed))
    sentence = next((s for s in facts.sentences if s[0] <= first.start < s[1]), None)
    if sentence is None or any(
        not sentence[0] <= h.start < sentence[1] for h in (*marks, *directed)
    ):
        return None
    if len(directed) == 1 and not marks:
        return first, _around(facts, sentence, first)
    if directed or len(marks) >= _MOST_STEPS:
        return None
    cuts: list[Span] = []
    for hit in marks:
        cuts.append(_clause_of(facts, cuts[-1][1] if cuts else sentence[0], hit))
    starts = [sentence[0], *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), sentence[1]]
    steps: list[Step] = [
        ((a, b),) for a, b in zip(starts, ends, strict=True) if facts.text[a:b].strip(" ,、;")
    ]
    return (first, steps) if len(steps) > 1 else None


def _clause_of(facts: TextFacts, start: int, hit: Hit) -> Span:
    """Return the place that parts two steps: a word of time, or the end of the clause before it."""
    if facts.text.startswith("and ", hit.start):  # it is filled, sealed and then sterilized
        return hit.start, hit.end
    ends = [m for m in _CLAUSE_END.finditer(facts.text, start, hit.start)]
    longest = _LONGEST_LEAD if not language(facts.language).is_dense else _LONGEST_LEAD // 4
    if ends and hit.start - ends[-1].end() <= longest and ends[-1].start() - start > longest // 4:
        return ends[-1].span()
    return hit.start, hit.end


_CLAUSE_END = re.compile(r"[,;、] ?(?:and )?| and ")
_LONGEST_LEAD = 40


def _is_directed(facts: TextFacts, hit: Hit) -> bool:
    """Return True for before and after, and for 前, 后 or 後 behind a step: 冷却后过滤."""
    return hit.row.sure or (
        _BARE.fullmatch(facts.text, hit.start, hit.end) is not None
        and _ENDS_STEP.match(facts.text, hit.end) is not None
        and not (hit.start and _NO_STEP_BEFORE.match(facts.text, hit.start - 1, hit.start))
    )


_ENDS_STEP = phrases("[,、]|{ends-step}")
_NO_STEP_BEFORE = phrases("{no-step-before}")


def _around(facts: TextFacts, sentence: Span, hit: Hit) -> list[Step]:
    """Return the argument of a word of time and the rest of its sentence, the earlier one first."""
    if not language(facts.language).is_dense:
        end = _ARGUMENT_END.search(facts.text, hit.end, sentence[1])
        argument = hit.end, end.start() if end else sentence[1]
    else:
        starts = [m.end() for m in _CLAUSE_START.finditer(facts.text, sentence[0], hit.start)]
        argument = starts[-1] if starts else sentence[0], hit.start
        if _LEADS.match(facts.text, argument[0], hit.start):  # 、その後、
            return [((sentence[0], hit.start),), ((hit.end, sentence[1]),)]
    rest = ((sentence[0], min(argument[0], hit.start)), (max(argument[1], hit.end), sentence[1]))
    steps: list[Step] = [(argument,), rest]
    return steps if hit.row.id == "AFTER" else steps[::-1]
