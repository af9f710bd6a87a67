from .claim_references import (
    ClaimLayout as ClaimLayout,
)
from .claim_references import (
    ClaimReference as ClaimReference,
)
from .claim_references import (
    Claims as Claims,
)
from .claim_references import (
    claim_layout as claim_layout,
)
from .dictionaries import (
    Dictionary as Dictionary,
)
from .dictionaries import (
    Glossary as Glossary,
)
from .dictionaries import (
    joined_glossaries as joined_glossaries,
)
from .dictionaries import (
    plain_headword as plain_headword,
)
from .dictionaries import (
    read_cedict as read_cedict,
)
from .dictionaries import (
    read_dictionary as read_dictionary,
)
from .dictionaries import (
    read_glossary as read_glossary,
)
from .english import (
    Lemmatizer as Lemmatizer,
)
from .english import (
    english_lemmas as english_lemmas,
)
from .english import (
    lemmatizer_version as lemmatizer_version,
)
from .english import (
    simple_lemma as simple_lemma,
)
from .english import (
    tokenize_treebank as tokenize_treebank,
)
from .folding import (
    Folded as Folded,
)
from .folding import (
    fold as fold,
)
from .folding import (
    language_of as language_of,
)
from .phrases import (
    Phrase as Phrase,
)
from .phrases import (
    Word as Word,
)
from .phrases import (
    content_words as content_words,
)
from .phrases import (
    content_words_version as content_words_version,
)
from .phrases import (
    phrases as phrases,
)
from .phrases import (
    rough_sentence_spans as rough_sentence_spans,
)
from .phrases import (
    singular as singular,
)
from .quantities import (
    Certainty as Certainty,
)
from .quantities import (
    Quantity as Quantity,
)
from .quantities import (
    compatible as compatible,
)
from .quantities import (
    find_quantities as find_quantities,
)
from .quantities import (
    match_unit as match_unit,
)
from .quantities import (
    parse_han as parse_han,
)
from .scripts import (
    CJK as CJK,
)
from .scripts import (
    HAN as HAN,
)
from .scripts import (
    HANGUL as HANGUL,
)
from .scripts import (
    KANA as KANA,
)
from .scripts import (
    foreign_script as foreign_script,
)
from .scripts import (
    has_cjk as has_cjk,
)
from .scripts import (
    has_han as has_han,
)
from .scripts import (
    has_kana as has_kana,
)
from .sentences import (
    is_paragraph_number as is_paragraph_number,
)
from .sentences import (
    split_clauses as split_clauses,
)
from .sentences import (
    split_sentences as split_sentences,
)
from .stems import (
    porter_stem as porter_stem,
)
from .stems import (
    snowball_stem as snowball_stem,
)
from .stems import (
    snowball_version as snowball_version,
)
from .tokenizers import (
    TOKENIZERS as TOKENIZERS,
)
from .tokenizers import (
    WordSpans as WordSpans,
)
from .tokenizers import (
    find_words as find_words,
)
from .tokenizers import (
    jieba_words as jieba_words,
)
from .tokenizers import (
    mecab_version as mecab_version,
)
from .tokenizers import (
    resolve_tokenizer as resolve_tokenizer,
)
from .tokenizers import (
    tokenize as tokenize,
)
from .tokenizers import (
    tokenize_all as tokenize_all,
)
from .tokenizers import (
    tokenize_ja_mecab as tokenize_ja_mecab,
)
from .tokenizers import (
    tokenize_zh_words as tokenize_zh_words,
)
from .tokenizers import (
    tokenizer_signature as tokenizer_signature,
)
from .tokenizers import (
    word_spans as word_spans,
)
from .tokenizers import (
    words_version as words_version,
)
from .tokenizers import (
    zh_words_version as zh_words_version,
)
from .wordnet import (
    WORDNET_VERSION as WORDNET_VERSION,
)
from .wordnet import (
    synonyms as synonyms,
)
from .wordnet import (
    synsets_of_lemmas as synsets_of_lemmas,
)
