"""The languages: the packs by code, and one parser of tags: ``zh``, ``zh-Hant``, ``zh-CN-en``.

No other module lists language codes. Packs of other distributions are entry points of the group
``patmark.languages`` that name a :class:`Language`.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from patmark.errors import UsageError
from patmark.languages.base import NEVER, Language
from patmark.wording import setting

PACK_GROUP = "patmark.languages"
"""The group of entry points by which other distributions add packs."""
_FOLDER = Path(__file__).parent
_FIRST = ("en", "zh", "ja", "de", "fr", "ko")  # the order in which their words are tried
_SHARED = "any"
DEFAULT_LANGUAGE = "en"
"""The language of a text if none is named."""
GLOSS_LANGUAGE = "en"
"""The language into which the dictionaries of the packs translate."""


@cache
def packs() -> tuple[Language, ...]:
    """Return the languages with a pack: the bundled ones, then those of other distributions."""
    folders = sorted(
        {path.parent.name for path in _FOLDER.glob("*/pack.toml")} - {_SHARED, *_FIRST}
    )
    return (*map(language, (*_FIRST, *folders)), *_others())


@cache
def _others() -> tuple[Language, ...]:
    """Return the packs of other distributions."""
    from importlib.metadata import entry_points

    found = (entry.load() for entry in entry_points(group=PACK_GROUP))
    return tuple(sorted(found, key=lambda pack: str(pack.code)))


@cache
def shared_pack() -> Language:
    """Return the pack of signs and symbols that every language shares."""
    return language(_SHARED)


def joint_pattern(subject: str, *groups: str, at_word: bool = False) -> str:
    """Return a regular expression for the forms of groups in all languages.

    With ``at_word``, forms of languages with blanks match at the beginning of a word only.
    """
    found = []
    for pack in packs():
        begin = r"\b" if at_word and not pack.is_dense else ""
        tables = (pack.table(subject).pattern(group) for group in groups)
        found += [f"{begin}(?:{pattern})" for pattern in tables if pattern != NEVER]
    return "|".join(found) or NEVER


@cache
def language(code: str) -> Language:
    """Return a language by its code; without a pack, all its tables are empty."""
    if (_FOLDER / code / "pack.toml").is_file():
        return Language.read(code, _FOLDER / code)
    return next((pack for pack in _others() if pack.code == code), Language(code, name=code))


@cache
def function_words(use: str, code: str | None = None) -> frozenset[str]:
    """Return the function words of a language, or of all, for a use: phrases, glosses, alignment.

    They are the lists of ``function_words.toml``; their heads say what each use is.
    """
    chosen = packs() if code is None else (language(code),)
    return frozenset().union(*(pack.table("function_words").words(use) for pack in chosen))


# A language of ISO 639-1, then its three-letter codes.
_ISO_639 = """
    aa aar|ab abk|ae ave|af afr|ak aka|am amh|an arg|ar ara arb|as asm|av ava|ay aym|az aze azj
    ba bak|be bel|bg bul|bi bis|bm bam|bn ben|bo bod tib|br bre|bs bos|ca cat|ce che|ch cha
    co cos|cr cre|cs ces cze|cu chu|cv chv|cy cym wel|da dan|de deu ger|dv div|dz dzo|ee ewe
    el ell gre|en eng|eo epo|es spa|et est|eu eus baq|fa fas per pes|ff ful|fi fin|fj fij|fo fao
    fr fra fre|fy fry|ga gle|gd gla|gl glg|gn grn|gu guj|gv glv|ha hau|he heb|hi hin|ho hmo
    hr hrv|ht hat|hu hun|hy hye arm|hz her|ia ina|id ind|ie ile|ig ibo|ii iii|ik ipk|io ido
    is isl ice|it ita|iu iku|ja jpn|jv jav|ka kat geo|kg kon|ki kik|kj kua|kk kaz|kl kal|km khm
    kn kan|ko kor|kr kau|ks kas|ku kur|kv kom|kw cor|ky kir|la lat|lb ltz|lg lug|li lim|ln lin
    lo lao|lt lit|lu lub|lv lav lvs|mg mlg|mh mah|mi mri mao|mk mkd mac|ml mal|mn mon khk|mr mar
    ms msa may|mt mlt|my mya bur|na nau|nb nob|nd nde|ne nep npi|ng ndo|nl nld dut|nn nno|no nor
    nr nbl|nv nav|ny nya|oc oci|oj oji|om orm|or ori ory|os oss|pa pan|pi pli|pl pol|ps pus pbt
    pt por|qu que|rm roh|rn run|ro ron rum|ru rus|rw kin|sa san|sc srd|sd snd|se sme|sg sag
    sh hbs|si sin|sk slk slo|sl slv|sm smo|sn sna|so som|sq sqi alb|sr srp|ss ssw|st sot|su sun
    sv swe|sw swa swh|ta tam|te tel|tg tgk|th tha|ti tir|tk tuk|tl tgl|tn tsn|to ton|tr tur
    ts tso|tt tat|tw twi|ty tah|ug uig|uk ukr|ur urd|uz uzb uzn|ve ven|vi vie|vo vol|wa wln
    wo wol|xh xho|yi yid ydd|yo yor|za zha|zh zho chi cmn|zu zul
