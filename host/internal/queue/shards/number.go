package shards

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Number parses a shard number and the number of shards, such as 17/200. The first shard is 1. With
// auto/200, the number is the index of this job in its job array.
func Number(text string) (number, of int, err error) {
	which, count, _ := strings.Cut(text, "/")
	of, err = strconv.Atoi(count)
	if err != nil || of < 1 || of > MaxShards {
		return 0, 0, fmt.Errorf("--shard %s: write the number of the shard and the number of shards, such as 17/200; the maximum is %d", text, MaxShards)
	}
	if which == "auto" {
		number, err = arrayNumber()
	} else {
		number, err = strconv.Atoi(which)
		if err != nil {
			err = fmt.Errorf("--shard %s: %s is not a number; write 17/200 or auto/200", text, which)
		}
	}
	if err == nil && (number < 1 || number > of) {
		err = fmt.Errorf("--shard %s: the shards are numbered from 1 to %d, and this is %d", text, of, number)
	}
	return number, of, err
}

// arrayNumber returns the shard number of this job in a job array of Kubernetes or Slurm.
func arrayNumber() (int, error) {
	for _, array := range []struct {
		variable string
		first    int
	}{{"JOB_COMPLETION_INDEX", 0}, {"SLURM_ARRAY_TASK_ID", 1}} {
		text, set := os.LookupEnv(array.variable)
		if !set {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return 0, fmt.Errorf("--shard auto: %s is %q, which is not a number", array.variable, text)
		}
		return n - array.first + 1, nil
	}
	return 0, errors.New("--shard auto takes the number from JOB_COMPLETION_INDEX or SLURM_ARRAY_TASK_ID, and none of them is set; write it, such as 17/200")
}
