from .lint.engine import (
    LintResult as LintResult,
    lint as lint,
    office_named as office_named,
)
from .lint.output import (
    LintedFiles as LintedFiles,
    RuleList as RuleList,
)
from .lint.rule import (
    severity_named as severity_named,
)
from .measures import (
    DEFAULT_MEASURES as DEFAULT_MEASURES,
    PAPER_MEASURES as PAPER_MEASURES,
    GivenMeasure as GivenMeasure,
    read_given_scores as read_given_scores,
)
from .meta import (
    PERCENT as PERCENT,
    AgreementRow as AgreementRow,
    ClaimMetaEvaluation as ClaimMetaEvaluation,
    TieBand as TieBand,
    meta_evaluate_claims as meta_evaluate_claims,
)
from .model import (
    Category as Category,
    ClaimSet as ClaimSet,
    Limitation as Limitation,
    ParsedClaim as ParsedClaim,
    Piece as Piece,
    Reference as Reference,
    Term as Term,
    TextSpan as TextSpan,
    Transition as Transition,
)
from .pair_splits import (
    SPLIT_PARTS as SPLIT_PARTS,
    SplitPlan as SplitPlan,
    split_pairs as split_pairs,
    split_table as split_table,
)
from .parser import (
    parse_claims as parse_claims,
)
from .patclaimeval.plan import (
    Epoch as Epoch,
    TrainingPlan as TrainingPlan,
)
from .patclaimeval.training import (
    train_evaluator as train_evaluator,
    train_evaluators as train_evaluators,
)
from .scoring import (
    ClaimsEvaluation as ClaimsEvaluation,
    evaluate_claims as evaluate_claims,
)
from .support import (
    SupportCheck as SupportCheck,
    check_support as check_support,
)
from .terms import (
    covers as covers,
)
from .versions import (
    ClaimVersions as ClaimVersions,
    compare_versions as compare_versions,
)
