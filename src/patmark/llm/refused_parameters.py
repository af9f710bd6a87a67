"""Parameters that a server refuses, and the form in which it takes a request.

OpenAI's reasoning models take ``max_completion_tokens`` in place of ``max_tokens``, and no
temperature but their own. Local servers refuse fields that they do not know. A limit of tokens is
never dropped, since budgets rest on it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from patmark.data import Notice
from patmark.wording import tr

STATUSES = frozenset({400, 422})
"""The status codes of responses that may refuse a parameter."""
_NEW_NAMES = {"max_tokens": "max_completion_tokens"}
_DROPPED = ("temperature",)
_UNSUPPORTED = (
    r"(?i)unsupported|not (?:be )?(?:support|permit|allow|accept)|n['’]t support|unknown|unexpected"
    r"|unrecogni[sz]ed|forbidden|deprecated|may only be|only the default"
)


class RefusedParameters:
    """The parameters that a server has refused, by model."""

    def __init__(self) -> None:
        self._refused: dict[str, list[str]] = defaultdict(list)

    def accepted(self, model: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the body of a request in the form that the server takes."""
        refused = self._refused.get(model, ())
        named = {_NEW_NAMES.get(name, name) if name in refused else name: name for name in body}
        dropped = [name for name in refused if name in _DROPPED]
        return {new: body[old] for new, old in named.items() if old not in dropped}

    def learn(self, model: str, sent: Mapping[str, Any], error: object) -> bool:
        """Return True if an error refuses a parameter that can be left out or renamed."""
        name = _refused_name(error, [one for one in (*_NEW_NAMES, *_DROPPED) if one in sent])
        if name is None:
            return False
        if name not in self._refused[model]:
            self._refused[model].append(name)
        return True

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Messages on parameters that were left out or renamed."""
        return tuple(_notice(model, name) for model, of in self._refused.items() for name in of)


def _refused_name(error: object, sent: Sequence[str]) -> str | None:
    for words, named in _complaints(error):
        if re.search(_UNSUPPORTED, words):
            found = [named] if named else re.findall(r"\w+", words)
            refused = [name for name in found if name in sent]
            if refused:
                return refused[0]
    return None


def _complaints(error: object) -> Iterator[tuple[str, str | None]]:
    """Yield the words of an error response, with the parameter if it is a separate field.

    OpenAI, vLLM and llama.cpp have a message, Ollama may have a text alone, and servers that
    validate fields a list of details.
    """
    inner = error.get("error", error) if isinstance(error, dict) else error
    if not isinstance(inner, dict):
        yield str(inner), None
        return
    details = inner.get("detail")
    for one in details if isinstance(details, list) else ():
        if isinstance(one, dict) and isinstance(one.get("loc"), list) and one["loc"]:
            yield f"{one.get('type')} {one.get('msg')}", str(one["loc"][-1])
    words = [inner.get("code"), inner.get("message")]
    words += [details] if isinstance(details, str) else []
    param = inner.get("param")
    yield " ".join(map(str, words)), param if isinstance(param, str) and param else None


def _notice(model: str, name: str) -> Notice:
    if name in _NEW_NAMES:
        new = _NEW_NAMES[name]
        message = tr("{model}: {name} was sent as {new}.", model=model, name=name, new=new)
        return Notice("note", "parameter-renamed", message)
    message = tr(
        "{model} refuses a {name}; the answers are those of its default.", model=model, name=name
    )
    return Notice("warning", "parameter-dropped", message)
