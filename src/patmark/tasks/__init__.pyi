from .judgements import (
    TaskJudgements as TaskJudgements,
    read_task_judgements as read_task_judgements,
)
from .task import (
    TaskResult as TaskResult,
    run_task as run_task,
)
