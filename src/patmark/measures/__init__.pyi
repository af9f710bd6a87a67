from .base import (
    Check as Check,
)
from .base import (
    Finding as Finding,
)
from .base import (
    MeanMeasure as MeanMeasure,
)
from .base import (
    Measure as Measure,
)
from .base import (
    WordMeasure as WordMeasure,
)
from .bleu import (
    BLEU as BLEU,
)
from .bleu import (
    SentenceBLEU as SentenceBLEU,
)
from .kernels.references import (
    ReferenceLayout as ReferenceLayout,
)
from .length import (
    Leakage as Leakage,
)
from .length import (
    LengthHallucination as LengthHallucination,
)
from .length import (
    Omission as Omission,
)
from .meteor import (
    MeteorNltk as MeteorNltk,
)
from .neural.base import (
    COMMON_PARAMETERS as COMMON_PARAMETERS,
)
from .neural.base import (
    DEVICES as DEVICES,
)
from .neural.base import (
    Model as Model,
)
from .neural.base import (
    NeuralMeasure as NeuralMeasure,
)
from .neural.base import (
    find_model as find_model,
)
from .neural.base import (
    load_model as load_model,
)
from .neural.tokens import (
    Frame as Frame,
)
from .neural.tokens import (
    Ids as Ids,
)
from .neural.tokens import (
    batches as batches,
)
from .numbers import (
    Numbers as Numbers,
)
from .reference_signs import (
    ReferenceSigns as ReferenceSigns,
)
from .registry import (
    MeasureInfo as MeasureInfo,
)
from .registry import (
    all_measures as all_measures,
)
from .registry import (
    describe as describe,
)
from .registry import (
    describe_all as describe_all,
)
from .registry import (
    describe_rankings as describe_rankings,
)
from .registry import (
    find_described as find_described,
)
from .registry import (
    find_measure as find_measure,
)
from .registry import (
    parse_measure as parse_measure,
)
from .registry import (
    parse_measures as parse_measures,
)
from .registry import (
    parse_ranking_measures as parse_ranking_measures,
)
from .registry import (
    register as register,
)
from .registry import (
    split_names as split_names,
)
from .rouge import (
    PltrdyROUGE1 as PltrdyROUGE1,
)
from .terms import (
    SpecialCharacters as SpecialCharacters,
)
from .terms import (
    TermAccuracy as TermAccuracy,
)
from .terms import (
    TermConsistency as TermConsistency,
)
from .terms import (
    WritingNorm as WritingNorm,
)
from .terms import (
    alternatives as alternatives,
)
from .terms import (
    terms_of as terms_of,
)
