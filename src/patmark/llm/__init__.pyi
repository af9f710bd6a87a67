from .cache import (
    AnswerCache as AnswerCache,
)
from .cache import (
    DiskCache as DiskCache,
)
from .cache import (
    MemoryCache as MemoryCache,
)
from .cache import (
    default_cache_folder as default_cache_folder,
)
from .chat import (
    DEFAULT_KEY as DEFAULT_KEY,
)
from .chat import (
    ChatAnswer as ChatAnswer,
)
from .chat import (
    ChatRequest as ChatRequest,
)
from .chat import (
    Endpoint as Endpoint,
)
from .chat import (
    Message as Message,
)
from .chat import (
    extra_fields as extra_fields,
)
from .chat import (
    secret_fields as secret_fields,
)
from .client import (
    Accept as Accept,
)
from .client import (
    Batch as Batch,
)
from .client import (
    ChatClient as ChatClient,
)
from .client import (
    ClientSettings as ClientSettings,
)
from .client import (
    Outcome as Outcome,
)
from .client import (
    Progress as Progress,
)
from .client import (
    RetryPolicy as RetryPolicy,
)
from .connection import (
    Adapter as Adapter,
)
from .connection import (
    ChatAdapter as ChatAdapter,
)
from .connection import (
    HttpRequest as HttpRequest,
)
from .usage import (
    Budget as Budget,
)
from .usage import (
    Prices as Prices,
)
from .usage import (
    Usage as Usage,
)
from .usage import (
    estimate_tokens as estimate_tokens,
)
from .usage import (
    prompt_tokens as prompt_tokens,
)
from .usage import (
    worst_case as worst_case,
)
