from .alignment.beads import (
    Aligner as Aligner,
)
from .alignment.choice import (
    aligner_for as aligner_for,
)
from .alignment.choice import (
    senses_for as senses_for,
)
from .alignment.hybrid import (
    Hybrid as Hybrid,
)
from .alignment.hybrid import (
    learn_lexicon as learn_lexicon,
)
from .alignment.result import (
    AlignedTexts as AlignedTexts,
)
from .alignment.result import (
    AlignSetup as AlignSetup,
)
from .alignment.result import (
    Texts as Texts,
)
from .alignment.result import (
    align_texts as align_texts,
)
from .alignment.result import (
    read_gold_for as read_gold_for,
)
from .build.data_card import (
    data_card as data_card,
)
from .build.data_card import (
    pairs_card as pairs_card,
)
from .build.data_card import (
    read_facts as read_facts,
)
from .build.pair_files import (
    collection_stats as collection_stats,
)
from .build.pair_files import (
    count_pairs as count_pairs,
)
from .build.pair_files import (
    split_pairs as split_pairs,
)
from .build.pipeline import (
    build_corpus as build_corpus,
)
from .build.settings import (
    read_pipeline as read_pipeline,
)
from .demo_families import (
    DemoFamilies as DemoFamilies,
)
from .judged_sample import (
    merge_judgements as merge_judgements,
)
from .judged_sample import (
    precision as precision,
)
from .judged_sample import (
    read_campaign_judgements as read_campaign_judgements,
)
from .judged_sample import (
    read_judged as read_judged,
)
from .sampling import (
    draw_from_file as draw_from_file,
)
from .sampling import (
    sample_file as sample_file,
)
from .sampling import (
    write_sample as write_sample,
)
from .splits import (
    SplitSettings as SplitSettings,
)
