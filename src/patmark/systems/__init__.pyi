from .baselines import (
    CopySystem as CopySystem,
    OracleSystem as OracleSystem,
    drop_words as drop_words,
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
from .dataset import (
    RunDataset as RunDataset,
    read_dataset as read_dataset,
)
from .dictionary import (
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
from .kinds import (
    BuildContext as BuildContext,
    Description as Description,
    System as System,
    SystemAnswer as SystemAnswer,
    SystemInput as SystemInput,
    SystemKind as SystemKind,
    Traits as Traits,
    parse_system as parse_system,
    system_kind as system_kind,
)
from .results import (
    RunFiles as RunFiles,
    RunResult as RunResult,
    run_to_files as run_to_files,
)
from .run import (
    Progress as Progress,
    RunPlan as RunPlan,
    Task as Task,
    own_template as own_template,
    plan_run as plan_run,
    preview_run as preview_run,
    read_template as read_template,
    run_plan as run_plan,
    task_of as task_of,
)
from .service import (
    ServiceAdapter as ServiceAdapter,
    ServiceSettings as ServiceSettings,
    ServiceSystem as ServiceSystem,
)
