"""Hyperparameters of COMET checkpoints, without the models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import tiny_metrics as tiny
from patmark.errors import InputError
from patmark.measures.neural.comet_settings import CometSettings, read_settings

_SIZES = {"hidden_sizes": [24, 16]}


def _read(folder: Path, stated: object, own: object = None) -> CometSettings:
    path = folder / "hparams.yaml"
    path.write_text(stated if isinstance(stated, str) else yaml.safe_dump(stated), encoding="utf-8")
    return read_settings(path, folder / "model.ckpt", own)


def _known(name: str) -> dict[str, Any]:
    return tiny.COMETS[name] | _SIZES


def test_the_checkpoint_counts_before_hparams_but_for_its_class_and_the_patch(
    tmp_path: Path,
) -> None:
    own = _known("xcomet-patch")
    plain = own | {"class_identifier": "xcomet_metric", "layer_norm": True}
    found = _read(tmp_path, plain, own)
    assert (found.kind, found["layer_norm"], found.sparse) == ("xcomet_metric", False, True)
    patched = plain | {"layer_transformation": "sparsemax_patch"}
    assert not _read(tmp_path, patched, own).sparse
    assert not _read(tmp_path, plain, patched).sparse
    assert _read(tmp_path, plain | {"layer_transformation": "softmax"}, own).sparse
    assert not _read(tmp_path, plain | {"layer_transformation": "softmax"}).sparse


@pytest.mark.parametrize(("name", "layer"), [("comet-max", 1), ("comet", None), ("kiwi", None)])
def test_the_layer_is_the_one_of_the_class(name: str, layer: int | None, tmp_path: Path) -> None:
    other = "sent_layer" if name.startswith("comet") else "layer"
    assert _read(tmp_path, _known(name) | {other: 0}).layer == layer


@pytest.mark.parametrize("text", ["", "- layer\n- pool\n", "mix", "3"])
def test_hparams_without_names_are_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"hparams\.yaml: settings with names are expected"):
        _read(tmp_path, text)


@pytest.mark.parametrize("text", ["layer: [", "a: b: c", "x: !!python/name:os.system\n"])
def test_hparams_that_are_no_yaml_are_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"hparams\.yaml: is no YAML"):
        _read(tmp_path, text)
    (tmp_path / "hparams.yaml").write_bytes(b"pool: \xff\xfe")
    with pytest.raises(InputError, match=r"hparams\.yaml: is no YAML"):
        read_settings(tmp_path / "hparams.yaml", tmp_path / "model.ckpt", None)


NEEDED = {
    "comet": ["pool", "layer", "layer_norm", "layer_transformation"],
    "kiwi": ["sent_layer", "layer_norm", "layer_transformation"],
    "xcomet": ["sent_layer", "layer_norm", "layer_transformation", "word_layer", "error_labels"],
}
ALWAYS = ["class_identifier", "encoder_model", "hidden_sizes", "activations"]


@pytest.mark.parametrize(
    ("name", "setting"),
    [(name, setting) for name, own in NEEDED.items() for setting in (*own, *ALWAYS)],
)
def test_a_setting_that_is_missing_is_named(name: str, setting: str, tmp_path: Path) -> None:
    settings = _known(name)
    del settings[setting]
    with pytest.raises(InputError, match=rf"hparams\.yaml: {setting} is missing; .* is expected"):
        _read(tmp_path, settings)


@pytest.mark.parametrize(
    ("name", "setting", "value"),
    [
        ("comet", "class_identifier", "ranking_metric"),
        ("comet", "class_identifier", ["regression_metric"]),
        ("comet", "encoder_model", "BERT"),
        ("comet", "pool", "default"),
        ("comet", "pool", ["avg"]),
        ("comet", "layer", "first"),
        ("comet", "layer", -1),
        ("comet", "layer", True),
        ("kiwi", "sent_layer", "2"),
        ("kiwi", "layer_transformation", "entmax"),
        ("kiwi", "layer_transformation", None),
        ("kiwi", "layer_norm", "no"),
        ("kiwi", "input_segments", "src"),
        ("xcomet", "word_layer", "mix"),
        ("xcomet", "error_labels", ["major", "minor", "critical"]),
        ("xcomet", "error_labels", ["minor", "major"]),
        ("comet", "activations", "Foo"),
        ("comet", "activations", "Linear"),
        ("comet", "activations", None),
        ("comet", "final_activation", 1),
        ("comet", "hidden_sizes", []),
        ("comet", "hidden_sizes", "24"),
    ],
)
def test_a_value_that_is_not_known_is_named(
    name: str, setting: str, value: object, tmp_path: Path
) -> None:
    settings = _known(name)
    changed = settings | {setting: value}
    with pytest.raises(InputError, match=rf"hparams\.yaml: {setting} is .*; .* is expected"):
        _read(tmp_path, changed)
    if setting != "class_identifier":
        with pytest.raises(InputError, match=rf"model\.ckpt: {setting} is .*; .* is expected"):
            _read(tmp_path, settings, changed)


def test_all_problems_of_settings_are_named_at_once(tmp_path: Path) -> None:
    changed = {"pool": "min", "layer_norm": None, "activations": "Foo"}
    with pytest.raises(InputError) as caught:
        _read(tmp_path, _known("comet") | changed)
    assert [one.message.split()[0] for one in caught.value.problems] == [
        "activations", "pool", "layer_norm",
    ]  # fmt: skip


def test_settings_that_nothing_depends_on_are_not_asked_for(tmp_path: Path) -> None:
    assert _read(tmp_path, _known("comet-max")).layer == 1  # no mix: neither norm nor shares
    assert _read(tmp_path, _known("kiwi") | {"pool": "min", "layer": "x"}).kind == "unified_metric"


def test_layers_beyond_the_encoder_are_refused(tmp_path: Path) -> None:
    found = _read(tmp_path, _known("comet-max") | {"layer": 24, "word_layer": 99})
    found.check_layers(24)
    with pytest.raises(InputError, match=r"layer is 24; the encoder has the layers 0 to 12"):
        found.check_layers(12)


@pytest.mark.parametrize("name", tiny.COMETS)
def test_settings_as_they_are_published_are_read(name: str, tmp_path: Path) -> None:
    own = _known(name)
    assert _read(tmp_path, own | tiny.STATED.get(name, {}), own)["hidden_sizes"] == [24, 16]
