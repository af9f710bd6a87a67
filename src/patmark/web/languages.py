"""Choice of the language of a page."""

from __future__ import annotations

from patmark.wording import DEFAULT_LANGUAGE, LANGUAGES


def preferred_language(chosen: str | None, planned: str | None, accepted: str) -> str:
    """Return the chosen language, else the planned one, else the browser's, else English.

    The person chooses on the page; a campaign file plans; the browser names what it accepts.
    """
    for wanted in (chosen, planned):
        if wanted and wanted in LANGUAGES:
            return wanted
    for part in accepted.split(","):
        code = part.partition(";")[0].strip().lower().partition("-")[0]
        if code in LANGUAGES:
            return code
    return DEFAULT_LANGUAGE
