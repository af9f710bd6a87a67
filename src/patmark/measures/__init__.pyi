from .base import (
    NOT_A_PARAMETER as NOT_A_PARAMETER,
    Check as Check,
    Finding as Finding,
    Group as Group,
    Judged as Judged,
    MeanMeasure as MeanMeasure,
    Measure as Measure,
    Reduction as Reduction,
    ReferenceLayout as ReferenceLayout,
    WordMeasure as WordMeasure,
    languages_of as languages_of,
    one_of as one_of,
)
from .bleu import (
    BLEU as BLEU,
    SentenceBLEU as SentenceBLEU,
)
from .command import (
    parse_command as parse_command,
)
from .describing import (
    MeasureInfo as MeasureInfo,
    describe as describe,
    describe_all as describe_all,
    describe_rankings as describe_rankings,
    find_described as find_described,
)
from .fact_checks import (
    Numbers as Numbers,
    ReferenceSigns as ReferenceSigns,
)
from .imported import (
    ImportedScores as ImportedScores,
    LowerImportedScores as LowerImportedScores,
)
from .length import (
    Leakage as Leakage,
    LengthHallucination as LengthHallucination,
    Omission as Omission,
)
from .meteor import (
    MeteorNltk as MeteorNltk,
)
from .neural.base import (
    DEVICES as DEVICES,
    TRANSFORMERS as TRANSFORMERS,
    NeuralMeasure as NeuralMeasure,
    NeuralModel as NeuralModel,
    find_model as find_model,
    load_model as load_model,
)
from .neural.embeddings import (
    SimCSE as SimCSE,
)
from .neural.tokens import (
    Frame as Frame,
    Ids as Ids,
    batches as batches,
)
from .registry import (
    all_measures as all_measures,
    find_measure as find_measure,
    measures_by_default as measures_by_default,
    parse_measure as parse_measure,
    parse_measures as parse_measures,
    parse_ranking_measures as parse_ranking_measures,
    register as register,
    split_names as split_names,
)
from .rouge import (
    PltrdyROUGE1 as PltrdyROUGE1,
    PltrdyROUGE2 as PltrdyROUGE2,
    PltrdyROUGEL as PltrdyROUGEL,
)
from .terms import (
    SpecialCharacters as SpecialCharacters,
    TermAccuracy as TermAccuracy,
    TermConsistency as TermConsistency,
    WritingNorm as WritingNorm,
    alternatives as alternatives,
    occurrences as occurrences,
)
