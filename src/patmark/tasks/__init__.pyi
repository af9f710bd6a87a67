from .judgements import (
    TaskJudgements as TaskJudgements,
)
from .judgements import (
    read_task_judgements as read_task_judgements,
)
from .task import (
    TaskResult as TaskResult,
)
from .task import (
    run_task as run_task,
)
