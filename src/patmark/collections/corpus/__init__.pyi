from .aligned_texts import (
    AlignedTexts as AlignedTexts,
    AlignSetup as AlignSetup,
    TextPair as TextPair,
    align_texts as align_texts,
    read_gold_for as read_gold_for,
)
from .build.changes import (
    BuildChanges as BuildChanges,
    compare_builds as compare_builds,
)
from .build.data_card import (
    CollectionStats as CollectionStats,
    data_card as data_card,
    write_card as write_card,
)
from .build.estimate import (
    BuildEstimate as BuildEstimate,
    estimate_build as estimate_build,
)
from .build.pair_files import (
    collection_stats as collection_stats,
    split_pairs as split_pairs,
)
from .build.pair_filters import (
    filter_reasons as filter_reasons,
)
from .build.pipeline import (
    Build as Build,
    build_corpus as build_corpus,
)
from .build.settings import (
    FilterSettings as FilterSettings,
    SplitSettings as SplitSettings,
    read_pipeline as read_pipeline,
)
from .demo_families import (
    DemoFamilies as DemoFamilies,
)
from .held_out import (
    HeldOut as HeldOut,
    read_held_out as read_held_out,
)
from .judged_sample import (
    JudgedPair as JudgedPair,
    PairPrecision as PairPrecision,
    merge_judgements as merge_judgements,
    precision as precision,
    read_campaign_judgements as read_campaign_judgements,
    read_judged as read_judged,
    write_correct_pairs as write_correct_pairs,
)
from .pair_rows import (
    PairRow as PairRow,
)
from .sampling import (
    PairSample as PairSample,
    SampledPair as SampledPair,
    sample_file as sample_file,
    write_sample as write_sample,
)
from .term_pairs import (
    TermPair as TermPair,
)
from .tmx import (
    TmxExport as TmxExport,
    pairs_to_tmx as pairs_to_tmx,
)
