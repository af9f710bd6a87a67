from .assets import (
    Assets as Assets,
    preferred_language as preferred_language,
)
from .guards import (
    FAILED as FAILED,
    HEALTH as HEALTH,
    LOOPBACK_NAMES as LOOPBACK_NAMES,
    NO_TELEMETRY as NO_TELEMETRY,
    SERVER_OPTIONS as SERVER_OPTIONS,
    FailureLimit as FailureLimit,
    Guards as Guards,
    HostName as HostName,
)
