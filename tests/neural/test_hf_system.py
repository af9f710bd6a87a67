"""Tiny random models as systems under test: plumbing, never quality."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from patmark.data.model import Segment, TestSet
from patmark.errors import UsageError
from patmark.systems import RunDataset, own_template, plan_run, run_to_files, task_of
from patmark.systems.huggingface import ModelSettings, ModelSystem, load_system

SOURCES = ["a valve comprising a housing", "the spring is made of steel", "a method", "said seat"]
TEMPLATE = own_template("translate")


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A causal model of two layers that knows letters and blanks."""
    import torch
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("gpt2")
    words = ["<unk>", "<end>", *" ".join(SOURCES).split(), "Translate"]
    vocabulary = {word: at for at, word in enumerate(dict.fromkeys(words))}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = Whitespace()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="<unk>", eos_token="<end>", model_max_length=400
    ).save_pretrained(folder)
    torch.manual_seed(3)
    config = GPT2Config(
        vocab_size=len(vocabulary), n_positions=400, n_embd=16, n_layer=2, n_head=2,
        initializer_range=0.5, bos_token_id=1, eos_token_id=1,
    )  # fmt: skip
    GPT2LMHeadModel(config).save_pretrained(folder)
    return str(folder)


def _bench(sources: list[str]) -> RunDataset:
    segments = tuple(Segment(str(at), text) for at, text in enumerate(sources))
    return RunDataset(TestSet(segments, "zh", "en"), "rows")


def _run(system: ModelSystem, sources: list[str], folder: Path) -> list[dict[str, Any]]:
    """The rows of a journal, which has failures as well."""
    task, bench = task_of("translate"), _bench(sources)
    plan = plan_run(system, task, bench.test_set, cleaning=False)
    ran = run_to_files(plan, bench, "tiny", str(folder / "out.jsonl"))
    return [row.to_json() for row in ran.finished.rows]


def _greedy(folder: str, text: str, most: int) -> list[int]:
    """Token after token by the argmax, one text alone: what decoding must give."""
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    network: Any = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    source = tokenizer(text, return_tensors="pt", return_token_type_ids=False)
    tokens = [network.config.decoder_start_token_id]
    for _ in range(most):
        with torch.no_grad():
            logits = network(**source, decoder_input_ids=torch.tensor([tokens])).logits[0, -1]
        tokens.append(int(logits.argmax()))
        if tokens[-1] == network.config.eos_token_id:
            break
    return tokens


def test_an_encoder_decoder_says_what_single_greedy_steps_say(bart: str, tmp_path: Path) -> None:
    system = load_system(ModelSettings(bart, max_tokens=6, batch=3), TEMPLATE, prompted=False)
    forced = system.network.generation_config
    forced.forced_eos_token_id = forced.forced_bos_token_id = None
    answers = system._generate(SOURCES)
    for source, answer in zip(SOURCES, answers, strict=True):
        tokens = _greedy(bart, source, 6)
        assert answer.text == system.tokenizer.decode(tokens, skip_special_tokens=True)
        assert answer.cut_off == (system.network.config.eos_token_id not in tokens[1:])


def test_rows_come_back_in_order_whatever_the_batches(bart: str, tmp_path: Path) -> None:
    found = []
    for batch in (1, 4):
        system = load_system(ModelSettings(bart, max_tokens=5, batch=batch), TEMPLATE,
                             prompted=False)  # fmt: skip
        folder = tmp_path / str(batch)
        folder.mkdir()
        found.append(_run(system, SOURCES, folder))
    assert found[0] == found[1]
    assert [row["id"] for row in found[0]] == ["0", "1", "2", "3"]


def test_a_text_that_is_too_long_fails_and_is_not_cut(bart: str, tmp_path: Path) -> None:
    system = load_system(ModelSettings(bart, max_tokens=5), TEMPLATE, prompted=False)
    rows = _run(system, ["a seat", "the valve " * 50], tmp_path)
    assert "the model reads 40" in rows[1]["failed"]
    listed = (tmp_path / "out.jsonl.failed.jsonl").read_text(encoding="utf-8").splitlines()
    assert "1" in [json.loads(line)["id"] for line in listed]


def test_a_causal_model_gets_the_prompt_and_gives_only_what_it_adds(gpt2: str) -> None:
    system = load_system(ModelSettings(gpt2, max_tokens=4, batch=2), TEMPLATE, prompted=False)
    assert system.causal and system.traits.chatty and "prompt" in system.traits.takes
    task = task_of("translate")
    items = task.items(_bench(SOURCES).test_set, system.traits)
    texts = [system._text(item) for item in items]
    assert all(source in text for source, text in zip(SOURCES, texts, strict=True))
    together = [answer.text for answer in system._generate(texts)]
    alone = [system._generate([text])[0].text for text in texts]
    assert together == alone
    assert all(len((text or "").split()) <= 4 for text in together)


def test_a_batch_that_breaks_the_model_fails_with_the_reason(
    bart: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = load_system(ModelSettings(bart, max_tokens=5, batch=1), TEMPLATE, prompted=False)
    generate = system.network.generate

    def scarce(**inputs: Any) -> Any:
        if inputs["input_ids"].shape[1] > 5:
            raise RuntimeError("CUDA out of memory")
        return generate(**inputs)

    monkeypatch.setattr(system.network, "generate", scarce)
    rows = _run(system, ["a seat", "the spring is made of steel"], tmp_path)
    assert rows[1]["failed"] == "the model failed: CUDA out of memory"
    assert "out of memory" not in str(rows[0])


def test_a_prompt_needs_room(gpt2: str, tmp_path: Path) -> None:
    system = load_system(ModelSettings(gpt2, max_tokens=400), TEMPLATE, prompted=False)
    with pytest.raises(UsageError, match="leaves no room"):
        _run(system, SOURCES, tmp_path)


def test_the_description_names_weights_and_libraries(bart: str) -> None:
    system = load_system(ModelSettings(bart, beams=2), TEMPLATE, prompted=False)
    assert "torch-" in system.description.version
    assert "beams=2" in system.description.signature
    assert system.description.prompt is None and system.traits.run_type == "NMT"


def test_what_cannot_be_loaded_or_is_unknown_is_refused(tmp_path: Path, bart: str) -> None:
    with pytest.raises(UsageError):
        load_system(ModelSettings(str(tmp_path)), TEMPLATE, prompted=False)
    with pytest.raises(UsageError, match="model_lang="):
        ModelSettings(bart, languages="eng")
    with pytest.raises(UsageError, match="device"):
        ModelSettings(bart, device="tpu")
    system = load_system(ModelSettings(bart, languages="xx:nowhere"), TEMPLATE, prompted=False)
    with pytest.raises(UsageError, match="no language 'nowhere'"):
        system._generate(["a seat"])
