from .judging import (
    judge_claims as judge_claims,
)
from .judging import (
    preview as preview,
)
from .result import (
    JudgedClaims as JudgedClaims,
)
from .result import (
    JudgeSettings as JudgeSettings,
)
