import patmark
import patmark.data
import patmark.measures
import patmark.report

show(sorted(patmark.__all__))
show([name for name in patmark.__all__ if not hasattr(patmark, name)])
show([measure.label for measure in patmark.measures.all_measures()])
