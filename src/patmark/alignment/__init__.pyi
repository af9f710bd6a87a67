from .aligners import (
    ALIGNERS as ALIGNERS,
    DEFAULT_ALIGNER as DEFAULT_ALIGNER,
    aligner_for as aligner_for,
    senses_for as senses_for,
)
from .beads import (
    Aligner as Aligner,
    Bead as Bead,
)
from .gold import (
    AlignmentQuality as AlignmentQuality,
    Link as Link,
    links_of as links_of,
    read_gold as read_gold,
    score_alignment as score_alignment,
)
from .hybrid import (
    Hybrid as Hybrid,
    learn_lexicon as learn_lexicon,
    lexicon_of_beads as lexicon_of_beads,
)
from .lexicon import (
    Lexicon as Lexicon,
    Senses as Senses,
    learn as learn,
)
from .similarity import (
    WordMatches as WordMatches,
)
from .utiyama_isahara import (
    avsim as avsim,
    count_ratio as count_ratio,
    snt_scores as snt_scores,
)
from .words import (
    sentence_words as sentence_words,
)
