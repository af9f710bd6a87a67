from .result import (
    TaskResult as TaskResult,
    publish as publish,
)
from .task import (
    TaskJudgements as TaskJudgements,
    read_task_judgements as read_task_judgements,
    run_task as run_task,
)
