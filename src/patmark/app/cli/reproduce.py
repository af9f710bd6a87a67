"""patmark reproduce: reproduction of published tables."""

from __future__ import annotations

from patmark.app import commands
from patmark.app.cli.output import Tables, deliver


def reproduce(request: commands.StudyRequest, output: Tables) -> None:
    """Reproduce published tables, and show printed and recomputed values side by side.

    Every table and figure of the paper is listed: recomputed, solved, or printed only with the
    reason.

    ntcir7: BLEU against human ratings and retrieval, and the gap in BLEU that retrieval needs.

    ntcir9: BLEU, NIST and RIBES against human adequacy and acceptability, with and without RBMT.

    patent-ce: agreement of measures with experts who compared generated claims.

    wmt21-ted-zhen: MQM of 15 systems, and correlations of metrics from Chinese into English.

    Examples:

      patmark reproduce ntcir9

      patmark reproduce ntcir7 --html ntcir7.html

      patmark reproduce patent-ce

      patmark reproduce patent-ce --data test_pairs.json

      patmark reproduce patent-ce --data test_pairs.json --measures 'BERTScore(model=FOLDER)'

      patmark reproduce patent-ce --data test_pairs.json --scores judged.json

      patmark reproduce wmt21-ted-zhen --data wmt-mqm-human-evaluation --html zhen.html
    """
    output.check([request.data, request.scores])
    found = commands.reproduce(request.study, sampling=request.sampling, **request.material)
    deliver(found, output)
