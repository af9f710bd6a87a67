from . import (
    bench as bench,
    claims as claims,
    corpus as corpus,
    human as human,
    retrieve as retrieve,
)
from .reproduce import (
    reproduce as reproduce,
)
from .systems import (
    run as run,
)
from .task import (
    task as task,
)
from .translations import (
    compare as compare,
    judge as judge,
    meta as meta,
    score as score,
)
