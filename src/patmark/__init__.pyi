from ._version import __version__ as __version__
from .app import commands as commands
from .app.commands import (
    check as check,
    compare as compare,
    meta as meta,
    score as score,
)
from .data import (
    Estimate as Estimate,
    Evidence as Evidence,
    Run as Run,
    Scores as Scores,
    Segment as Segment,
    TestSet as TestSet,
    read_run as read_run,
    read_test_set as read_test_set,
)
from .errors import (
    InputError as InputError,
    MissingExtra as MissingExtra,
    PatmarkError as PatmarkError,
    Problem as Problem,
    UsageError as UsageError,
)
from .evaluation import (
    CompareSettings as CompareSettings,
    Comparison as Comparison,
    Evaluation as Evaluation,
    Gates as Gates,
    MetaSettings as MetaSettings,
    Sampling as Sampling,
    evaluate as evaluate,
    load as load,
)
from .measures import (
    Check as Check,
    Measure as Measure,
    parse_measure as parse_measure,
    parse_measures as parse_measures,
    register as register,
)
from .report import to_html as to_html
