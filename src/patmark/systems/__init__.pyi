from .base import (
    Answer as Answer,
)
from .base import (
    BuildContext as BuildContext,
)
from .base import (
    Description as Description,
)
from .base import (
    Item as Item,
)
from .base import (
    System as System,
)
from .base import (
    SystemKind as SystemKind,
)
from .base import (
    Task as Task,
)
from .base import (
    Traits as Traits,
)
from .base import (
    parse_system as parse_system,
)
from .base import (
    system_kind as system_kind,
)
from .base import (
    task_of as task_of,
)
from .chat import (
    ChatSettings as ChatSettings,
)
from .chat import (
    ChatSystem as ChatSystem,
)
from .cleaning import (
    Cleaned as Cleaned,
)
from .cleaning import (
    clean as clean,
)
from .command import (
    CommandSystem as CommandSystem,
)
from .dictionary import (
    DictionarySystem as DictionarySystem,
)
from .dictionary import (
    DictionaryTranslator as DictionaryTranslator,
)
from .dictionary import (
    Translation as Translation,
)
from .dictionary import (
    dictionary_system as dictionary_system,
)
from .huggingface import (
    ModelSettings as ModelSettings,
)
from .huggingface import (
    load_system as load_system,
)
from .journal import (
    Journal as Journal,
)
from .journal import (
    Row as Row,
)
from .journal import (
    settled_rows as settled_rows,
)
from .run import (
    Bench as Bench,
)
from .run import (
    Finished as Finished,
)
from .run import (
    Plan as Plan,
)
from .run import (
    Progress as Progress,
)
from .run import (
    Ran as Ran,
)
from .run import (
    RunFiles as RunFiles,
)
from .run import (
    plan_run as plan_run,
)
from .run import (
    preview as preview,
)
from .run import (
    read_bench as read_bench,
)
from .run import (
    run_plan as run_plan,
)
from .run import (
    run_to_files as run_to_files,
)
from .service import (
    LIBRE_TRANSLATE as LIBRE_TRANSLATE,
)
from .service import (
    ServiceAdapter as ServiceAdapter,
)
from .service import (
    ServiceSettings as ServiceSettings,
)
from .service import (
    ServiceSystem as ServiceSystem,
)
from .simple import (
    CopySystem as CopySystem,
)
from .simple import (
    OracleSystem as OracleSystem,
)
from .simple import (
    drop_words as drop_words,
)
from .templates import (
    Template as Template,
)
from .templates import (
    TermBase as TermBase,
)
from .templates import (
    own_template as own_template,
)
from .templates import (
    read_template as read_template,
)
from .templates import (
    read_term_base as read_term_base,
)
