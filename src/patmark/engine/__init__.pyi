from .datasets import (
    Batch as Batch,
    Schema as Schema,
    StoredFile as StoredFile,
    arrow as arrow,
    arrow_schema as arrow_schema,
    batch_of as batch_of,
    file_facts as file_facts,
    iter_batches as iter_batches,
    iter_rows as iter_rows,
    local_file as local_file,
    open_parquet as open_parquet,
    part_path as part_path,
    publish as publish,
    regrouped as regrouped,
    stored_files as stored_files,
    write_part as write_part,
    write_rows as write_rows,
)
from .engine import (
    Engine as Engine,
    LocalEngine as LocalEngine,
    open_engine as open_engine,
)
from .spark import (
    spark_session as spark_session,
)
from .steps import (
    LINE_SCHEMA as LINE_SCHEMA,
    LOCK_FILE as LOCK_FILE,
    Cost as Cost,
    Dataset as Dataset,
    Relation as Relation,
    StepProgress as StepProgress,
    StepRunner as StepRunner,
    View as View,
    cpu_seconds as cpu_seconds,
    locked as locked,
)
from .store_paths import (
    Place as Place,
    StorePath as StorePath,
    any_place as any_place,
    is_url as is_url,
    local_target as local_target,
    open_store as open_store,
    place_name as place_name,
    remove_tree as remove_tree,
    shown_url as shown_url,
    write_text as write_text,
)
