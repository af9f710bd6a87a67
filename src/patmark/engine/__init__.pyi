from .datasets import (
    Batch as Batch,
)
from .datasets import (
    Schema as Schema,
)
from .datasets import (
    arrow as arrow,
)
from .datasets import (
    arrow_schema as arrow_schema,
)
from .datasets import (
    batch_of as batch_of,
)
from .datasets import (
    iter_rows as iter_rows,
)
from .datasets import (
    open_parquet as open_parquet,
)
from .datasets import (
    part_path as part_path,
)
from .datasets import (
    regrouped as regrouped,
)
from .datasets import (
    write_part as write_part,
)
from .datasets import (
    write_rows as write_rows,
)
from .engine import (
    Engine as Engine,
)
from .engine import (
    open_engine as open_engine,
)
from .steps import (
    Dataset as Dataset,
)
from .steps import (
    StepProgress as StepProgress,
)
from .steps import (
    StepRunner as StepRunner,
)
from .steps import (
    Table as Table,
)
from .steps import (
    View as View,
)
from .steps import (
    locked as locked,
)
