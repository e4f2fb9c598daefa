"""Read the addresses of a dataset on a Ray cluster; each page is a row with its record as JSON."""

import sys

import ray
import ray.data

from seekread.batch import Manners, PageRecord
from seekread.batch.on_ray import BATCH, ReadPages
from seekread.config.sources import load

addresses, store = sys.argv[1:]
ray.init()
source = ray.data.read_csv(addresses)  # or read_parquet, with a column url
pages = source.map_batches(
    ReadPages,
    fn_constructor_args=(load({"store": store}), "march", {"manners": Manners(delay=0.5)}),
    batch_size=BATCH,
    num_cpus=1,
    compute=ray.data.ActorPoolStrategy(size=2),
)
for row in pages.iter_rows():
    record = PageRecord.model_validate_json(row["record"])
    print(record.outcome, record.url, len(record.markdown))
