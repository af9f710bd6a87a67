import patmark
from patmark.protocols import PatsnapOptions, read_patsnap

test_set = patmark.TestSet.of(["The valve closes.", "The film is thin."])


def fails(work):
    try:
        work()
    except patmark.PatmarkError as error:
        problems = [str(one) for one in getattr(error, "problems", ())]
        show(
            [
                type(error).__name__,
                [one.__name__ for one in type(error).__mro__],
                str(error),
                problems,
            ]
        )


fails(lambda: patmark.evaluate(test_set, [patmark.Run("short", ("The valve.",))]))
fails(lambda: patmark.parse_measure("BLUE"))
fails(lambda: patmark.parse_measure("BLEU(m=3)"))
fails(lambda: read_patsnap("nowhere.jsonl", "cn2en"))
fails(lambda: read_patsnap("bad_testset.jsonl", "cn2en"))
fails(lambda: PatsnapOptions(direction="cn2en", variant="loose"))
fails(lambda: patmark.Sampling(by="patent"))
fails(lambda: patmark.evaluate(test_set, []))
