"""COMET, CometKiwi, xCOMET and MetricX, held against the programs of their authors.

``tests/constants/foreign_metric_scores.json`` holds what unbabel-comet 2.2.7 and the code of
google-research/metricx say of the tiny checkpoints (``tools/foreign_metric_scores.py``).
"""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import tiny_metrics as tiny
from patmark.data import Annotation
from patmark.data.model import Run, Segment, TestSet
from patmark.errors import InputError, UsageError
from patmark.evaluation.scoring import evaluate
from patmark.measures.base import Measure
from patmark.measures.neural.comet import XCOMET, Span, decode_spans, penalty_score, sparsemax
from patmark.measures.neural.metricx import MetricX24
from patmark.measures.registry import parse_measure

FOREIGN: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "constants" / "foreign_metric_scores.json").read_text("utf-8")
)
NAMES = {
    "comet": "COMET(model={})",
    "comet-norm": "COMET(model={})",
    "comet-max": "COMET(model={})",
    "kiwi": "CometKiwi(model={})",
    "kiwi-patch": "CometKiwi(model={})",
    "xcomet": "XCOMET(model={})",
    "xcomet-qe": "XCOMET-QE(model={})",
    "xcomet-patch": "XCOMET(model={})",
    "xcomet-patch-qe": "XCOMET-QE(model={})",
    "metricx-23": "MetricX(variant=23,model={},limit=64)",
    "metricx-24": "MetricX(variant=24,model={},limit=64)",
    "metricx-23-qe": "MetricX-QE(variant=23,model={},limit=64)",
    "metricx-24-qe": "MetricX-QE(variant=24,model={},limit=64)",
}
TEST_SET = TestSet(
    tuple(Segment(f"s{at}", row["src"], (row["ref"],)) for at, row in enumerate(tiny.SEGMENTS)),
    "en",
)
HYPOTHESES = tuple(row["mt"] for row in tiny.SEGMENTS)
Find = Callable[[str, str], Measure]

each = pytest.mark.parametrize("key", NAMES)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, str]]:
    """The folder of each checkpoint, and the hash of its weights."""
    made: dict[str, tuple[Path, str]] = {}
    for name in tiny.COMETS:
        folder = tmp_path_factory.mktemp(name)
        made[name] = folder, tiny.write_comet(folder, name)
    folder = tmp_path_factory.mktemp("metricx")
    made["metricx"] = folder, tiny.write_metricx(folder)
    return made


@pytest.fixture(scope="module")
def measure(folders: dict[str, tuple[Path, str]]) -> Find:
    """A measure by its key, with further parameters."""

    def find(key: str, more: str = "") -> Measure:
        folder, _ = folders["metricx" if "metricx" in key else key.removesuffix("-qe")]
        return parse_measure(NAMES[key].format(folder)[:-1] + more + ")")

    return find


@each
def test_scores_are_those_of_the_authors_programs(
    key: str, measure: Find, folders: dict[str, tuple[Path, str]]
) -> None:
    _, weights = folders["metricx" if "metricx" in key else key.removesuffix("-qe")]
    assert weights == FOREIGN[key]["weights"], "the checkpoint is not the one that was scored there"
    scores = measure(key, "").statistics(TEST_SET, HYPOTHESES)[:, 0]
    np.testing.assert_allclose(scores, FOREIGN[key]["scores"], rtol=0, atol=1e-4)


@pytest.mark.parametrize("key", ["xcomet", "xcomet-qe", "xcomet-patch", "xcomet-patch-qe"])
def test_error_spans_are_those_of_the_authors_program(key: str, measure: Find) -> None:
    one = measure(key, "")
    assert isinstance(one, XCOMET)
    _, spans = one._judged_spans(TEST_SET, Run("A", HYPOTHESES))
    for mine, theirs in zip(spans, FOREIGN[key]["spans"], strict=True):
        assert [list(span[:3]) for span in mine] == [span[:3] for span in theirs]
        np.testing.assert_allclose(
            [span.confidence for span in mine], [span[3] for span in theirs], rtol=0, atol=1e-4
        )


