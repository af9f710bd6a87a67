from .judging import (
    judge_claims as judge_claims,
    judge_requests as judge_requests,
    preview as preview,
)
from .pairwise import (
    JudgedPairs as JudgedPairs,
    judge_pairs as judge_pairs,
    pair_requests as pair_requests,
)
from .prompt import (
    PAIRWISE as PAIRWISE,
    RATING as RATING,
    JudgePrompt as JudgePrompt,
)
from .result import (
    JudgedClaims as JudgedClaims,
    JudgeSettings as JudgeSettings,
)
