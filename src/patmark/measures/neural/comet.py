"""COMET, CometKiwi and xCOMET from their published checkpoints, without unbabel-comet.

A checkpoint is a folder with ``hparams.yaml`` and ``checkpoints/model.ckpt``, as PyTorch Lightning
writes it. It contains its encoder, but not the tokenizer and the configuration, which come from the
model in ``hparams.yaml``. Arithmetic and truncation are those of unbabel-comet 2.2.7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, ClassVar, NamedTuple, cast

import numpy as np

from patmark.catalogue import load_library
from patmark.data import (
    NO_CATEGORY,
    Annotation,
    Annotations,
    Evidence,
    FloatArray,
    Rating,
    Run,
    TestSet,
)
from patmark.errors import UsageError
from patmark.measures.base import Judged
from patmark.measures.neural.base import (
    Checkpoint,
    Layout,
    NeuralModel,
    device_for,
    find_model,
    find_settings,
    library_versions,
    load_tokenizer,
    quiet,
    why_not_loaded,
)
from patmark.measures.neural.comet_settings import (
    REGRESSION,
    SEVERITIES,
    UNIFIED,
    XCOMET_CLASS,
    CometSettings,
    read_settings,
)
from patmark.measures.neural.tokens import Frame, Ids, batches, padded
from patmark.measures.neural.translation import TranslationMetric, Triple, TripleScores

LIGHTNING = Layout(
    ("checkpoints/*.ckpt",),
    ("hparams.yaml",),
    "hparams.yaml",
    "hparams.yaml and checkpoints/model.ckpt are expected, as COMET models are published",
)
_RESERVE = 2  # tokens that unbabel-comet reserves in a separately read text
_ENCODER, _HEAD, _TAGGER = "encoder.model.", "estimator.ff.", "hidden2tag."
_MIX = "layerwise_attention."
_NO_WEIGHTS = ("position_ids", "dropout_mask", "dropout_fill", "pooler.")
_NO_ERROR = "O"
_PENALTIES = dict(zip(SEVERITIES, (1.0, 5.0, 10.0), strict=True))
_WORST = 25.0
_SCORE_WEIGHTS = (0.12, 0.33, 0.33, 0.22)
"""Weights of the parts of xCOMET: by source, by reference, by both, and by the error spans."""
_SPAN_WEIGHTS = (0.1667, 0.3333, 0.5)


@dataclass(frozen=True, eq=False)
class CometModel(NeuralModel):
    """An encoder with the layers of COMET.

    ``mix`` are the weights of the layers; None if the settings select one layer. ``tagger`` gives
    the error severity of each token.
    """

    settings: CometSettings
    encoder_settings: str
    mix: Any
    head: Any
    tagger: Any

    def limit(self, asked: int) -> int:
        """Return the longest input in tokens: the positions of the encoder."""
        most = int(self.network.config.max_position_embeddings) - 2
        if asked > most:
            raise UsageError(f"limit={asked} is beyond the {most} positions of the model")
        return asked or most

    def encode(self, inputs: Mapping[str, Any]) -> tuple[Any, Any]:
        """Return the mixed layers of each token, and those of the error tagging layer."""
        layers = self.run(**inputs, output_hidden_states=True).hidden_states
        mask = inputs["attention_mask"].to(self.device)
        if self.mix is None:
            mixed = layers[self.settings.layer].float()
        else:
            mixed = self._mixed(layers, mask)
        words = None if self.tagger is None else layers[self.settings["word_layer"]].float()
        return mixed, words

    def _mixed(self, layers: Sequence[Any], mask: Any) -> Any:
        """Return the weighted sum of all layers, each normalised over its text if so trained."""
        total: Any = 0
        shown = mask[..., None].float()
        for weight, layer in zip(self.mix, layers, strict=True):
            values = layer.float()
            if self.settings["layer_norm"]:
                count = mask.sum(1).float()[:, None, None] * values.shape[-1]
                mean = (values * shown).sum((1, 2), keepdim=True) / count
                spread = (((values - mean) * shown) ** 2).sum((1, 2), keepdim=True) / count
                values = (values - mean) / (spread + 1e-12).sqrt()
            total = total + weight * values
        return total

    def pooled(self, mixed: Any, mask: Any) -> Any:
        """Return one vector for each text."""
        way = self.settings["pool"]
        if way == "cls":
            return mixed[:, 0]
        shown = mask.to(self.device)[..., None].float()
        if way == "avg":
            return (mixed * shown).sum(1) / shown.sum(1)
        return mixed.masked_fill(shown == 0, float("-inf")).max(1).values


@lru_cache(maxsize=2)
def load_comet(checkpoint: Checkpoint, encoder: str, device: str, dtype: str) -> CometModel:
    """Load a checkpoint; ``encoder`` names its tokenizer if hparams.yaml does not."""
    torch, transformers = load_library("torch", "neural"), load_library("transformers", "neural")
    settings, state = _read(checkpoint)
    folder, encoder_settings = find_settings(_encoder_of(checkpoint, encoder, settings))
    try:
        with quiet(transformers):
            tokenizer = load_tokenizer(folder)
            config = transformers.AutoConfig.from_pretrained(
                folder, local_files_only=True, trust_remote_code=False
            )
            network = transformers.AutoModel.from_config(
                config, trust_remote_code=False, add_pooling_layer=False
            )
    except UsageError:
        raise
    except Exception as error:  # tokenizers raises no more specific exception
        raise UsageError(
            f"{folder} gives no tokenizer and configuration of the encoder "
            f"{settings.get('pretrained_model')!r}: {why_not_loaded(error)}"
        ) from error
    try:
        report = network.load_state_dict(_part(state, _ENCODER), strict=False)
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1].strip()
        raise UsageError(
            f"{checkpoint.folder} does not fit the encoder {folder}: {reason}"
        ) from None
    left = [key for key in report.unexpected_keys if not any(part in key for part in _NO_WEIGHTS)]
    if left:
        raise UsageError(f"{checkpoint.folder} does not fit the encoder {folder}: {left[0]}")
    last = int(config.num_hidden_layers)
    settings.check_layers(last)
    head, no_head = _head(settings, _part(state, _HEAD))
    mix, no_mix = _layer_weights(settings, _part(state, _MIX), last + 1)
    tags = _part(state, _TAGGER) if settings.kind == XCOMET_CLASS else {}
    return CometModel(
        network.eval().to(getattr(torch, dtype)).to(device), tokenizer, device, checkpoint,
        (*report.missing_keys, *no_head, *no_mix), library_versions(),
        settings, encoder_settings, None if mix is None else mix.to(device),
        head.to(device), _linear(tags["weight"], tags["bias"]).to(device) if tags else None,
    )  # fmt: skip


def _read(checkpoint: Checkpoint) -> tuple[CometSettings, dict[str, Any]]:
    """Read hyperparameters and weights; run no code of a checkpoint."""
    torch = load_library("torch", "neural")
    [path] = LIGHTNING.files(checkpoint.folder)[:1]
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        raise UsageError(
            f"{path} holds more than weights, or is no checkpoint, and programs in it are not run: "
            f"{str(error).strip().splitlines()[0]} docs/measures/comet.md says how to clean it"
        ) from error
    if not isinstance(content, dict) or not isinstance(content.get("state_dict"), dict):
        raise UsageError(f"{path} has no state_dict, as checkpoints of COMET have")
    hparams = checkpoint.folder / LIGHTNING.required
    return read_settings(hparams, path, content.get("hyper_parameters")), content["state_dict"]


def _encoder_of(checkpoint: Checkpoint, asked: str, settings: CometSettings) -> str:
    """Find tokenizer and configuration: as given, beside the checkpoint, or on the hub."""
    if asked:
        return asked
    named = settings.get("pretrained_model")
    if not named:
        raise UsageError(
            f"{checkpoint.folder / LIGHTNING.required}: pretrained_model is missing; name the "
            "encoder with encoder="
        )
    beside = checkpoint.folder / str(named)
    return str(beside) if beside.is_dir() else str(named)


def _part(state: Mapping[str, Any], start: str) -> dict[str, Any]:
    """Return the weights with a name prefix, without the prefix."""
    return {name[len(start) :]: one for name, one in state.items() if name.startswith(start)}


def _linear(weight: Any, bias: Any) -> Any:
    import torch

    layer = torch.nn.Linear(weight.shape[1], weight.shape[0])
    layer.load_state_dict({"weight": weight, "bias": bias})
    return layer.float().eval()


def _head(settings: CometSettings, weights: Mapping[str, Any]) -> tuple[Any, list[str]]:
    """Return the feed-forward network of the score, and the missing parameters.

    Its numbers count linear layers, activations and dropout, which has no effect here.
    """
    import torch

    sizes = [*settings["hidden_sizes"], 1]
    names = [f"{3 * at}.{part}" for at in range(len(sizes)) for part in ("weight", "bias")]
    missing = [_HEAD + name for name in names if name not in weights]
    if missing:
        return torch.nn.Sequential(), missing
    found = [len(weights[f"{3 * at}.bias"]) for at in range(len(sizes))]
    if found != sizes:
        raise settings.error("hidden_sizes", f"the weights have {found}, and the last must be 1")
    kinds = [*[settings["activations"]] * (len(sizes) - 1), settings.get("final_activation")]
    layers: list[Any] = []
    for at, kind in enumerate(kinds):
        layers.append(_linear(weights[f"{3 * at}.weight"], weights[f"{3 * at}.bias"]))
        if kind is not None:
            layers.append(getattr(torch.nn, kind.title())())
    return torch.nn.Sequential(*layers), []


def _layer_weights(
    settings: CometSettings, weights: Mapping[str, Any], count: int
) -> tuple[Any, list[str]]:
    """Return the weights of the layer mix, if there is one, and the missing parameters."""
    import torch

    if settings.layer is not None:
        return None, []
    scalars = [f"scalar_parameters.{at}" for at in range(count)]
    missing = [_MIX + name for name in (*scalars, "gamma") if name not in weights]
    if missing:
        return None, missing
    stated = torch.cat([weights[name] for name in scalars]).double().numpy()
    shares = (sparsemax if settings.sparse else _softmax)(stated)
    return torch.from_numpy(shares).float() * weights["gamma"].float(), []


def _softmax(values: FloatArray) -> FloatArray:
    powers = np.exp(values - values.max())
    return np.asarray(powers / powers.sum())


def sparsemax(values: FloatArray) -> FloatArray:
    """Return the nearest point of the simplex, with some shares 0 (Martins, Astudillo 2016)."""
    ordered = np.sort(values)[::-1]
    sums = np.cumsum(ordered)
    counts = np.arange(1, len(values) + 1)
    support = int(np.count_nonzero(1 + counts * ordered > sums))
    return np.asarray(np.maximum(values - (sums[support - 1] - 1) / support, 0.0))


class _Text(NamedTuple):
    """The tokens of a text without special ones, and their places in it."""

    ids: Ids
    spans: tuple[tuple[int, int], ...]

    def cut(self, most: int) -> _Text:
        return _Text(self.ids[:most], self.spans[:most])


def _texts(tokenizer: Any, texts: Sequence[str]) -> dict[str, _Text]:
    """Return the tokens of each different text, at full length."""
    different = list(dict.fromkeys(texts))
    encoded = tokenizer(
        different, add_special_tokens=False, truncation=False, verbose=False,
        return_offsets_mapping=True,
    )  # fmt: skip
    rows = zip(different, encoded["input_ids"], encoded["offset_mapping"], strict=True)
    return {text: _Text(tuple(ids), tuple(map(tuple, spans))) for text, ids, spans in rows}


@dataclass(frozen=True, kw_only=True)
class _Comet(TranslationMetric):
    """Common parts of COMET, CometKiwi and XCOMET."""

    guide = "measures/comet.md"
    identifier: ClassVar[str]
    sides: ClassVar[tuple[str, ...]] = ("hypothesis", "source", "reference")

    encoder: Annotated[
        str, "folder or id of the encoder's tokenizer; default: that of hparams.yaml"
    ] = ""

    def _load(self) -> CometModel:
        checkpoint = find_model(self.model, self.revision, LIGHTNING)
        model = load_comet(checkpoint, self.encoder, device_for(self.device), self.dtype)
        found = model.settings.kind
        if found != self.identifier:
            raise UsageError(
                f"{self.name}: the checkpoint is a {found}, and {self.label} reads a "
                f"{self.identifier}"
            )
        return model

    def comet(self) -> CometModel:
        """Return the loaded model."""
        return cast("CometModel", self.loaded())

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        return super()._signature_parts(test_set) | {"encoder": self.comet().encoder_settings}

    def _tokens(
        self, model: CometModel, triples: Sequence[Triple]
    ) -> tuple[dict[str, _Text], FloatArray]:
        """Tokenize all texts, each truncated to its limit, and mark the truncated ones."""
        most = model.limit(self.limit) - _RESERVE - Frame.of(model.tokenizer).size
        if most < 1:
            raise UsageError(f"{self.name}: limit={self.limit} leaves no room for a text")
        columns = {side: [getattr(one, side) for one in triples] for side in self.sides}
        tokens = _texts(model.tokenizer, [text for column in columns.values() for text in column])
        lengths = {side: [len(tokens[text].ids) for text in own] for side, own in columns.items()}
        cut = self.cut_flags(triples, lengths, most)
        return {text: own.cut(most) for text, own in tokens.items()}, cut


@dataclass(frozen=True, kw_only=True)
class COMET(_Comet):
    """COMET: a regression on vectors of source, translation and reference."""

    label = "COMET"
    description = "learned score of translation, source and reference, about 0–1"
    formula = "regression on the vectors of translation, source and reference"
    citation = "Rei et al. 2020, 2022; unbabel-comet 2.2.7"
    example = "Unbabel/wmt22-comet-da"
    identifier = REGRESSION

    def longest_input(self) -> int:
        return super().longest_input() - _RESERVE

    def _judge(self, triples: Sequence[Triple]) -> TripleScores:
        import torch

        model = self.comet()
        tokens, cut = self._tokens(model, triples)
        place = {text: at for at, text in enumerate(tokens)}
        vectors = self._vectors(model, [one.ids for one in tokens.values()])
        scores = np.zeros(len(triples))
        for start in range(0, len(triples), self.batch):
            some = triples[start : start + self.batch]
            source, output, reference = (
                vectors[[place[getattr(one, side)] for one in some]]
                for side in ("source", "hypothesis", "reference")
            )
            features = torch.cat(
                [
                    output, reference, output * reference, (output - reference).abs(),
                    output * source, (output - source).abs(),
                ],
                dim=1,
            )  # fmt: skip
            with torch.no_grad():
                scores[start : start + len(some)] = model.head(features).view(-1).cpu().numpy()
        return TripleScores(scores, cut)

    def _vectors(self, model: CometModel, texts: Sequence[Ids]) -> Any:
        """Return one vector for each text."""
        import torch

        frame = Frame.of(model.tokenizer)
        rows = [frame.around(ids) for ids in texts]
        vectors = torch.zeros((len(rows), model.network.config.hidden_size), device=model.device)
        for places in batches([len(row) for row in rows], self.batch):
            inputs = padded([rows[at] for at in places], model.tokenizer.pad_token_id)
            mixed, _ = model.encode(inputs)
            vectors[places] = model.pooled(mixed, inputs["attention_mask"])
        return vectors


@dataclass(frozen=True, kw_only=True)
class _Unified(_Comet):
    """A regression on the first token of jointly read texts."""

    def _joint(
        self, model: CometModel, rows: Sequence[Ids]
    ) -> Iterator[tuple[list[int], FloatArray, FloatArray]]:
        """Yield places in the rows, their scores, and the error label shares of each token.

        A model without error tagging has no labels.
        """
        import torch

        for places in batches([len(row) for row in rows], self.batch):
            inputs = padded([rows[at] for at in places], model.tokenizer.pad_token_id)
            mixed, words = model.encode(inputs)
            with torch.no_grad():
                scores = model.head(mixed[:, 0]).view(-1).cpu().numpy()
                marked = mixed[..., :0] if words is None else model.tagger(words).softmax(-1)
                shares = marked.cpu().numpy()
            yield places, scores, shares

    def _rows(
        self, model: CometModel, triples: Sequence[Triple], tokens: Mapping[str, _Text],
        sides: Sequence[str],
    ) -> tuple[list[Ids], FloatArray]:  # fmt: skip
        """Return the texts of these sides in one row each, and where a row was cut."""
        frame, most = Frame.of(model.tokenizer, 2), model.limit(self.limit)
        rows = []
        for one in triples:
            parts = [tokens[getattr(one, side)].ids for side in sides]
            joined = parts[0]
            for part in parts[1:]:
                joined = joined + frame.between + part
            rows.append(frame.before + joined + frame.after)
        cut = self.cut_flags(triples, {"input": [len(row) for row in rows]}, most)
        return [row[:most] for row in rows], cut


@dataclass(frozen=True, kw_only=True)
class CometKiwi(_Unified):
    """CometKiwi: COMET without a reference, on translation and source read together."""

    label = "CometKiwi"
    description = "learned score of translation and source, without reference, 0–1"
    formula = "regression on translation and source read together"
    citation = "Rei et al. 2022 (WMT); unbabel-comet 2.2.7"
    example = "Unbabel/wmt22-cometkiwi-da"
    needs = frozenset({"source"})
    identifier = UNIFIED
    sides: ClassVar[tuple[str, ...]] = ("hypothesis", "source")

    def _load(self) -> CometModel:
        model = super()._load()
        read = model.settings.get("input_segments")
        if read is not None and "src" not in read:
            raise UsageError(f"{self.name}: the checkpoint reads {', '.join(read)} and no source")
        return model

    def _judge(self, triples: Sequence[Triple]) -> TripleScores:
        model = self.comet()
        tokens, cut = self._tokens(model, triples)
        rows, joint_cut = self._rows(model, triples, tokens, self.sides)
        scores = np.zeros(len(rows))
        for places, found, _ in self._joint(model, rows):
            scores[places] = found
        return TripleScores(scores, np.maximum(cut, joint_cut))


class Span(NamedTuple):
    """An error that xCOMET sees: characters of the translation, severity, mean probability."""

    start: int
    end: int
    severity: str
    confidence: float


def decode_spans(
    shares: FloatArray, places: Sequence[tuple[int, int]], labels: Sequence[str]
) -> list[Span]:
    """Return sequences of tokens with an error label, each with the severity of its first token.

    ``shares`` are (tokens, labels), ``labels`` begin with that of no error. As in unbabel-comet, a
    sequence that reaches the last token is no span.
    """
    spans: list[Span] = []
    run: list[int] = []
    best = shares.argmax(axis=1)
    for at, label in enumerate(best):
        if label:
            run.append(at)
        elif run:
            sure = float(np.mean(shares[run, best[run]]))
            spans.append(Span(places[run[0]][0], places[run[-1]][1], labels[best[run[0]]], sure))
            run = []
    return spans


def penalty_score(spans: Sequence[Span]) -> float:
    """Return the MQM score of error spans, from 0 (25 points and more) to 1."""
    points = sum(_PENALTIES[span.severity] for span in spans)
    return (_WORST - min(points, _WORST)) / _WORST


@dataclass(frozen=True, kw_only=True)
class XCOMET(_Unified):
    """xCOMET: a score from source, reference and the error spans that the model marks."""

    label = "XCOMET"
    description = "learned score with error spans, of source and reference, 0–1"
    formula = "weighted mean of three regressions and of the points of the marked errors"
    citation = "Guerreiro et al. 2024; unbabel-comet 2.2.7"
    example = "Unbabel/XCOMET-XL"
    identifier = XCOMET_CLASS
    inputs: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("hypothesis", "source"),
        ("hypothesis", "reference"),
        ("hypothesis", "source", "reference"),
    )
    score_weights: ClassVar[tuple[float, ...]] = _SCORE_WEIGHTS
    span_weights: ClassVar[tuple[float, ...]] = _SPAN_WEIGHTS

    def _load(self) -> CometModel:
        model = super()._load()
        if model.tagger is None:
            raise UsageError(f"{self.name}: the checkpoint marks no errors (hidden2tag is missing)")
        return model

    def _judge(self, triples: Sequence[Triple]) -> TripleScores:
        scores, cut, _ = self._with_spans(triples)
        return TripleScores(scores, cut)

    def _with_spans(
        self, triples: Sequence[Triple]
    ) -> tuple[FloatArray, FloatArray, list[list[Span]]]:
        """Return scores, cuts and error spans of each triple."""
        model = self.comet()
        tokens, cut = self._tokens(model, triples)
        outputs = [tokens[one.hypothesis] for one in triples]
        frame = Frame.of(model.tokenizer)
        lengths = [len(frame.around(own.ids)) for own in outputs]
        labels = (_NO_ERROR, *SEVERITIES)
        scores = np.zeros(len(triples))
        shares = [np.zeros((length, len(labels))) for length in lengths]
        weights = zip(self.inputs, self.score_weights, self.span_weights, strict=False)
        for sides, score_weight, span_weight in weights:
            rows, joint_cut = self._rows(model, triples, tokens, sides)
            cut = np.maximum(cut, joint_cut)
            for places, found, labelled in self._joint(model, rows):
                scores[places] += score_weight * np.minimum(found, 1.0)
                for row, at in enumerate(places):
                    shares[at] += span_weight * labelled[row, : lengths[at]]
        spans = []
        for own, share in zip(outputs, shares, strict=True):
            outside = ((0, 0),)
            spans.append(decode_spans(share, (*outside, *own.spans, *outside), labels))
        penalties = np.array([penalty_score(found) for found in spans])
        return scores + self.score_weights[-1] * penalties, cut, spans

    def judge(self, test_set: TestSet, run: Run) -> Judged:
        self._check(test_set, run.texts)
        statistics, spans = self._judged_spans(test_set, run)
        evidence = tuple(
            tuple(
                Evidence("hypothesis", span.start, span.end,
                         f"{span.severity} ({span.confidence:.2f})", span.severity)
                for span in found
                if span.start < span.end
            )
            for found in spans
        )  # fmt: skip
        return Judged(statistics, evidence)

    def annotations(self, test_set: TestSet, run: Run) -> Annotations:
        """Return the errors that the model marks in the answers of a system, as annotations."""
        self._check(test_set, run.texts)
        _, spans = self._judged_spans(test_set, run)
        rated = tuple(
            Rating(run.system, segment.id, self.name, document=segment.document)
            for segment in test_set
        )
        return Annotations(
            rated,
            tuple(
                Annotation(*rating.key, span.start, span.end, "target", NO_CATEGORY, span.severity)
                for rating, found in zip(rated, spans, strict=True)
                for span in found
                if span.start < span.end
            ),
        )

    def _judged_spans(self, test_set: TestSet, run: Run) -> tuple[FloatArray, list[list[Span]]]:
        """Return statistics and spans of each segment by its best reference."""
        judged, texts, segments = self._judged(test_set, run.texts)
        triples, layout = self._triples(judged, texts)
        scores, cut, spans = self._with_spans(triples)
        chosen = self._chosen(scores, triples, layout)
        statistics = np.zeros((len(test_set), self.width))
        statistics[segments] = np.column_stack([scores[chosen], np.ones(len(chosen)), cut[chosen]])
        shown: list[list[Span]] = [[] for _ in test_set]
        for segment, at in zip(segments, chosen, strict=True):
            shown[segment] = spans[at]
        return statistics, shown


@dataclass(frozen=True, kw_only=True)
class XCOMETQE(XCOMET):
    """xCOMET without a reference."""

    label = "XCOMET-QE"
    description = "learned score with error spans, of the source alone, 0–1"
    formula = "weighted mean of one regression and of the points of the marked errors"
    needs = frozenset({"source"})
    sides: ClassVar[tuple[str, ...]] = ("hypothesis", "source")
    inputs: ClassVar[tuple[tuple[str, ...], ...]] = (("hypothesis", "source"),)
    score_weights: ClassVar[tuple[float, ...]] = (sum(_SCORE_WEIGHTS[:3]), _SCORE_WEIGHTS[3])
    span_weights: ClassVar[tuple[float, ...]] = (1.0,)
