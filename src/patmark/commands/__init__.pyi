from . import (
    claims as claims,
    human as human,
    retrieve as retrieve,
)
from .translations import (
    compare as compare,
    judge as judge,
    meta as meta,
    score as score,
)
