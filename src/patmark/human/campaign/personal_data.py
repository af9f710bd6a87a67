"""All stored data of one evaluator, for requests of that person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from patmark.errors import UsageError
from patmark.human.campaign.state import CampaignState

if TYPE_CHECKING:
    from patmark.human.campaign.store.store import Store


_OF_PERSON = ("name", "expires", "revoked", "qualified", "excluded", "enrolled", "background")


def personal_data(store: Store, state: CampaignState, evaluator: str) -> dict[str, Any]:
    """Return person, pages, all revisions of all answers, remarks and log, to be written as JSON.

    It contains nothing about other people and systems.
    """
    info = next((one for one in state.evaluators if one.name == evaluator), None)
    if info is None:
        raise UsageError(f"campaign {state.info.name!r} has no evaluator {evaluator!r}")
    campaign = state.info.id
    return {
        "campaign": {"id": campaign, "name": state.info.name},
        "person": {
            **{name: getattr(info, name) for name in _OF_PERSON},
            "address": state.address_of(evaluator),
            "language": state.language_of(evaluator),
            "deadline": state.deadline_of(evaluator),
        },
        "pages": [
            {"id": one.id, "position": one.position, "phase": one.phase, "segment": one.segment}
            for one in state.pages_of(evaluator)
        ],
        "answers": [one.answer for one in store.history(campaign) if one.evaluator == evaluator],
        "remarks": [one for one in state.remarks if one.evaluator == evaluator],
        "log": [one for one in store.events(campaign) if one.evaluator == evaluator],
    }
