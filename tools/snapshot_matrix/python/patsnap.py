import patmark
from patmark.examples import example_path
from patmark.protocols import (
    PatsnapOptions,
    check_same_rows,
    patsnap_json,
    patsnap_report,
    read_patsnap,
    score_patsnap,
)

for direction in ("cn2en", "en2cn"):
    runs, sets = [], []
    for system in ("atlas", "cobalt"):
        path = example_path(f"patsnap_{direction}/{system}.jsonl")
        bench, run = read_patsnap(path, direction)
        runs.append(run)
    for variant in ("strict", "published"):
        options = PatsnapOptions(direction=direction, variant=variant)
        result = score_patsnap(bench, runs, options)
        overall = result.overall("cobalt")
        show([overall.value, overall.ci])
        show(patsnap_json(result))
        show(len(patmark.to_html(patsnap_report(result))) > 10_000)
show(check_same_rows.__name__)
