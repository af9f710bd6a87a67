import patmark

test_set = patmark.TestSet.of(
    [["The valve (4) closes.", "The valve (4) is shut."], ["The film is 12 μm thick."]],
    target_language="en",
)
texts = ("The valve (4) is closed.", "The film has a thickness of 12 μm.")
for name in (
    "BLEU",
    "BLEU(n=2)",
    "chrF",
    "chrF(words=2)",
    "TER",
    "NIST",
    "RIBES",
    "METEOR",
    "ROUGE-L",
):
    measure = patmark.parse_measure(name)
    rows = measure.statistics(test_set, texts)
    show([str(measure.name), measure.score(rows).tolist(), float(measure.score(rows.sum(axis=0)))])
show([measure.name for measure in patmark.parse_measures("BLEU,chrF(words=2),TER")])
