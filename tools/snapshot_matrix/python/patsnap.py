import patmark
from patmark.data import check_same_rows
from patmark.examples import example_path

for direction in ("cn2en", "en2cn"):
    runs, sets = [], []
    for system in ("atlas", "cobalt"):
        path = example_path(f"patsnap_{direction}/{system}.jsonl")
        bench, run = patmark.read_patsnap(path, direction)
        runs.append(run)
    for variant in ("strict", "published"):
        options = patmark.PatsnapOptions(direction=direction, variant=variant)
        result = patmark.score_patsnap(bench, runs, options)
        overall = result.overall("cobalt")
        show([overall.value, overall.ci])
        show(patmark.patsnap_json(result))
        show(len(patmark.to_html(patmark.patsnap_report(result))) > 10_000)
show(check_same_rows.__name__)
