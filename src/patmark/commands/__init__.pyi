from . import (
    bench as bench,
    claims as claims,
    corpus as corpus,
    human as human,
    retrieve as retrieve,
)
from .shared_tasks import (
    reproduce as reproduce,
    task as task,
)
from .systems import (
    run as run,
)
from .translations import (
    compare as compare,
    judge as judge,
    meta as meta,
    score as score,
)
