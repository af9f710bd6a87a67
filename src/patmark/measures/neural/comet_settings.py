"""The hyperparameters of a COMET checkpoint: where they come from, and which values are known.

They stand in ``hparams.yaml`` and in the checkpoint itself. As in unbabel-comet 2.2.7, hparams.yaml
tells the class, and by ``sparsemax_patch`` that layers are mixed by softmax where the checkpoint
says sparsemax, as CometKiwi does, which never used it (Unbabel/COMET, issue 195). In all else the
checkpoint counts before hparams.yaml.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from patmark.errors import InputError, Problem

REGRESSION, UNIFIED, XCOMET_CLASS = "regression_metric", "unified_metric", "xcomet_metric"
SEVERITIES = ("minor", "major", "critical")
_LAYER = {REGRESSION: "layer", UNIFIED: "sent_layer", XCOMET_CLASS: "sent_layer"}
_MIX = "mix"
_PATCH = "sparsemax_patch"
_ACTIVATIONS = (
    "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "Mish", "Sigmoid", "Softplus",
    "Softshrink", "Softsign", "Tanh", "Tanhshrink",
)  # fmt: skip
"""Activations of PyTorch without parameters; unbabel-comet finds none that has a second capital."""


class _Rule(NamedTuple):
    """Values that a setting may have; ``expected`` says so in a message."""

    fits: Callable[[Any], bool]
    expected: str


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_activation(value: Any) -> bool:
    return isinstance(value, str) and value.title() in _ACTIVATIONS


def _one_of(*known: str) -> _Rule:
    return _Rule(lambda value: isinstance(value, str) and value in known, " or ".join(known))


_RULES = {
    "class_identifier": _one_of(*_LAYER),
    "encoder_model": _one_of("XLM-RoBERTa", "XLM-RoBERTa-XL"),
    "hidden_sizes": _Rule(
        lambda value: _is_list(value) and bool(value) and all(map(_is_count, value)),
        "a list of numbers",
    ),
    "activations": _Rule(_is_activation, "an activation such as Tanh or Sigmoid"),
    "final_activation": _Rule(
        lambda value: value is None or _is_activation(value),
        "null or an activation such as Tanh or Sigmoid",
    ),
}
_CHOSEN_LAYER = _Rule(
    lambda value: value == _MIX or _is_count(value), f"{_MIX} or the number of a layer"
)
_OF_CLASS = {
    REGRESSION: {"layer": _CHOSEN_LAYER, "pool": _one_of("avg", "cls", "max")},
    UNIFIED: {
        "sent_layer": _CHOSEN_LAYER,
        "input_segments": _Rule(lambda value: value is None or _is_list(value), "a list"),
    },
    XCOMET_CLASS: {
        "sent_layer": _CHOSEN_LAYER,
        "word_layer": _Rule(_is_count, "the number of a layer"),
        "error_labels": _Rule(
            lambda value: _is_list(value) and tuple(value) == SEVERITIES,
            f"the list {', '.join(SEVERITIES)}",
        ),
    },
}
_OF_MIX = {
    "layer_transformation": _one_of("softmax", "sparsemax", _PATCH),
    "layer_norm": _Rule(lambda value: isinstance(value, bool), "true or false"),
}


@dataclass(frozen=True, eq=False)
class CometSettings:
    """Settings with known values; ``places`` are their files."""

    values: Mapping[str, Any]
    places: Mapping[str, Path]

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def get(self, name: str) -> Any:
        """Return the value of a setting that may be missing."""
        return self.values.get(name)

    @property
    def kind(self) -> str:
        """The class of the model, as unbabel-comet calls it."""
        return str(self.values["class_identifier"])

    @property
    def layer(self) -> int | None:
        """The layer that is read; None if all are mixed."""
        found = self.values[_LAYER[self.kind]]
        return None if found == _MIX else int(found)

    @property
    def sparse(self) -> bool:
        """True if layers are mixed by sparsemax, else by softmax."""
        return bool(self.values["layer_transformation"] == "sparsemax")

    def check_layers(self, last: int) -> None:
        """Refuse layers that an encoder, of which ``last`` is the last one, does not have."""
        for name in (_LAYER[self.kind], "word_layer"):
            if name in self.places and self[name] != _MIX and self[name] > last:
                raise self.error(name, f"the encoder has the layers 0 to {last}")

    def error(self, name: str, reason: str) -> InputError:
        """Word that a setting is not supported."""
        return InputError([_problem(name, self.values, reason, self.places[name])])


def read_settings(hparams: Path, checkpoint: Path, own: Any) -> CometSettings:
    """Read the settings of hparams.yaml and of the checkpoint (``own``)."""
    stated = _stated(hparams)
    kept = {"class_identifier"}
    if stated.get("layer_transformation") == _PATCH:
        kept.add("layer_transformation")
    own = {name: own[name] for name in own if name not in kept} if isinstance(own, dict) else {}
    values = {**stated, **own}
    rules = _rules(values)
    places = {name: checkpoint if name in own else hparams for name in rules}
    problems = [
        _problem(name, values, f"{rule.expected} is expected", places[name])
        for name, rule in rules.items()
        if not rule.fits(values.get(name))
    ]
    if problems:
        raise InputError(problems)
    return CometSettings(values, places)


def _stated(path: Path) -> dict[str, Any]:
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError.at(f"is no YAML: {error}", str(path)) from None
    if not isinstance(found, dict):
        raise InputError.at("settings with names are expected, as COMET models have", str(path))
    return found


def _rules(values: Mapping[str, Any]) -> dict[str, _Rule]:
    """Return the accepted values of each setting that scores depend on."""
    kind = str(values.get("class_identifier"))
    mixed = kind in _LAYER and values.get(_LAYER[kind]) == _MIX
    return {**_RULES, **_OF_CLASS.get(kind, {}), **(_OF_MIX if mixed else {})}


def _problem(name: str, values: Mapping[str, Any], reason: str, place: Path) -> Problem:
    found = f"is {values[name]!r}" if name in values else "is missing"
    return Problem(f"{name} {found}; {reason}", str(place))
