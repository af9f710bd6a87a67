from .judging import (
    judge_claims as judge_claims,
    preview as preview,
)
from .result import (
    JudgedClaims as JudgedClaims,
    JudgeSettings as JudgeSettings,
)
