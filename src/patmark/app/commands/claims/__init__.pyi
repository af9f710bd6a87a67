from .score import (
    ClaimMetaRequest as ClaimMetaRequest,
    ClaimScoreRequest as ClaimScoreRequest,
    DraftTexts as DraftTexts,
    judge as judge,
    meta as meta,
    meta_claims as meta_claims,
    score as score,
    score_claims as score_claims,
)
from .texts import (
    ClaimLanguage as ClaimLanguage,
    ClaimText as ClaimText,
    LintRequest as LintRequest,
    SupportRequest as SupportRequest,
    check as check,
    check_claims as check_claims,
    compare as compare,
    lint as lint,
    lint_files as lint_files,
    list_rules as list_rules,
    parse as parse,
)
from .training import (
    PairsRequest as PairsRequest,
    TrainRequest as TrainRequest,
    make_pairs as make_pairs,
    train as train,
)
