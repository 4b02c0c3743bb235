#!/bin/bash
# The rows of rows.parquet in 200 shards, at most 40 at a time: sbatch slurm.sh. The array counts from 1.
# To compute only the missing shards afterwards: sbatch --array=17,33-40 slurm.sh.
#SBATCH --job-name=ohms-law
#SBATCH --array=1-200%40
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --mem=1G
#SBATCH --requeue
#SBATCH --output=slurm-%A_%a.log
exec slipstick calc --batch rows.parquet --shard auto/200 --out out ohms-law
