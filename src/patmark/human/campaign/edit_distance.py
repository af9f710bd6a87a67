"""Edit distance of written texts to their drafts."""

from __future__ import annotations

from patmark.human.campaign.form import CHECKED, Form
from patmark.human.campaign.plan import Answer, Page


def edits_since_draft(form: Form, page: Page, answer: Answer) -> int | None:
    """Return the edit distance of a finished text to its draft; None without a draft."""
    if answer.value is None or answer.question == CHECKED:
        return None
    if not form.begins_with_draft(form.question(answer.question)):
        return None
    # Browsers have one sign for the end of a line.
    draft = page.candidate(answer.candidate).text.replace("\r\n", "\n")
    return edit_distance(draft, answer.value) if draft else None


def edit_distance(draft: str, text: str) -> int:
    """Return the Levenshtein distance of two texts in characters.

    It uses the bit vectors of Myers (1999) in the form of Hyyrö (2003): a column of the matrix is
    one number with a bit for each character of the draft.
    """
    places: dict[str, int] = {}
    for place, sign in enumerate(draft):
        places[sign] = places.get(sign, 0) | 1 << place
    size = len(draft)
    every, last = (1 << size) - 1, 1 << size >> 1
    rising, falling, distance = every, 0, size
    for sign in text if draft else ():
        equal = places.get(sign, 0)
        same = (((equal & rising) + rising) ^ rising) | equal | falling
        grows = falling | (every & ~(same | rising))
        falls = rising & same
        distance += bool(grows & last) - bool(falls & last)
        grows, falls = grows << 1 | 1, falls << 1
        rising = (falls | ~(same | grows)) & every
        falling = grows & same & every
    return distance if draft else len(text)
