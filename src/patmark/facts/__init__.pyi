from .claim_matching import compare_claims as compare_claims
from .claim_references import (
    ClaimLayout as ClaimLayout,
    ClaimReference as ClaimReference,
    Claims as Claims,
    claim_layout as claim_layout,
    claim_mentions as claim_mentions,
    claims_meant as claims_meant,
)
from .comparison import (
    FACT_LANGUAGES as FACT_LANGUAGES,
    compare_facts as compare_facts,
    compare_markers as compare_markers,
    compare_polarity as compare_polarity,
    compare_quantities as compare_quantities,
)
from .glosses import gloss_signature as gloss_signature
from .quantities import (
    COUNTED_LANGUAGES as COUNTED_LANGUAGES,
    ENGLISH_CARDINALS as ENGLISH_CARDINALS,
    ENGLISH_ORDINALS as ENGLISH_ORDINALS,
    MONTHS as MONTHS,
    Certainty as Certainty,
    Quantity as Quantity,
    find_quantities as find_quantities,
    parse_han as parse_han,
    plain_value as plain_value,
)
from .sign_matching import compare_signs as compare_signs
from .texts import (
    Difference as Difference,
    FactComparison as FactComparison,
    TextFacts as TextFacts,
    facts_of as facts_of,
)
from .units import (
    compatible as compatible,
    in_base_unit as in_base_unit,
    match_unit as match_unit,
)
from .word_matching import compare_limits as compare_limits
