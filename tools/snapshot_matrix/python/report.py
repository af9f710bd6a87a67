from pathlib import Path

from rich.console import Console

import patmark
from patmark.report import print_report, to_csv, to_latex, to_markdown

test_set = patmark.TestSet.of(["The valve closes.", "The film is thin."], target_language="en")
run = patmark.Run("mine", ("The valve is closed.", "the film is thin."))
report = patmark.evaluate(test_set, [run], ["BLEU", "chrF"]).to_report("Valves and films")
Path("report.html").write_text(patmark.to_html(report), encoding="utf-8")
print(to_csv(report), to_markdown(report), to_latex(report), sep="\n")
print_report(report, Console(width=100))
