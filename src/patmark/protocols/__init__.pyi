from .campaign_consensus import (
    common_items as common_items,
)
from .campaign_data import (
    CampaignData as CampaignData,
)
from .campaign_data import (
    find_campaign as find_campaign,
)
from .campaign_data import (
    read_campaign_data as read_campaign_data,
)
from .campaign_export import (
    EXPORT_FORMS as EXPORT_FORMS,
)
from .campaign_export import (
    RESULT_PHASES as RESULT_PHASES,
)
from .campaign_export import (
    campaign_export as campaign_export,
)
from .campaign_export import (
    export_bytes as export_bytes,
)
from .campaign_export import (
    parse_phases as parse_phases,
)
from .campaign_export import (
    write_export as write_export,
)
from .campaign_joining import (
    pages_for_newcomer as pages_for_newcomer,
)
from .campaign_joining import (
    pages_to_move as pages_to_move,
)
from .campaign_live import (
    Person as Person,
)
from .campaign_live import (
    rank_campaign as rank_campaign,
)
from .campaign_live import (
    validate_campaign as validate_campaign,
)
from .campaign_live import (
    watch as watch,
)
from .campaign_live import (
    watch_people as watch_people,
)
from .campaign_report import (
    plan_json as plan_json,
)
from .campaign_report import (
    plan_report as plan_report,
)
from .campaign_report import (
    status_json as status_json,
)
from .campaign_report import (
    status_report as status_report,
)
from .campaign_shares import (
    answer_shares as answer_shares,
)
from .ntcir7.demo import (
    DICTIONARY as DICTIONARY,
)
from .ntcir7.demo import (
    INVENTED as INVENTED,
)
from .ntcir7.demo import (
    WORDS as WORDS,
)
from .ntcir7.demo import (
    DemoSystems as DemoSystems,
)
from .ntcir7.demo import (
    demo_systems as demo_systems,
)
from .ntcir7.demo import (
    retrieval_section as retrieval_section,
)
from .ntcir7.demo import (
    with_retrieval as with_retrieval,
)
from .ntcir7.extrinsic import (
    CEILING as CEILING,
)
from .ntcir7.extrinsic import (
    Extrinsic as Extrinsic,
)
from .ntcir7.extrinsic import (
    ExtrinsicSettings as ExtrinsicSettings,
)
from .ntcir7.extrinsic import (
    evaluate_extrinsically as evaluate_extrinsically,
)
from .ntcir7.reproduction import (
    reproduce_ntcir7 as reproduce_ntcir7,
)
from .ntcir9.automatic import (
    check_ntcir9 as check_ntcir9,
)
from .ntcir9.automatic import (
    ntcir9_measures as ntcir9_measures,
)
from .ntcir9.automatic import (
    pairwise_grade_scores as pairwise_grade_scores,
)
from .ntcir9.automatic import (
    pairwise_scores as pairwise_scores,
)
from .ntcir9.reproduction import (
    reproduce_ntcir9 as reproduce_ntcir9,
)
from .patent_ce.reproduction import (
    reproduce_patent_ce as reproduce_patent_ce,
)
from .patsnap.report import (
    patsnap_comparison_report as patsnap_comparison_report,
)
from .patsnap.report import (
    patsnap_json as patsnap_json,
)
from .patsnap.report import (
    patsnap_report as patsnap_report,
)
from .patsnap.result import (
    PatsnapOptions as PatsnapOptions,
)
from .patsnap.result import (
    PatsnapResult as PatsnapResult,
)
from .patsnap.result import (
    grade as grade,
)
from .patsnap.result import (
    score_patsnap as score_patsnap,
)
from .patsnap.result import (
    without_rows as without_rows,
)
from .patsnap.rows import (
    LABELS as LABELS,
)
from .patsnap.rows import (
    RowScores as RowScores,
)
from .patsnap.rows import (
    score_rows as score_rows,
)
from .reproduction import (
    Reproduction as Reproduction,
)
