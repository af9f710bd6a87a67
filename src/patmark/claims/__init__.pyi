from .learning import (
    PARTS as PARTS,
)
from .learning import (
    SplitPlan as SplitPlan,
)
from .lint.engine import (
    RULES as RULES,
)
from .lint.engine import (
    LintResult as LintResult,
)
from .lint.engine import (
    lint as lint,
)
from .lint.engine import (
    office_named as office_named,
)
from .lint.output import (
    LintedFiles as LintedFiles,
)
from .lint.output import (
    RuleList as RuleList,
)
from .lint.rule import (
    SEVERITIES as SEVERITIES,
)
from .lint.rule import (
    Severity as Severity,
)
from .measures import (
    PAPER_MEASURES as PAPER_MEASURES,
)
from .meta import (
    PERCENT as PERCENT,
)
from .meta import (
    AgreementRow as AgreementRow,
)
from .meta import (
    ClaimMetaEvaluation as ClaimMetaEvaluation,
)
from .meta import (
    finite as finite,
)
from .meta import (
    meta_evaluate_claims as meta_evaluate_claims,
)
from .model import (
    Category as Category,
)
from .model import (
    Claim as Claim,
)
from .model import (
    ClaimSet as ClaimSet,
)
from .model import (
    Limitation as Limitation,
)
from .model import (
    Piece as Piece,
)
from .model import (
    Reference as Reference,
)
from .model import (
    Span as Span,
)
from .model import (
    Term as Term,
)
from .model import (
    Transition as Transition,
)
from .model import (
    claim_tree as claim_tree,
)
from .parser import (
    parse_claims as parse_claims,
)
from .patclaimeval.plan import (
    Epoch as Epoch,
)
from .patclaimeval.plan import (
    TrainingPlan as TrainingPlan,
)
from .patclaimeval.training import (
    train_evaluator as train_evaluator,
)
from .quality_training import (
    QualityPlan as QualityPlan,
)
from .quality_training import (
    train_claim_quality as train_claim_quality,
)
from .ratings import (
    ComparedRatings as ComparedRatings,
)
from .ratings import (
    PairOptions as PairOptions,
)
from .ratings import (
    compare_ratings as compare_ratings,
)
from .scoring import (
    DEFAULT_MEASURES as DEFAULT_MEASURES,
)
from .scoring import (
    evaluate_claims as evaluate_claims,
)
from .terms import (
    covers as covers,
)
