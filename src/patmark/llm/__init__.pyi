from .cache import (
    AnswerCache as AnswerCache,
    CacheHits as CacheHits,
    DiskCache as DiskCache,
    MemoryCache as MemoryCache,
    default_cache_folder as default_cache_folder,
)
from .chat import (
    LARGEST_ANSWER as LARGEST_ANSWER,
    Adapter as Adapter,
    ChatAdapter as ChatAdapter,
    ChatAnswer as ChatAnswer,
    ChatRequest as ChatRequest,
    HttpRequest as HttpRequest,
    Message as Message,
    check_max_tokens as check_max_tokens,
    error_message as error_message,
    extra_fields as extra_fields,
    is_refusal as is_refusal,
    largest_answer as largest_answer,
)
from .client import (
    Accept as Accept,
    Batch as Batch,
    ChatClient as ChatClient,
    ClientSettings as ClientSettings,
    Outcome as Outcome,
    Progress as Progress,
)
from .endpoint import (
    DEFAULT_KEY as DEFAULT_KEY,
    Endpoint as Endpoint,
    secret_fields as secret_fields,
)
from .retries import (
    RetryPolicy as RetryPolicy,
)
from .templates import (
    Template as Template,
    bundled_prompt as bundled_prompt,
    json_hash as json_hash,
    language_gaps as language_gaps,
    read_prompt as read_prompt,
)
from .terms import (
    BENCH_FIELDS as BENCH_FIELDS,
    TermBase as TermBase,
    read_term_base as read_term_base,
    shown_terms as shown_terms,
)
from .usage import (
    Budget as Budget,
    Prices as Prices,
    Usage as Usage,
    estimate_tokens as estimate_tokens,
    prompt_tokens as prompt_tokens,
    worst_case as worst_case,
)
