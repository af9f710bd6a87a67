from .amount_matching import (
    compare_drafts as compare_drafts,
    compare_support as compare_support,
    match_amounts as match_amounts,
)
from .amounts import Amount as Amount, AmountRelation as AmountRelation
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
    compare_claims as compare_claims,
    compare_facts as compare_facts,
    compare_kinds as compare_kinds,
    compare_limits as compare_limits,
    compare_markers as compare_markers,
    compare_polarity as compare_polarity,
    compare_quantities as compare_quantities,
)
from .consistency import find_contradictions as find_contradictions
from .counts import Count as Count, whole as whole
from .differences import (
    Difference as Difference,
    FactComparison as FactComparison,
    FactKind as FactKind,
    FactSeverity as FactSeverity,
    FindingCertainty as FindingCertainty,
)
from .glosses import (
    english_words_of as english_words_of,
    gloss_signature as gloss_signature,
    gloss_stems as gloss_stems,
)
from .patent_text import is_patent_text as is_patent_text
from .phrase_order import exchanged_phrases as exchanged_phrases
from .quantities import (
    COUNTED_LANGUAGES as COUNTED_LANGUAGES,
    Quantity as Quantity,
    find_quantities as find_quantities,
)
from .sign_matching import (
    SignTable as SignTable,
    compare_signs as compare_signs,
    learned_heads as learned_heads,
    sign_table as sign_table,
)
from .texts import (
    TEXTS_KEPT as TEXTS_KEPT,
    TextFacts as TextFacts,
    facts_of as facts_of,
    negations as negations,
)
from .units import (
    compatible as compatible,
    in_base_unit as in_base_unit,
    match_unit as match_unit,
)
