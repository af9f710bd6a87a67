"""Messages of a result with a level and a code, for programs and for every front end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeGuard

from patmark.languages import taken_for_country


@dataclass(frozen=True, slots=True)
class Notice:
    """A message about data or results.

    ``code`` is a short kebab-case identifier that stays the same when the text changes. ``remedy``
    is a sentence that names settings with :func:`patmark.wording.setting`; it may be empty.
    :func:`patmark.report.message_text` words a notice for readers.
    """

    level: Literal["warning", "note"]
    code: str
    text: str
    remedy: str = ""


def country_warnings(*languages: str | None) -> tuple[Notice, ...]:
    """Return a warning for each language code that probably means a country."""
    named = ((code, taken_for_country(code)) for code in sorted(filter(None, set(languages))))
    texts = (
        f"{code} is the language {name[0]}; did you mean {name[1]}?" for code, name in named if name
    )
    return tuple(Notice("warning", "country-code", text) for text in texts)


NO_RESULT = "no-result"
"""Code of a notice on rows without a result because a service did not answer."""

Message: TypeAlias = str | Notice
"""A sentence that states a result, or a notice."""


def is_warning(message: Message) -> TypeGuard[Notice]:
    """Return True if a message is a notice of level "warning"."""
    return isinstance(message, Notice) and message.level == "warning"
