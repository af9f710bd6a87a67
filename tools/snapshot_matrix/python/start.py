import patmark

test_set = patmark.TestSet.of(
    ["The piston (3) is connected to the crankshaft."],
    sources=["ピストン（３）はクランク軸に連結されている。"],
    source_language="ja",
)
run = patmark.Run("mine", ("The piston (8) is connected to a crankshaft.",))
evaluation = patmark.evaluate(test_set, [run], ["BLEU", "chrF", "reference-signs"])
show(evaluation.estimates["BLEU"]["mine"].value)
show(evaluation.evidence["reference-signs"][0][0][0].message)
show(evaluation.to_json())
