#!/bin/sh
# The rows of rows.parquet in 200 shards on the cores of this machine, each tried up to three times. Run it
# again after an interruption: shards that are there are not computed again. With GNU parallel,
# --sshlogin of it also uses other machines that see the same files.
exec parallel --retries 3 slipstick calc --batch rows.parquet --shard '{}/200' --out out ohms-law ::: $(seq 200)
