from . import (
    bench as bench,
    claims as claims,
    corpus as corpus,
    human as human,
    retrieve as retrieve,
)
from .check import (
    CheckRequest as CheckRequest,
    check as check,
)
from .endpoint import (
    EndpointRequest as EndpointRequest,
    endpoint_notices as endpoint_notices,
)
from .inputs import (
    claim_text as claim_text,
    file_list as file_list,
    split_list as split_list,
)
from .judge_outputs import (
    ClaimJudgeRequest as ClaimJudgeRequest,
    JudgeRequest as JudgeRequest,
    judge as judge,
    judge_in_notebook as judge_in_notebook,
    judge_request as judge_request,
    judge_runs as judge_runs,
    preview_request as preview_request,
)
from .meta_scores import (
    CalibrationRequest as CalibrationRequest,
    MetaRequest as MetaRequest,
    calibrate as calibrate,
    calibrate_scores as calibrate_scores,
    meta as meta,
    meta_evaluate_scores as meta_evaluate_scores,
)
from .options import (
    Draws as Draws,
    Resampling as Resampling,
    Scales as Scales,
)
from .reproduce import (
    StudyRequest as StudyRequest,
    reproduce as reproduce,
)
from .run_system import (
    RunRequest as RunRequest,
    ThenRequest as ThenRequest,
    run as run,
    run_dataset as run_dataset,
)
from .task import (
    TaskRequest as TaskRequest,
    publish_task as publish_task,
    score_task as score_task,
    task as task,
)
from .translations import (
    GUESSED as GUESSED,
    ComparisonRequest as ComparisonRequest,
    ScoreRequest as ScoreRequest,
    check_gates as check_gates,
    compare as compare,
    compare_translations as compare_translations,
    score as score,
    score_translations as score_translations,
    score_with as score_with,
)
