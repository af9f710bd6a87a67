from .cache import (
    AnswerCache as AnswerCache,
    DiskCache as DiskCache,
    KeptAnswer as KeptAnswer,
    KeptCount as KeptCount,
    MemoryCache as MemoryCache,
    default_cache_folder as default_cache_folder,
)
from .chat import (
    DEFAULT_KEY as DEFAULT_KEY,
    ChatAnswer as ChatAnswer,
    ChatRequest as ChatRequest,
    Endpoint as Endpoint,
    Message as Message,
    error_message as error_message,
    extra_fields as extra_fields,
    secret_fields as secret_fields,
)
from .client import (
    Accept as Accept,
    Batch as Batch,
    Budget as Budget,
    ChatClient as ChatClient,
    ClientSettings as ClientSettings,
    Outcome as Outcome,
    Prices as Prices,
    Progress as Progress,
    RetryPolicy as RetryPolicy,
    Usage as Usage,
    estimate_tokens as estimate_tokens,
    prompt_tokens as prompt_tokens,
    worst_case as worst_case,
)
from .templates import (
    Template as Template,
    bundled_prompt as bundled_prompt,
    json_hash as json_hash,
    language_gaps as language_gaps,
    read_prompt as read_prompt,
)
from .terms import (
    TermBase as TermBase,
    read_term_base as read_term_base,
    shown_terms as shown_terms,
)
from .transport import (
    LARGEST_ANSWER as LARGEST_ANSWER,
    Adapter as Adapter,
    ChatAdapter as ChatAdapter,
    HttpRequest as HttpRequest,
    largest_answer as largest_answer,
)
