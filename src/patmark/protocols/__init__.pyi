from .ntcir7.demo import (
    DICTIONARY as DICTIONARY,
    INVENTED as INVENTED,
    WORDS as WORDS,
    DemoResult as DemoResult,
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
from .ntcir9 import (
    check_ntcir9 as check_ntcir9,
    ntcir9_measures as ntcir9_measures,
    pairwise_grade_scores as pairwise_grade_scores,
    pairwise_scores as pairwise_scores,
)
from .patent_ce import (
    ComparedRatings as ComparedRatings,
    PairOptions as PairOptions,
    compare_ratings as compare_ratings,
)
from .patsnap.bench_files import (
    check_same_rows as check_same_rows,
    read_patsnap as read_patsnap,
    read_patsnap_bench as read_patsnap_bench,
)
from .patsnap.building import (
    BenchSettings as BenchSettings,
    accepted_rows as accepted_rows,
    build_bench as build_bench,
    write_bench as write_bench,
)
from .patsnap.grades import (
    grade as grade,
)
from .patsnap.overview import (
    BenchOverview as BenchOverview,
)
from .patsnap.report import (
    patsnap_comparison_report as patsnap_comparison_report,
    patsnap_json as patsnap_json,
    patsnap_report as patsnap_report,
)
from .patsnap.rows import (
    LABELS as LABELS,
    score_rows as score_rows,
)
from .patsnap.scoring import (
    PatsnapEvaluation as PatsnapEvaluation,
    PatsnapOptions as PatsnapOptions,
    score_patsnap as score_patsnap,
    without_rows as without_rows,
)
from .studies.ntcir7 import (
    reproduce_ntcir7 as reproduce_ntcir7,
)
from .studies.ntcir9 import (
    reproduce_ntcir9 as reproduce_ntcir9,
)
from .studies.patent_ce import (
    reproduce_patent_ce as reproduce_patent_ce,
)
from .studies.reproduction import (
    Reproduction as Reproduction,
    Study as Study,
)
