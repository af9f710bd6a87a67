"""Options of the PatSnap bench on the command line, without heavy imports."""

from __future__ import annotations

from typing import Annotated

from patmark.options import Options, Parameter, group


@group
class BenchOptions(Options, heading="PatSnap bench"):
    """Scoring options of the bench."""

    direction: str | None = None
    """cn2en (default) or en2cn: the bench's names for --lang zh-en and en-zh."""
    variant: str | None = None
    """strict (default), or published to reproduce the published scorer."""
    lemmatizer: str | None = None
    """simplemma, spacy or auto (default: spacy if installed)."""
    checks: Annotated[bool | None, Parameter(negative="--no-checks")] = None
    """Also run the reference-free checks (default: with --html)."""
    components: bool = False
    """Also BLEU-1/2/4, SacreBLEU, METEOR and ROUGE-1/2/L of each general label."""
