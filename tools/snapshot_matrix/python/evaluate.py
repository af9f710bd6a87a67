import patmark

test_set = patmark.TestSet.of(
    [["The valve (4) closes.", "The valve (4) is shut."], ["The film is 12 μm thick."]],
    sources=["阀门（4）关闭。", "膜厚为12μm。"],
    documents=["CN900100013A", "CN900100024A"],
    source_language="zh",
    target_language="en",
)
good = patmark.Run("good", ("The valve (4) is closed.", "The film has a thickness of 12 μm."))
bad = patmark.Run("bad", ("The valve is closed.", None))
show([test_set[1].references, bad.missing, test_set.documents, test_set.sources])
settings = patmark.Sampling(resamples=500, seed=7, by="segment")
result = patmark.evaluate(test_set, [good, bad], ["chrF", "numbers", "reference-signs"], settings)
show(result.systems)
show({m: {s: [e.value, e.ci, e.n] for s, e in v.items()} for m, v in result.estimates.items()})
show(result.scores["chrF"].segment_scores.tolist())
show(result.scores["chrF"].system_scores.tolist())
show(result.scores["chrF"].statistics.tolist())
show({name: scores.signature for name, scores in result.scores.items()})
show(patmark.evaluate(test_set, [good, bad]).to_json())