@each
def test_scores_do_not_depend_on_batches_or_order(key: str, measure: Find) -> None:
    turned = TestSet(TEST_SET.segments[::-1], "en")
    scores = measure(key, "").statistics(TEST_SET, HYPOTHESES)
    for batch, test_set, texts in ((1, TEST_SET, HYPOTHESES), (5, turned, HYPOTHESES[::-1])):
        found = measure(key, f",batch={batch}").statistics(test_set, texts)
        found = found if test_set is TEST_SET else found[::-1]
        np.testing.assert_allclose(found, scores, rtol=1e-5, atol=1e-5)


@each
def test_the_name_parses_back_and_the_signature_identifies_the_model(
    key: str, measure: Find
) -> None:
    one = measure(key, ",batch=3,dtype=bfloat16")
    assert parse_measure(one.name) == one
    parts = dict(part.split(":", 1) for part in one.signature(TEST_SET).split("|")[1:])
    assert {"batch": "3", "dtype": "bfloat16", "revision": "local", "device": "cpu"}.items() <= (
        parts.items()
    )
    assert len(parts["weights"]) == len(parts["settings"]) == 16
    low = one.statistics(TEST_SET, HYPOTHESES)[:, 0]
    assert np.isfinite(low).all()


@pytest.mark.parametrize(("key", "limit"), [("comet", 38), ("kiwi", 40), ("metricx-24", 64)])
def test_cut_texts_are_counted_in_a_note(key: str, limit: int, measure: Find) -> None:
    one = measure(key, "")
    found = evaluate(TEST_SET, {"A": HYPOTHESES}, [one])
    count = int(found.scores[one.name].statistics[0, :, 2].sum())
    assert 0 < count < len(TEST_SET)
    [note] = [note for note in found.notes if note.startswith(one.name)]
    assert f"in {count} segments of A (of 12) what goes beyond {limit} tokens was cut off" in note
    whole = int(np.flatnonzero(found.scores[one.name].statistics[0, :, 2] == 0)[0])
    short = TestSet(TEST_SET.segments[whole : whole + 1], "en")
    few = evaluate(short, {"A": HYPOTHESES[whole : whole + 1]}, [one])
    assert not [note for note in few.notes if note.startswith(one.name)]
    with pytest.raises(InputError, match=rf"has \d+ tokens, {one.label} with this model takes"):
        measure(key, ",long=refuse").statistics(TEST_SET, HYPOTHESES)


@pytest.mark.parametrize(("key", "best"), [("comet", max), ("metricx-24", min)])
def test_of_several_references_the_best_counts(
    key: str, best: Callable[..., float], measure: Find
) -> None:
    one = measure(key, ",batch=1")
    one = replace(one, limit=0)  # type: ignore[type-var]
    row, other = tiny.SEGMENTS[0], tiny.SEGMENTS[4]["ref"]
    singles = [
        one.statistics(TestSet((Segment("1", row["src"], (ref,)),), "en"), [row["mt"]])[0, 0]
        for ref in (row["ref"], other)
    ]
    both = TestSet((Segment("1", row["src"], (row["ref"], other)),), "en")
    found = one.statistics(both, [row["mt"]])[0, 0]
    assert found == pytest.approx(best(singles), abs=1e-5)
    assert abs(singles[0] - singles[1]) > 1e-3


def test_error_spans_are_annotations_and_evidence(measure: Find) -> None:
    one = measure("xcomet", "")
    assert isinstance(one, XCOMET)
    marks = one.annotations(TEST_SET, Run("A", HYPOTHESES))
    at, spans = next(row for row in enumerate(FOREIGN["xcomet"]["spans"]) if row[1])
    start, end, severity, _ = spans[0]
    assert marks.marks[0] == Annotation(
        "A", f"s{at}", one.name, start, end, "target", "Unspecified", severity
    )
    assert len(marks.rated) == len(TEST_SET)
    found = evaluate(TEST_SET, {"A": HYPOTHESES}, [one])
    shown = found.explorer().evidence[one.name][0][at][0]
    assert (shown.side, shown.start, shown.end) == ("hypothesis", start, end)
    assert shown.message.startswith(severity)
    np.testing.assert_allclose(
        found.scores[one.name].segment_scores[0], FOREIGN["xcomet"]["scores"], rtol=0, atol=1e-4
    )


