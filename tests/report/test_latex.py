"""LaTeX tables."""

from __future__ import annotations

from patmark.data.scores import Estimate
from patmark.report.latex import to_latex
from patmark.report.model import Column, Report, Table

WHOLE = r"""
\begin{table}[htbp]
\centering
\caption{Bench \& co\_1}
\label{tab:bench-co-1-1}
\begin{tabular}{llrll}
\toprule
System & Measure & Score & Grade & Meaning \\
\midrule
sys\_A & Overall & 81.2 {\footnotesize [80.0, 82.5]} & A & ready \textbar{} done \\
B & Overall & 49.0 & -- &  \\
\bottomrule
\end{tabular}
\par\smallskip{\footnotesize SUBTITLE}
\end{table}

\begin{table}[htbp]
\centering
\caption{By label}
\label{tab:bench-co-1-2}
\begin{tabular}{lrrr}
\toprule
label & Accuracy & Errors $\downarrow$ & n \\
\midrule
normal\_sentence & 53.2 {\footnotesize [51.0, 55.4]} & 0.12 & 120 \\
a\textbar{}b {[}c{]} {*}d{*} & -- & -- & 0 \\
\bottomrule
\end{tabular}
\par\smallskip{\footnotesize n \textless{} 20: {*}unsure{*}}
\end{table}

\paragraph{Notes}
\begin{itemize}
\item Resampled by segment.
\item - 5 rows skipped
\end{itemize}

\paragraph{Signatures}
\begin{itemize}
\item BLEU: \texttt{BLEU\textbar\allowbreak{}tok:13a\textbar\allowbreak{}refs:1}
\end{itemize}
"""
SUBTITLE = r"100\% \#1 \{zh\}\textasciitilde{}en\textasciicircum{}2 \textbackslash{} \$5"


def test_the_whole_report(small_report: Report) -> None:
    first, title, *rest = to_latex(small_report).splitlines(keepends=True)
    assert first.startswith(r"% Needs \usepackage{booktabs}")
    assert title == "% Bench & co_1\n"
    assert "".join(rest) == WHOLE.replace("SUBTITLE", SUBTITLE)


def test_each_special_character_is_escaped() -> None:
    table = Table("t", (Column("x"), Column("y", 1)), (("_&%$#~^\\{}", Estimate(-1.5)),))
    escaped = (
        r"\_\&\%\$\#\textasciitilde{}\textasciicircum{}\textbackslash{}\{\}"
        r" & $-$1.5 \\"
    )
    assert escaped in to_latex(Report("t", "", (), (table,), {})).splitlines()


def test_a_title_cannot_leave_its_comment() -> None:
    assert "\n\\evil" not in to_latex(Report("a\n\\evil", "", (), (), {}))


def test_signs_of_tables_are_signs_of_mathematics() -> None:
    columns = (Column("wins − losses δ →"), Column("p", 4, p_value=True), Column("n", 0))
    table = Table("≫ · … ½ α κ ± ×", columns, (("x", 0.00001, float("inf")),))
    lines = to_latex(Report("t", "", (), (table,), {})).splitlines()
    assert r"wins $-$ losses $\delta$ $\rightarrow$ & p & n \\" in lines
    assert r"x & $<$0.0001 & $\infty$ \\" in lines
    assert (
        r"\caption{$\gg$ $\cdot$ \ldots{} \textonehalf{} $\alpha$ $\kappa$ $\pm$ $\times$}" in lines
    )


def test_names_that_share_a_signature_share_a_line() -> None:
    page = to_latex(Report("t", "", (), (), {"a_1": "s|v:1", "b": "t", "c": "s|v:1"}))
    assert r"\item a\_1, c: \texttt{s\textbar\allowbreak{}v:1}" in page.splitlines()
    assert page.count(r"\item") == 2
