from .answer_validity import (
    answer_problem as answer_problem,
    chart_grade as chart_grade,
    chart_path as chart_path,
    next_step as next_step,
    parse_ranking as parse_ranking,
)
from .attention_checks import (
    AnswerConsistency as AnswerConsistency,
    AttentionResult as AttentionResult,
    check_results as check_results,
    self_agreement as self_agreement,
)
from .completion_codes import (
    Completions as Completions,
    completions as completions,
)
from .demo import (
    begin_demo as begin_demo,
)
from .export import (
    EXPORT_FORMS as EXPORT_FORMS,
    campaign_export as campaign_export,
    parse_phases as parse_phases,
    personal_data as personal_data,
    write_export as write_export,
)
from .extension import (
    Extension as Extension,
    pages_for_newcomer as pages_for_newcomer,
)
from .form import (
    Choice as Choice,
    ComputedScore as ComputedScore,
    Form as Form,
    Question as Question,
    Step as Step,
    Words as Words,
    form_names as form_names,
    read_form as read_form,
)
from .links import (
    DATABASE as DATABASE,
    DEFAULT_PORT as DEFAULT_PORT,
    created_links as created_links,
    default_database as default_database,
    evaluator_link as evaluator_link,
    join_link as join_link,
    links_text as links_text,
    local_address as local_address,
    mail_merge as mail_merge,
    organiser_link as organiser_link,
)
from .mail import (
    Mailing as Mailing,
    MailMessage as MailMessage,
    Reminders as Reminders,
    SmtpServer as SmtpServer,
    mail_links as mail_links,
    mail_reminders as mail_reminders,
    read_links as read_links,
    reminders as reminders,
    send_mails as send_mails,
)
from .page_completion import (
    latest_answers as latest_answers,
    missing as missing,
)
from .plan import (
    Answer as Answer,
    Candidate as Candidate,
    Page as Page,
    Plan as Plan,
)
from .planning import (
    plan_campaign as plan_campaign,
    random_id as random_id,
)
from .precision_forecast import (
    ExpectedPrecision as ExpectedPrecision,
    GradeSpread as GradeSpread,
    expected_precision as expected_precision,
    expected_precisions as expected_precisions,
    observed_spread as observed_spread,
)
from .records import (
    CampaignInfo as CampaignInfo,
    Created as Created,
)
from .results import (
    CampaignResults as CampaignResults,
    answer_records as answer_records,
    campaign_results as campaign_results,
    computed_scores as computed_scores,
    declared_scales as declared_scales,
    form_scales as form_scales,
)
from .settings import (
    CampaignSettings as CampaignSettings,
    is_mail_address as is_mail_address,
    parse_renaming as parse_renaming,
    read_campaign as read_campaign,
)
from .status import (
    CampaignList as CampaignList,
    CampaignStatus as CampaignStatus,
    PlanOverview as PlanOverview,
    campaign_status as campaign_status,
)
from .store.database import (
    database_url as database_url,
    shown as shown,
)
from .store.store import (
    Store as Store,
)
from .store.tables import (
    now as now,
)
from .training import (
    Correction as Correction,
    page_corrections as page_corrections,
    training_agreement as training_agreement,
)
from .web.app import (
    host_names as host_names,
    serve as serve,
)
from .web.sessions import (
    WebSettings as WebSettings,
)
