from .base import (
    BuildContext as BuildContext,
    Description as Description,
    System as System,
    SystemAnswer as SystemAnswer,
    SystemInput as SystemInput,
    SystemKind as SystemKind,
    Task as Task,
    Traits as Traits,
    own_template as own_template,
    parse_system as parse_system,
    read_template as read_template,
    system_kind as system_kind,
    task_of as task_of,
)
from .chat import (
    ChatSettings as ChatSettings,
    ChatSystem as ChatSystem,
)
from .cleaning import (
    Cleaned as Cleaned,
    clean as clean,
)
from .command import (
    CommandSystem as CommandSystem,
)
from .dictionary import (
    DictionarySystem as DictionarySystem,
    DictionaryTranslator as DictionaryTranslator,
    GlossedText as GlossedText,
    dictionary_system as dictionary_system,
)
from .huggingface import (
    ModelSettings as ModelSettings,
    load_system as load_system,
)
from .journal import (
    Journal as Journal,
    RunRow as RunRow,
    journalled_rows as journalled_rows,
)
from .run import (
    Progress as Progress,
    RunDataset as RunDataset,
    RunFiles as RunFiles,
    RunPlan as RunPlan,
    RunResult as RunResult,
    RunRows as RunRows,
    plan_run as plan_run,
    preview as preview,
    read_dataset as read_dataset,
    run_plan as run_plan,
    run_to_files as run_to_files,
)
from .service import (
    LIBRE_TRANSLATE as LIBRE_TRANSLATE,
    ServiceAdapter as ServiceAdapter,
    ServiceSettings as ServiceSettings,
    ServiceSystem as ServiceSystem,
)
from .simple import (
    CopySystem as CopySystem,
    OracleSystem as OracleSystem,
    drop_words as drop_words,
)
