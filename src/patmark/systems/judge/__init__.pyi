from .asking import (
    JudgePreview as JudgePreview,
)
from .bias_probe import (
    Probe as Probe,
    preview_probe as preview_probe,
    probe as probe,
)
from .criteria import (
    read_criteria as read_criteria,
)
from .direct import (
    JudgedScores as JudgedScores,
    judge_scores as judge_scores,
)
from .marking import (
    JudgedErrors as JudgedErrors,
    judge_errors as judge_errors,
)
from .measure import (
    Judge as Judge,
    judge as judge,
    preview_judge as preview_judge,
)
from .pairwise import (
    JudgedPairs as JudgedPairs,
    judge_pairs as judge_pairs,
)
from .prompt import (
    PAIRWISE as PAIRWISE,
    RATING as RATING,
    JudgeSettings as JudgeSettings,
    Prompt as Prompt,
    Scheme as Scheme,
)
from .result import (
    JudgeResult as JudgeResult,
)
from .translations import (
    translation_prompt as translation_prompt,
)
