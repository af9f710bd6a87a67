from .csv import (
    to_csv as to_csv,
)
from .encoding import (
    to_json_text as to_json_text,
)
from .html import (
    to_html as to_html,
)
from .junit import (
    to_junit as to_junit,
)
from .latex import (
    to_latex as to_latex,
)
from .leaderboard import (
    leaderboard_html as leaderboard_html,
)
from .markdown import (
    to_markdown as to_markdown,
)
from .model import (
    Cell as Cell,
)
from .model import (
    Chart as Chart,
)
from .model import (
    Column as Column,
)
from .model import (
    Difference as Difference,
)
from .model import (
    Explorer as Explorer,
)
from .model import (
    Graded as Graded,
)
from .model import (
    Headline as Headline,
)
from .model import (
    Interval as Interval,
)
from .model import (
    Intervals as Intervals,
)
from .model import (
    Leaderboard as Leaderboard,
)
from .model import (
    Limit as Limit,
)
from .model import (
    Link as Link,
)
from .model import (
    PaperTable as PaperTable,
)
from .model import (
    Point as Point,
)
from .model import (
    RankedRun as RankedRun,
)
from .model import (
    Report as Report,
)
from .model import (
    Scatter as Scatter,
)
from .model import (
    Table as Table,
)
from .sarif import (
    SarifFile as SarifFile,
)
from .sarif import (
    SarifFinding as SarifFinding,
)
from .sarif import (
    SarifLevel as SarifLevel,
)
from .sarif import (
    SarifRule as SarifRule,
)
from .sarif import (
    to_sarif as to_sarif,
)
from .terminal import (
    print_report as print_report,
)
