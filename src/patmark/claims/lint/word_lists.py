"""Words of patent English that the checks of antecedents need to know."""

from __future__ import annotations

import re

# "the presence of", "the group consisting of": set phrases that refer to nothing before them
SET_PHRASE = re.compile(
    r"(?:(?:group|class|set|list)\s+(?:consist|compris|of|includ|formed|made)"
    r"|(?:following|latter|former|invention|balance|rest|remainder|remaining|like|art|same)\b"
    r"|(?:steps?|acts?|operations?|stages?)\s*(?::|of\b|\(|,|in\b|[a-z]\)|\d|[A-Z]\b)"
    r"|(?:presence|absence|basis|form|event|case|range|context|course|use|order|fact|purpose|manner"
    r"|way|aid|help|sense|shape|vicinity|neighbou?rhood|proximity|region|help|assistance|influence"
    r"|action|condition|extent|exception|kind|type|sum|help|name)"
    r"\s+(?:of|that|where|when|in|with|or|and|to|from|such)\b"
    r"|(?:\w+\s+){0,2}(?:formula|formulae|formulas|equation|equations|symbols?|expressions?)\b"
    r"|(?:one|other)\s+hand\b|claimed\b|(?:type|kind)\s+\w+(?:ed|ing|wn)\b"
    r"|(?:first|second|third|fourth|fifth|\w+(?:th|st))\s+(?:(?:or|and|to)\s+\w+\s+)?claims?\b)",
    re.IGNORECASE,
)
_UNIQUE = (
    "air atmosphere body dark earth environment exterior ground hand human inside interior internet"
)
# things of which there is one, so that nobody has to introduce them
UNIQUE = frozenset((*_UNIQUE.split(), "outside", "time", "invention", "world", "sky", "sun"))
# "the surface of", "the distance between", "the speed at which": explained by what follows
EXPLAINED = re.compile(
    r"\s*(?:\([^()]{1,20}\)\s*)?(?:(?:of|between|that|which|where|when|whose|within|among|"
    r"(?:at|in|on|by|from|to|with)\s+which|(?:formed|defined|used|produced|obtained|provided|"
    r"generated|prevailing|required|necessary|made|given)\s+(?:by|for|in|from|to|at|on|within|"
    r"between|outside|inside))\b)",
    re.IGNORECASE,
)
_PROPERTY_WORDS = """
amount angle area axis background beginning bottom boundary brightness capacity center centre
circumference color colour concentration condition configuration content contour course
cross-section density depth diameter difference dimension direction distance downstream duration
edge efficiency end extent exterior frequency front half height humidity identity inside intensity
interior intersection inverse length level limit location magnitude majority mass maximum middle
minimum motion movement nature number opposite orientation origin outline output outside performance
perimeter period periphery phase plane position presence pressure probability proportion purpose
quality quantity quotient radius range rate ratio rear relation relationship reliability remainder
resistance result rotation shape side size space speed stability start state status strength sum
surface temperature thickness tolerance top torque total type upstream velocity vicinity viscosity
volume wavelength weight width yield
"""
PROPERTIES = frozenset(_PROPERTY_WORDS.split())
_EMPTY_WORDS = """
actual aforementioned aforesaid associated available complete corresponding current desired
different entire existing first-mentioned following foregoing full further given individual
initial inherent mentioned named new next original other overall own particular present previous
previously prior relevant remaining required respective resulting said same selected single
specific subsequent thus total various whole
"""
# adjectives that add nothing by which a thing could be told from another
EMPTY = frozenset(_EMPTY_WORDS.split())
_ORDINAL_WORDS = """
first second third fourth fifth sixth seventh eighth ninth tenth left right upper lower inner outer
front rear top bottom left-hand right-hand primary secondary proximal distal positive negative
"""
ORDINALS = frozenset(_ORDINAL_WORDS.split())
SUPERLATIVE = re.compile(r"(?:.{3,}(?:est|most)|last|latest|maximum|minimum|best|worst|most|least)")
STEP_WORDS = frozenset(("step", "act", "operation", "process", "stage", "procedure", "action"))
DEVERBAL = re.compile(r".{3,}(?:ing|ion|ment|ance|ence|al|ure|ison|age|sis|tion|ed|ity)")
# words that stand after a noun and do not belong to its name
TAIL = re.compile(
    r"there(?:in|by|on|of|to|with|from|through|between|within|under|over|after|upon|along|around)+"
    r"|(?:in|out|up|down|for|back|side|rear)wards?|.{3,}[ai]ble|cannot|again|away|apart|lie|lies|wound"
    r"|downstream|upstream|proximate|parallel|perpendicular|coaxial|concentric|orthogonal|sufficient"
    r"|indicative|remote|versus|operate|face|faces|fit|fits|exclusive|inclusive|free|full|due"
)
# "the data in the object", "the seller representing": less certain than a phrase on its own
MODIFIED = re.compile(
    r"\s*(?:\([^()]{1,20}\)\s*)?(?:in|at|for|on|from|to|with|by|under|over|above|below|inside|"
    r"outside|through|during|across|along|around|near|who|containing|\w{3,}ing|\w{3,}ed)\b",
    re.IGNORECASE,
)
CONJUNCTION = re.compile(r"\s*(?:,|/|-)?\s*(?:and/or|and|or|to|,|/|-)?\s*")