def test_references_that_are_missing_leave_a_segment_out(measure: Find) -> None:
    gap = TestSet((Segment("s0", "甲", ()), *TEST_SET.segments[1:]), "en", allow_gaps=True)
    found = measure("xcomet", "").judge(gap, Run("A", HYPOTHESES))
    assert not found.statistics[0].any()
    assert found.evidence is not None
    assert found.evidence[0] == ()
    np.testing.assert_allclose(
        found.statistics[1:, 0], FOREIGN["xcomet"]["scores"][1:], rtol=0, atol=1e-4
    )


def _changed(folders: dict[str, tuple[Path, str]], name: str, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folders[name][0], tmp_path / name))


def test_a_checkpoint_with_a_program_in_it_is_refused(
    folders: dict[str, tuple[Path, str]], tmp_path: Path
) -> None:
    import torch

    folder = _changed(folders, "comet", tmp_path)
    path = folder / "checkpoints" / "model.ckpt"
    content = torch.load(path, weights_only=True)
    torch.save(content | {"callback": Path("x")}, path)
    with pytest.raises(UsageError, match="holds more than weights"):
        parse_measure(f"COMET(model={folder})").statistics(TEST_SET, HYPOTHESES)


@pytest.mark.parametrize("known", [True, False])
def test_programs_beside_the_encoder_are_not_run(
    folders: dict[str, tuple[Path, str]],
    tmp_path: Path,
    known: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = _changed(folders, "comet", tmp_path)
    mark = tmp_path / "was-run"
    (folder / tiny.ENCODER / "evil.py").write_text(
        f"open({str(mark)!r}, 'w').close()\n"
        "from transformers import XLMRobertaConfig, XLMRobertaModel\n"
        "class Own(XLMRobertaConfig):\n    model_type = 'own'\n"
        "class OwnModel(XLMRobertaModel):\n    config_class = Own\n"
    )
    path = folder / tiny.ENCODER / "config.json"
    config = json.loads(path.read_text())
    config["auto_map"] = {"AutoConfig": "evil.Own", "AutoModel": "evil.OwnModel"}
    path.write_text(json.dumps(config if known else config | {"model_type": "own"}))
    # a tokenizer that is known without the configuration, so that this is what is asked about
    (folder / tiny.ENCODER / "tokenizer_config.json").write_text(
        '{"model_max_length": 512, "tokenizer_class": "XLMRobertaTokenizer"}'
    )
    monkeypatch.setattr("builtins.input", lambda *_: "y")  # a user who agrees to everything
    measure = parse_measure(f"COMET(model={folder})")
    if known:
        scores = measure.statistics(TEST_SET, HYPOTHESES)[:, 0]
        np.testing.assert_allclose(scores, FOREIGN["comet"]["scores"], rtol=0, atol=1e-4)
    else:
        with pytest.raises(UsageError, match="a program in its own folder, which patmark does not"):
            measure.statistics(TEST_SET, HYPOTHESES)
    assert not mark.exists()


@pytest.mark.parametrize(
    "name",
    [
        "encoder.model.encoder.layer.0.output.dense.bias",
        "estimator.ff.3.weight",
        "layerwise_attention.scalar_parameters.2",
        "layerwise_attention.gamma",
    ],
)
def test_a_checkpoint_without_part_of_its_weights_is_refused(
    name: str, folders: dict[str, tuple[Path, str]], tmp_path: Path
) -> None:
    import torch

    folder = _changed(folders, "comet", tmp_path)
    path = folder / "checkpoints" / "model.ckpt"
    content = torch.load(path, weights_only=True)
    del content["state_dict"][name]
    torch.save(content, path)
    lacking = name.removeprefix("encoder.model.")
    with pytest.raises(UsageError, match=f"the checkpoint lacks {lacking}"):
        parse_measure(f"COMET(model={folder})").statistics(TEST_SET, HYPOTHESES)


def test_a_checkpoint_of_another_kind_is_refused(folders: dict[str, tuple[Path, str]]) -> None:
    comet, kiwi = folders["comet"][0], folders["kiwi"][0]
    for name, message in (
        (f"CometKiwi(model={comet})", "is a regression_metric, and CometKiwi reads a unified_me"),
        (f"COMET(model={kiwi})", "is a unified_metric, and COMET reads a regression_metric"),
        (f"XCOMET(model={kiwi})", "XCOMET reads a xcomet_metric"),
        (f"MetricX(model={comet})", "holds no model: config.json and"),
        (f"COMET(model={folders['metricx'][0]})", "holds no model: hparams.yaml and checkpoints"),
    ):
        with pytest.raises(UsageError, match=message):
            parse_measure(name).statistics(TEST_SET, HYPOTHESES)


def test_an_encoder_elsewhere_can_be_named(
    folders: dict[str, tuple[Path, str]], tmp_path: Path
) -> None:
    folder = _changed(folders, "comet", tmp_path)
    moved = shutil.move(folder / tiny.ENCODER, tmp_path / "elsewhere")
    plain = parse_measure(f"COMET(model={folder})")
    with pytest.raises(UsageError, match=rf"model {tiny.ENCODER} cannot be had"):
        plain.statistics(TEST_SET, HYPOTHESES)
    scores = parse_measure(f"COMET(model={folder},encoder={moved})").statistics(
        TEST_SET, HYPOTHESES
    )
    np.testing.assert_allclose(scores[:, 0], FOREIGN["comet"]["scores"], rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("name", "setting", "value", "message"),
    [
        ("comet", "encoder_model", "BERT", "'BERT'; XLM-RoBERTa or XLM-RoBERTa-XL is expected"),
        ("comet", "pool", "default", "'default'; avg or cls or max is expected"),
        ("kiwi", "layer_transformation", "entmax", "'entmax'; softmax or sparsemax or"),
        ("comet", "layer", 99, "99; the encoder has the layers 0 to 2"),
        ("kiwi", "sent_layer", 3, "3; the encoder has the layers 0 to 2"),
        ("xcomet", "word_layer", 3, "3; the encoder has the layers 0 to 2"),
        ("comet", "hidden_sizes", [24], r"\[24\]; the weights have \[24, 16\]"),
        ("xcomet", "error_labels", ["minor", "major"], "the list minor, major, critical is"),
    ],
)
def test_settings_that_are_not_known_are_refused(
    name: str,
    setting: str,
    value: object,
    message: str,
    folders: dict[str, tuple[Path, str]],
    tmp_path: Path,
) -> None:
    import torch

    folder = _changed(folders, name, tmp_path)
    path = folder / "checkpoints" / "model.ckpt"
    content = torch.load(path, weights_only=True)
    settings = content["hyper_parameters"] | {setting: value}
    torch.save(content | {"hyper_parameters": settings}, path)
    with pytest.raises(InputError, match=rf"model\.ckpt: {setting} is .*{message}"):
        parse_measure(NAMES[name].format(folder)).statistics(TEST_SET, HYPOTHESES)


def test_a_checkpoint_that_names_no_encoder_is_refused(
    folders: dict[str, tuple[Path, str]], tmp_path: Path
) -> None:
    import torch

    folder = _changed(folders, "comet", tmp_path)
    path = folder / "checkpoints" / "model.ckpt"
    content = torch.load(path, weights_only=True)
    del content["hyper_parameters"]["pretrained_model"]
    torch.save(content, path)
    hparams = yaml.safe_dump(content["hyper_parameters"])
    (folder / "hparams.yaml").write_text(hparams, encoding="utf-8")
    with pytest.raises(UsageError, match=r"hparams\.yaml: pretrained_model is missing"):
        parse_measure(f"COMET(model={folder})").statistics(TEST_SET, HYPOTHESES)


def test_metricx_takes_the_tokenizer_from_elsewhere(
    folders: dict[str, tuple[Path, str]], tmp_path: Path
) -> None:
    folder = _changed(folders, "metricx", tmp_path)
    other = tmp_path / "mt5"
    other.mkdir()
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.move(folder / name, other / name)
    given = f"MetricX(variant=24,model={folder},limit=64,tokenizer={other})"
    scores = parse_measure(given).statistics(TEST_SET, HYPOTHESES)[:, 0]
    np.testing.assert_allclose(scores, FOREIGN["metricx-24"]["scores"], rtol=0, atol=1e-4)
    with pytest.raises(UsageError, match="google/mt5-xl cannot be had"):
        parse_measure(f"MetricX(model={folder})").statistics(TEST_SET, HYPOTHESES)


@pytest.mark.parametrize(("variant", "limit"), [(23, 1024), (24, 1536)])
def test_metricx_reads_as_much_as_it_was_trained_on(
    variant: int, limit: int, folders: dict[str, tuple[Path, str]]
) -> None:
    folder = folders["metricx"][0]
    one = parse_measure(f"MetricX(variant={variant},model={folder})")
    long = {"A": [" valve" * (limit + 9), "a valve"]}
    test_set = TestSet(tuple(Segment(at, "甲", ("a",)) for at in "12"), "en")
    found = evaluate(test_set, long, [one])
    [note] = [note for note in found.notes if note.startswith(one.name)]
    assert f"in 1 segment of A (of 2) what goes beyond {limit} tokens" in note
    assert f"|limit:{limit}|" in found.scores[one.name].signature


def test_metricx_reads_a_tokenizer_that_is_sentencepiece_alone(
    folders: dict[str, tuple[Path, str]], tmp_path: Path
) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    texts = [text for row in tiny.SEGMENTS for text in row.values()]
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts * 3), model_writer=written, vocab_size=230, pad_id=0,
        eos_id=1, unk_id=2, bos_id=-1, hard_vocab_limit=False, character_coverage=1.0,
        minloglevel=2,
    )  # fmt: skip
    (tmp_path / "spiece.model").write_bytes(written.getvalue())
    (tmp_path / "config.json").write_text('{"model_type": "mt5"}')
    (tmp_path / "tokenizer_config.json").write_text(
        '{"tokenizer_class": "T5Tokenizer", "extra_ids": 0, "eos_token": "</s>"}'
    )
    own = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    measure = parse_measure(f"MetricX(model={folders['metricx'][0]},tokenizer={tmp_path})")
    assert isinstance(measure, MetricX24)
    tokenizer = measure.loaded().tokenizer
    assert tokenizer(texts)["input_ids"] == [[*own.encode(text), 1] for text in texts]
    assert np.isfinite(measure.statistics(TEST_SET, HYPOTHESES)).all()


def test_sparsemax_is_the_projection_onto_the_simplex() -> None:
    np.testing.assert_allclose(sparsemax(np.array([0.0, 0.0, 0.0])), [1 / 3] * 3)
    np.testing.assert_allclose(sparsemax(np.array([2.0, 0.0, -1.0])), [1, 0, 0])
    np.testing.assert_allclose(sparsemax(np.array([0.5, 0.3, -2.0])), [0.6, 0.4, 0])


def test_spans_end_before_the_end_of_the_text_and_have_the_first_severity() -> None:
    labels = ("O", "minor", "major", "critical")
    best = [0, 1, 2, 0, 3, 3]
    shares = np.array([[0.9 if at == label else 0.1 for at in range(4)] for label in best])
    places = [(0, 0), (0, 3), (4, 6), (7, 8), (9, 12), (0, 0)]
    assert decode_spans(shares, places, labels) == [Span(0, 6, "minor", pytest.approx(0.9))]
    assert penalty_score([]) == 1.0
    assert penalty_score([Span(0, 1, "major", 1.0), Span(2, 3, "minor", 1.0)]) == 0.76
    assert penalty_score([Span(0, 1, "critical", 1.0)] * 3) == 0.0
