from .campaign_consensus import (
    common_items as common_items,
)
from .campaign_data import (
    CampaignData as CampaignData,
    find_campaign as find_campaign,
    read_campaign_data as read_campaign_data,
)
from .campaign_export import (
    EXPORT_FORMS as EXPORT_FORMS,
    RESULT_PHASES as RESULT_PHASES,
    campaign_export as campaign_export,
    export_bytes as export_bytes,
    parse_phases as parse_phases,
    write_export as write_export,
)
from .campaign_joining import (
    pages_for_newcomer as pages_for_newcomer,
    pages_to_move as pages_to_move,
)
from .campaign_live import (
    Person as Person,
    rank_campaign as rank_campaign,
    validate_campaign as validate_campaign,
    watch as watch,
    watch_people as watch_people,
)
from .campaign_report import (
    plan_json as plan_json,
    plan_report as plan_report,
    status_json as status_json,
    status_report as status_report,
)
from .campaign_shares import (
    answer_shares as answer_shares,
)
from .ntcir7.demo import (
    DICTIONARY as DICTIONARY,
    INVENTED as INVENTED,
    WORDS as WORDS,
    DemoSystems as DemoSystems,
    degrade_topics as degrade_topics,
    demo_systems as demo_systems,
    retrieval_section as retrieval_section,
    with_retrieval as with_retrieval,
)
from .ntcir7.extrinsic import (
    CEILING as CEILING,
    Extrinsic as Extrinsic,
    ExtrinsicSettings as ExtrinsicSettings,
    evaluate_extrinsically as evaluate_extrinsically,
)
from .ntcir7.reproduction import (
    reproduce_ntcir7 as reproduce_ntcir7,
)
from .ntcir9.automatic import (
    check_ntcir9 as check_ntcir9,
    ntcir9_measures as ntcir9_measures,
    pairwise_grade_scores as pairwise_grade_scores,
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
    patsnap_json as patsnap_json,
    patsnap_report as patsnap_report,
)
from .patsnap.result import (
    PatsnapOptions as PatsnapOptions,
    PatsnapResult as PatsnapResult,
    grade as grade,
    score_patsnap as score_patsnap,
    without_rows as without_rows,
)
from .patsnap.rows import (
    LABELS as LABELS,
    RowScores as RowScores,
    score_rows as score_rows,
)
from .reproduction import (
    Reproduction as Reproduction,
    Study as Study,
)
