from .claim_references import (
    ClaimLayout as ClaimLayout,
    ClaimReference as ClaimReference,
    Claims as Claims,
    claim_layout as claim_layout,
    claim_mentions as claim_mentions,
    claims_meant as claims_meant,
)
from .quantities import (
    COUNTED_LANGUAGES as COUNTED_LANGUAGES,
    ENGLISH_CARDINALS as ENGLISH_CARDINALS,
    ENGLISH_ORDINALS as ENGLISH_ORDINALS,
    MONTHS as MONTHS,
    Certainty as Certainty,
    Quantity as Quantity,
    compatible as compatible,
    find_quantities as find_quantities,
    in_base_unit as in_base_unit,
    match_unit as match_unit,
    parse_han as parse_han,
    plain_value as plain_value,
)
