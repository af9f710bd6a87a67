from .base import (
    Language as Language,
    Row as Row,
    WordTable as WordTable,
    escaped as escaped,
    split_alternatives as split_alternatives,
)
from .claim_splitting import (
    Chunk as Chunk,
    Piece as Piece,
    after_blanks as after_blanks,
    before_blanks as before_blanks,
    has_claim_style as has_claim_style,
    plain_form as plain_form,
    split_claims as split_claims,
    stops_outside_brackets as stops_outside_brackets,
)
from .detection import (
    detect_language as detect_language,
)
from .en.numerals import (
    ENGLISH_CARDINALS as ENGLISH_CARDINALS,
    ENGLISH_MAGNITUDES as ENGLISH_MAGNITUDES,
    ENGLISH_ORDINAL as ENGLISH_ORDINAL,
    ENGLISH_ORDINALS as ENGLISH_ORDINALS,
    MONTHS as MONTHS,
    parse_english as parse_english,
    scaled_english_digits as scaled_english_digits,
)
from .english import (
    Lemmatizer as Lemmatizer,
    english_lemmas as english_lemmas,
    lemmatizer_version as lemmatizer_version,
    simple_lemma as simple_lemma,
    tokenize_treebank as tokenize_treebank,
)
from .folding import (
    Folded as Folded,
    fold as fold,
    simplified as simplified,
    simplified_japanese as simplified_japanese,
)
from .ja.loanwords import (
    english_sounds as english_sounds,
    loanword_sounds as loanword_sounds,
    sound_keys as sound_keys,
    sounds_like as sounds_like,
)
from .notation import (
    BARE_SIGN as BARE_SIGN,
    ENGLISH_DIGIT_ORDINAL as ENGLISH_DIGIT_ORDINAL,
    FIGURE_MENTION as FIGURE_MENTION,
    FIGURE_START as FIGURE_START,
    HAN_NUMBER as HAN_NUMBER,
    REFERENCE_SIGN as REFERENCE_SIGN,
    TABLE_MENTION as TABLE_MENTION,
)
from .numbers import (
    Certainty as Certainty,
    NumberReader as NumberReader,
    covered as covered,
    fraction_value as fraction_value,
    plain_value as plain_value,
)
from .patterns import PhrasePattern as PhrasePattern
from .phrases import (
    ContentWord as ContentWord,
    Phrase as Phrase,
    content_words as content_words,
    content_words_version as content_words_version,
    has_content_words as has_content_words,
    is_common_noun as is_common_noun,
    phrases as phrases,
    rough_sentence_spans as rough_sentence_spans,
    singular as singular,
)
from .registry import (
    DEFAULT_LANGUAGE as DEFAULT_LANGUAGE,
    GLOSS_LANGUAGE as GLOSS_LANGUAGE,
    both_languages as both_languages,
    function_words as function_words,
    joint_pattern as joint_pattern,
    language as language,
    language_code as language_code,
    language_pair as language_pair,
    office_language as office_language,
    packs as packs,
    shared_pack as shared_pack,
    taken_for_country as taken_for_country,
)
from .scripts import (
    CJK as CJK,
    HAN as HAN,
    HANGUL as HANGUL,
    KANA as KANA,
    KATAKANA as KATAKANA,
    fits_language as fits_language,
    foreign_language as foreign_language,
    foreign_script as foreign_script,
    has_cjk as has_cjk,
    has_han as has_han,
    has_kana as has_kana,
    in_latin_letters as in_latin_letters,
    language_of as language_of,
    mostly_spaced as mostly_spaced,
    written_in as written_in,
)
from .sentences import (
    clause_spans as clause_spans,
    is_paragraph_number as is_paragraph_number,
    join_sentences as join_sentences,
    sentence_spans as sentence_spans,
    split_clauses as split_clauses,
    split_sentences as split_sentences,
)
from .stems import (
    porter_stem as porter_stem,
    snowball_stem as snowball_stem,
    snowball_version as snowball_version,
)
from .tokenizers import (
    ASIAN_MARKS as ASIAN_MARKS,
    TOKENIZERS as TOKENIZERS,
    UNSPACED_LANGUAGES as UNSPACED_LANGUAGES,
    WORD_TOKENIZERS as WORD_TOKENIZERS,
    WordSpans as WordSpans,
    find_words as find_words,
    japanese_words as japanese_words,
    jieba_words as jieba_words,
    mecab_version as mecab_version,
    resolve_tokenizer as resolve_tokenizer,
    segmented_words as segmented_words,
    tokenize as tokenize,
    tokenize_all as tokenize_all,
    tokenize_ja_mecab as tokenize_ja_mecab,
    tokenize_zh_words as tokenize_zh_words,
    tokenizer_signature as tokenizer_signature,
    word_spans as word_spans,
    words_version as words_version,
    zh_words_version as zh_words_version,
)
from .wordnet import (
    WORDNET_VERSION as WORDNET_VERSION,
    is_only_verb as is_only_verb,
    synonyms as synonyms,
    synsets as synsets,
    synsets_of_lemmas as synsets_of_lemmas,
)
from .workspace import (
    kept_in_workspace as kept_in_workspace,
    workspace as workspace,
)
from .zh.numerals import (
    HAN_NUMERAL as HAN_NUMERAL,
    counts_in_order as counts_in_order,
    parse_han as parse_han,
    scaled_han_digits as scaled_han_digits,
    whole_han as whole_han,
)
