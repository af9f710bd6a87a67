from . import (
    bench as bench,
    claims as claims,
    corpus as corpus,
    human as human,
    retrieve as retrieve,
)
from .endpoint import (
    EndpointRequest as EndpointRequest,
    endpoint_notices as endpoint_notices,
)
from .judge_outputs import (
    JudgeRequest as JudgeRequest,
    judge as judge,
    judge_runs as judge_runs,
    preview_request as preview_request,
)
from .reproduce import (
    reproduce as reproduce,
)
from .run_system import (
    RunRequest as RunRequest,
    run as run,
)
from .task import (
    task as task,
)
from .translations import (
    compare as compare,
    meta as meta,
    score as score,
)