"""
# Other languages of translation tasks.
_MORE = """
    ace acm acq aeb apc ars ary arz ast awa ban bem bho bjn bug ceb ckb crh dik dsb dyu fil fon
    fur hak haw hmn hne hsb ilo kab kac kam kbp kea kmb kmr lij liv lmo ltg lua luo lus lzh mag
    mai mas min mni mos nan nso nus pag pap prs sah sat scn shn szl taq tpi tum tzm umb vec war
    wuu yue zsm
"""
_NAMES = {
    "cn": "zh", "jp": "ja", "kp": "ko", "chinese": "zh", "japanese": "ja", "english": "en",
    "korean": "ko", "german": "de", "french": "fr", "spanish": "es", "portuguese": "pt",
    "russian": "ru", "italian": "it",
}  # fmt: skip
_SCRIPTS = frozenset(
    ["arab", "cyrl", "deva", "grek", "hang", "hans", "hant", "hebr", "jpan", "kore", "latn", "thai"]
)
# Regions that occur with their languages.
_LOCALES = {
    "ar": "ae dz eg iq jo kw lb ma qa sa sy tn ye", "bg": "bg", "cs": "cz", "da": "dk",
    "de": "at ch de li lu", "el": "cy gr",
    "en": "au ca gb hk ie in nz ph sg uk us za", "es": "ar cl co es mx pe us uy ve",
    "et": "ee", "fa": "ir", "fi": "fi", "fr": "be ca ch fr lu", "he": "il", "hi": "in", "hr": "hr",
    "hu": "hu", "id": "id", "is": "is", "it": "ch it", "ja": "jp", "ka": "ge", "kk": "kz",
    "ko": "kp kr", "lt": "lt", "lv": "lv", "ms": "my sg", "nb": "no", "nl": "be nl", "no": "no",
    "pl": "pl", "pt": "ao br mz pt", "ro": "md ro", "ru": "by kz ru", "sk": "sk", "sl": "si",
    "sr": "ba me rs", "sv": "fi se", "sw": "ke tz",
    "ta": "in lk sg", "th": "th",
    "tr": "cy tr", "uk": "ua", "ur": "in pk", "vi": "vn", "zh": "cn hk mo sg tw",
}  # fmt: skip
# Lower-case codes that mean a region, although they are a language too.
_REGION_FIRST = frozenset({("pt", "br"), ("zh", "tw"), ("zh", "sg"), ("ko", "kr")})
# Languages whose code is better known as a country, and the language of that country.
_TAKEN_FOR_COUNTRIES = {
    "ae": ("Avestan", "ar-AE"), "br": ("Breton", "pt-BR"), "ch": ("Chamorro", "de-CH or fr-CH"),
    "ee": ("Ewe", "et"), "ie": ("Interlingue", "en-IE"), "kr": ("Kanuri", "ko"),
    "se": ("Northern Sami", "sv"), "sg": ("Sango", "zh-SG or en-SG"), "tw": ("Twi", "zh-TW"),
}  # fmt: skip
# Offices that publish in one language.
_OF_OFFICES = {
    office: language
    for language, offices in {
        "ar": "EG SA", "bg": "BG", "cs": "CS CZ", "da": "DK", "de": "AT DD DE", "el": "GR",
        "en": "AU GB IE IN NZ US ZA", "es": "AR CL CO ES MX PE", "fr": "FR", "hr": "HR",
        "hu": "HU", "it": "IT", "ja": "JP", "ko": "KR", "nl": "NL", "pl": "PL", "pt": "BR PT",
        "ro": "RO", "ru": "EA RU SU", "sk": "SK", "sv": "SE", "tr": "TR", "uk": "UA",
        "zh": "CN TW",
    }.items()
    for office in offices.split()
}  # fmt: skip
_REGION = re.compile(r"[a-z]{2}|[0-9]{3}")
_TAG_BREAK = re.compile(r"[-_]")


@cache
def _codes() -> dict[str, str]:
    """Return every spelling of a language in lower case, with its code."""
    codes = {code: code for code in _MORE.split()} | _NAMES
    for group in re.split(r"[|\n]", _ISO_639):
        codes |= {name: group.split()[0] for name in group.split()}
    return codes


def language_code(name: str) -> str:
    """Return the code of a language: ``zh-CN``, ``ZH``, ``cn`` and ``chinese`` are all ``zh``."""
    source, target = language_pair(name)
    if source is not None:
        raise UsageError(f"{name!r} is not a language but a pair; write one, such as {target}")
    return target


def both_languages(lang: str) -> tuple[str, str]:
    """Return source and target of ``zh-en``; refuse a single language."""
    source, target = language_pair(lang)
    if source is None:
        raise UsageError(f"{setting('lang', lang)}: two languages are needed, such as zh-en")
    return source, target


def language_pair(text: str) -> tuple[str | None, str]:
    """Return source and target of ``ja-en``; a single language is the target.

    Both may have a script or a region: ``zh-Hant-en-US``, ``zh_TW-en``. Ambiguous lower-case codes,
    as in ``fr-ca``, are languages; ``fr-CA`` is a region.
    """
    tags = _divided(text.strip()) or _tags(_TAG_BREAK.split(text.strip()), text)
    if len(tags) > 2:
        raise UsageError(f"{text!r} is not a language pair; write e.g. ja-en, or en")
    return (tags[0] if len(tags) == 2 else None), tags[-1]


def taken_for_country(code: str) -> tuple[str, str] | None:
    """Return the name of a language whose code is known as a country, and the likely language."""
    return _TAKEN_FOR_COUNTRIES.get(code)


def office_language(office: str, default: str = "") -> str:
    """Return the language in which an office publishes; the default if there are several.

    >>> office_language("TW"), office_language("EP", "und")
    ('zh', 'und')
    """
    return _OF_OFFICES.get(office, default)


def _divided(text: str) -> list[str]:
    """Return the languages of a text with separate marks between and inside tags: ``en-zh_CN``.

    Return nothing for other texts.
    """
    for between, inside in ("-_", "_-"):
        parts = [part.split(inside) for part in text.split(between)]
        if len(parts) == 2 and inside in text and all(map(_is_tag, parts)):
            return [_codes()[part[0].lower()] for part in parts]
    return []


def _is_tag(part: list[str]) -> bool:
    language, *others = (one.lower() for one in part)
    return language in _codes() and all(
        one in _SCRIPTS or _REGION.fullmatch(one) is not None for one in others
    )


def _tags(parts: list[str], text: str) -> list[str]:
    """Return the languages among parts that may be languages, scripts and regions."""
    tags: list[str] = []
    case_matters = not text.isupper()
    for part in parts:
        small = part.lower()
        if tags and small in _SCRIPTS:
            continue
        if tags and _is_region(tags[-1], part, case_matters, small in _codes()):
            continue
        tags.append(_known(part, text, tags[-1] if tags else ""))
    if len(tags) == 3:  # fr-ca-en has two languages, so that its second part is a region
        places = _LOCALES.get(tags[0], "").split()
        tags = [tags[0], tags[2]] if parts[1].lower() in places else tags
    return tags


def _is_region(language: str, part: str, told_by_case: bool, is_language: bool) -> bool:
    small = part.lower()
    if small not in _LOCALES.get(language, "").split():
        return False
    as_region = (part.isupper() and told_by_case) or (language, small) in _REGION_FIRST
    return as_region or not is_language or _codes()[small] == language


def _known(part: str, text: str, before: str) -> str:
    """Return the code of a part; refuse an unknown one with a suggestion."""
    code = _codes().get(part.lower())
    if code is not None:
        return code
    from difflib import get_close_matches

    written = f"{part!r} in {text!r}" if part != text else f"{text!r}"
    owners = [one for one, places in _LOCALES.items() if part.lower() in places.split()]
    if owners:
        head, _, tail = text.rpartition(part)
        meant = [f"{head}{one}-{part.upper()}{tail}" for one in owners]
    elif len(part) == 4 and {part[:2].lower(), part[2:].lower()} <= _codes().keys():
        meant = [f"{part[:2]}-{part[2:]}"]
    elif before and _REGION.fullmatch(part.lower()):
        meant = []
    else:
        meant = get_close_matches(part.lower(), _codes(), 3, 0.6)
    cure = f"did you mean {' or '.join(meant)}?" if meant else "write a code such as en, zh or ja"
    raise UsageError(f"{written} is not a language; {cure}")
