from ._version import __version__ as __version__
from .data import (
    Estimate as Estimate,
)
from .data import (
    Evidence as Evidence,
)
from .data import (
    Run as Run,
)
from .data import (
    Scores as Scores,
)
from .data import (
    Segment as Segment,
)
from .data import (
    TestSet as TestSet,
)
from .data import (
    read_patsnap as read_patsnap,
)
from .errors import (
    InputError as InputError,
)
from .errors import (
    MissingExtra as MissingExtra,
)
from .errors import (
    PatmarkError as PatmarkError,
)
from .errors import (
    Problem as Problem,
)
from .errors import (
    UsageError as UsageError,
)
from .evaluation import (
    Evaluation as Evaluation,
)
from .evaluation import (
    Settings as Settings,
)
from .evaluation import (
    evaluate as evaluate,
)
from .measures import (
    Check as Check,
)
from .measures import (
    Measure as Measure,
)
from .measures import (
    parse_measure as parse_measure,
)
from .measures import (
    parse_measures as parse_measures,
)
from .measures import (
    register as register,
)
from .protocols import (
    PatsnapOptions as PatsnapOptions,
)
from .protocols import (
    patsnap_json as patsnap_json,
)
from .protocols import (
    patsnap_report as patsnap_report,
)
from .protocols import (
    score_patsnap as score_patsnap,
)
from .report import to_html as to_html
