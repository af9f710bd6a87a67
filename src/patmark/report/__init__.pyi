from .formatting import (
    cell_text as cell_text,
    clauses as clauses,
    dotted as dotted,
    english as english,
    first_of as first_of,
    in_language as in_language,
    interval_text as interval_text,
    message_text as message_text,
    message_texts as message_texts,
    messages_json as messages_json,
    numeric_columns as numeric_columns,
    p_text as p_text,
    sentences as sentences,
)
from .frames import (
    to_csv as to_csv,
)
from .html import (
    to_html as to_html,
)
from .json import (
    fields_json as fields_json,
    plain as plain,
    to_json_text as to_json_text,
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
    FINDING_TITLES as FINDING_TITLES,
    Bars as Bars,
    Cell as Cell,
    Chart as Chart,
    Column as Column,
    Explorer as Explorer,
    Graded as Graded,
    Headline as Headline,
    Heat as Heat,
    Interval as Interval,
    Intervals as Intervals,
    Leaderboard as Leaderboard,
    Limit as Limit,
    Link as Link,
    MarkedText as MarkedText,
    PaperCell as PaperCell,
    PaperDifference as PaperDifference,
    PaperTable as PaperTable,
    Point as Point,
    RankedRun as RankedRun,
    Rated as Rated,
    Report as Report,
    ReviewedPair as ReviewedPair,
    ReviewItem as ReviewItem,
    Scatter as Scatter,
    StackedBar as StackedBar,
    Table as Table,
    UpperBound as UpperBound,
    Way as Way,
    entry as entry,
    finding_rank as finding_rank,
)
from .notebook import (
    notebook_progress as notebook_progress,
)
from .result import (
    REPORT_FORMATS as REPORT_FORMATS,
    Result as Result,
)
from .sarif import (
    SarifFile as SarifFile,
    SarifFinding as SarifFinding,
    SarifLevel as SarifLevel,
    SarifRule as SarifRule,
    to_sarif as to_sarif,
)
from .svg import (
    Svg as Svg,
    to_svg as to_svg,
)
from .terminal import (
    one_screen as one_screen,
    pipe_width as pipe_width,
    print_report as print_report,
    text_cells as text_cells,
    to_text as to_text,
)
from .xlsx import (
    to_xlsx as to_xlsx,
)
