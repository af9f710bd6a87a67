import patmark
from patmark.data import (
    read_jsonl_run,
    read_jsonl_test_set,
    read_line_run,
    read_line_test_set,
    read_tsv,
)
from patmark.examples import example_names, example_path
from patmark.protocols import read_patsnap, read_patsnap_bench

patents = read_line_test_set(
    [example_path("ja_en/reference.en"), example_path("ja_en/reference2.en")],
    source=example_path("ja_en/source.ja"),
    documents=example_path("ja_en/documents.txt"),
    source_language="ja",
    target_language="en",
)
atlas = read_line_run(example_path("ja_en/atlas.en"), patents)
show([atlas.system, len(patents), len(set(patents.documents))])
result = patmark.evaluate(patents, [atlas], ["BLEU", "chrF", "numbers"])
estimate = result.estimates["BLEU"]["atlas"]
show([estimate.value, estimate.ci, estimate.n, result.scores["BLEU"].signature])
show([result.units.kind, result.units.count])
rows = read_jsonl_test_set("testset.jsonl", "en", "zh")
show([[one.id, one.document, one.source, one.references] for one in rows])
show(read_jsonl_run("run.jsonl", rows).texts)
table, runs = read_tsv("table.tsv", "en", "zh")
show([[run.system, run.texts] for run in runs])
bench, run = read_patsnap("english_labels.jsonl", "cn2en")
show([len(bench), run.system, run.texts])
show(len(read_patsnap_bench("english_labels.jsonl", "cn2en")))
show(example_names())
