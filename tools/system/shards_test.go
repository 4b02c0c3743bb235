package system

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/oasdiff/yaml"

	"github.com/slipstick/slipstick/host/internal/queue/shards"
)

// wires writes a table with the given number of rows and returns its name. The third row is rejected.
func wires(t *testing.T, name string, n int) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("wire,V,R\n")
	for i := range n {
		if i == 2 {
			text.WriteString("bad,12,\n")
			continue
		}
		fmt.Fprintf(&text, "w%d,%d.5,%d\n", i, i, 1+i%7)
	}
	return write(t, name, text.String())
}

// files returns the names and contents of the files in a directory.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		list[e.Name()] = string(text)
	}
	return list
}

// verified is the JSON output of slipstick batch verify.
type verified struct {
	Whole, Rejected, Sampled int
	Missing                  []int
	Damaged                  []struct{ Shard int }
	Holds                    bool
	Unchecked                string
}

func verifyShards(t *testing.T, code int, args ...string) (v verified) {
	t.Helper()
	r := slipstick(t.Context(), append([]string{"batch", "verify", "--json", "--registry", built.registry}, args...)...)
	if err := json.Unmarshal([]byte(r.out), &v); err != nil || r.code != code {
		t.Fatalf("batch verify %v: %d, want %d: %s%s", args, r.code, code, r.out, r.err)
	}
	return v
}

// Shards are parts of the output that a batch writes in one piece, and verify reports the complete ones.
func TestCalcShard(t *testing.T) {
	rows, dir := wires(t, "rows.csv", 100), filepath.Join(t.TempDir(), "out")
	whole := calcOn(t, "", "--batch", rows, "--output", "csv", "ohms-law")
	if whole.code != exitFailed {
		t.Fatal(whole)
	}
	shard := func(args ...string) result {
		return calcOn(t, "", append([]string{"--batch", rows, "--out", dir, "ohms-law", "--shard"}, args...)...)
	}
	for _, k := range []string{"1/3", "3/3"} {
		if r := shard(k); r.code != exitOK {
			t.Fatal(r)
		}
	}
	if v := verifyShards(t, exitFailed, dir, rows); v.Whole != 2 || !reflect.DeepEqual(v.Missing, []int{2}) || v.Rejected != 1 || v.Sampled == 0 || v.Holds {
		t.Errorf("%+v", v)
	}
	t.Setenv("SLURM_ARRAY_TASK_ID", "2")
	if r := shard("auto/3", "--progress", "json"); r.code != exitOK || !strings.Contains(r.err, `"shard":"2/3","rows":33,"of":33`) {
		t.Error(r)
	}
	if r := shard("2/3"); r.code != exitOK || !strings.Contains(r.err, "there already") {
		t.Error(r)
	}
	if v := verifyShards(t, exitOK, dir, rows, "--sample", "all"); v.Whole != 3 || v.Sampled != 100 || !v.Holds {
		t.Errorf("%+v", v)
	}
	if v := verifyShards(t, exitInternal, dir); v.Unchecked == "" || !v.Holds {
		t.Errorf("%+v", v)
	}
	verifyShards(t, exitOK, dir, "--sample", "0")
	list, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil || len(list) != 3 {
		t.Fatal(list, err)
	}
	var together string
	for i, name := range list {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		head, body, _ := strings.Cut(string(text), "\n")
		if i == 0 {
			together = head + "\n"
		}
		together += body
	}
	if together != whole.out {
		t.Errorf("%s\nwant\n%s", together, whole.out)
	}
	if err := os.WriteFile(list[1], []byte("else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if v := verifyShards(t, exitFailed, dir, rows); len(v.Damaged) != 1 || v.Damaged[0].Shard != 2 {
		t.Errorf("%+v", v)
	}
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"1/4"}, exitMisuse, "another number of shards: 3; here it is 4"},
		{[]string{"1/3", "--unit", "current=mA"}, exitMisuse, "another list of units: none; here it is current=mA"},
		{[]string{"0/3"}, exitMisuse, "numbered from 1 to 3"},
		{[]string{"auto/1"}, exitMisuse, "this is 2"},
		{[]string{"1"}, exitMisuse, "such as 17/200"},
		{[]string{"x/3"}, exitMisuse, "x is not a number"},
		{[]string{"1/3", "--output", "full"}, exitMisuse, "use result, csv, parquet, arrow or arrows"},
		{[]string{"1/3", "--no-keep-going"}, exitMisuse, "--no-keep-going"},
		{[]string{"1/3", "--pin", "9.9.9"}, exitFailed, "9.9.9"},
	} {
		if r := shard(tt.args...); r.code != tt.code || !strings.Contains(r.err, tt.says) {
			t.Errorf("%v: %d, %s", tt.args, r.code, r.err)
		}
	}
	if r := calcOn(t, "", "--batch", rows, "--shard", "1/3", "ohms-law"); r.code != exitMisuse || !strings.Contains(r.err, "--out DIR") {
		t.Error(r)
	}
	if r := slipstick(t.Context(), "batch", "verify", filepath.Join(dir, "none")); r.code != exitMisuse {
		t.Error(r)
	}
}

// Runs are killed at random times. The final output equals the output of an undisturbed run.
func TestShardKilled(t *testing.T) {
	busy(t)
	size, kills := 20_000, 8
	if os.Getenv("SLIPSTICK_SOAK") != "" {
		size, kills = 200_000, 300
	}
	rows := wires(t, "rows.csv", size)
	compute := func(dir string, shard int) *exec.Cmd {
		return exec.CommandContext(t.Context(), built.slipstick, "calc", "--registry", built.registry, "--batch", rows,
			"--shard", fmt.Sprintf("%d/2", shard), "--output", "parquet", "--out", dir, "ohms-law")
	}
	undisturbed, dir := filepath.Join(t.TempDir(), "undisturbed"), filepath.Join(t.TempDir(), "killed")
	var took time.Duration
	for k := 1; k <= 2; k++ {
		begun := time.Now()
		if out, err := compute(undisturbed, k).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		took = time.Since(begun)
	}
	left := map[string]bool{}
	for i := range kills {
		cmd := compute(dir, 1+i%2)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(took*3/2*time.Duration(i+1)/time.Duration(kills), func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		kill.Stop()
		if _, err := os.Stat(dir); err != nil {
			continue // the run was killed before it created the directory
		}
		for name := range files(t, dir) {
			left[filepath.Ext(name)] = true
			// No partial file has a final name.
			if whole, err := os.ReadFile(filepath.Join(undisturbed, name)); !strings.HasPrefix(name, ".") && (err != nil || string(whole) != files(t, dir)[name]) {
				t.Fatalf("after the kill %d: %s is not what it must be", i, name)
			}
		}
	}
	t.Logf("a run takes %v; after %d kills there were %v", took, kills, left)
	for k := 1; k <= 2; k++ {
		if out, err := compute(dir, k).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if got, want := files(t, dir), files(t, undisturbed); !reflect.DeepEqual(got, want) {
		t.Errorf("there are %d files, want %d, or they differ", len(got), len(want))
	}
}

// example returns a file of docs/examples/batch, and a directory with 400 rows and a registry.
func example(t *testing.T, name string) (text, dir string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "docs", "examples", "batch", name))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := os.Rename(wires(t, "rows.csv", 400), filepath.Join(dir, "rows.csv")); err != nil {
		t.Fatal(err)
	}
	return string(data), dir
}

// inDir sets up a command to run in a directory and to find the program and the registry.
func inDir(cmd *exec.Cmd, dir string, env ...string) *exec.Cmd {
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append(env, "PATH="+built.dir+":"+os.Getenv("PATH"), "SLIPSTICK_REGISTRY="+built.registry)...)
	return cmd
}

// The examples compute the documented results, from the array index of Kubernetes or Slurm.
func TestShardExamples(t *testing.T) {
	busy(t)
	text, dir := example(t, "kubernetes.yaml")
	var job struct {
		Spec struct {
			CompletionMode string
			Completions    int
			Template       struct {
				Spec struct {
					Containers []struct {
						Args         []string
						VolumeMounts []struct{ MountPath string }
					}
				}
			}
		}
	}
	if _, err := yaml.Unmarshal([]byte(text), &job, yaml.DecodeOpts{}); err != nil || job.Spec.CompletionMode != "Indexed" || len(job.Spec.Template.Spec.Containers) != 1 {
		t.Fatal(job, err)
	}
	container := job.Spec.Template.Spec.Containers[0]
	args := strings.Split(strings.ReplaceAll(strings.Join(container.Args, "\n"), container.VolumeMounts[0].MountPath+"/rows.parquet", dir+"/rows.csv"), "\n")
	for i := range args {
		args[i] = strings.Replace(args[i], container.VolumeMounts[0].MountPath, dir, 1)
	}
	last := fmt.Sprint("JOB_COMPLETION_INDEX=", job.Spec.Completions-1)
	if out, err := inDir(exec.CommandContext(t.Context(), built.slipstick, args...), dir, last).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	script, _ := example(t, "slurm.sh")
	script = strings.ReplaceAll(script, "rows.parquet", "rows.csv")
	if out, err := inDir(exec.CommandContext(t.Context(), "bash", "-c", script), dir, "SLURM_ARRAY_TASK_ID=1").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	d, err := shards.Read(t.Context(), filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Shards) != 200 || len(d.Strays) != 0 {
		t.Fatal(len(d.Shards), d.Strays)
	}
	for _, s := range d.Shards {
		if here := s.State == shards.Whole; here != (s.Number == 1 || s.Number == 200) {
			t.Errorf("shard %d is %s", s.Number, s.State)
		}
	}
}

// GNU parallel computes all shards, also if it is killed repeatedly.
func TestShardsInParallel(t *testing.T) {
	if os.Getenv("SLIPSTICK_SOAK") == "" {
		t.Skip("200 processes: scripts/soak shards")
	}
	script, dir := example(t, "parallel.sh")
	script = strings.ReplaceAll(script, "rows.parquet", "rows.csv")
	for range 10 {
		cmd := inDir(exec.CommandContext(t.Context(), "sh", "-c", script), dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(time.Duration(rand.IntN(5000))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		kill.Stop()
	}
	var out bytes.Buffer
	cmd := inDir(exec.CommandContext(t.Context(), "sh", "-c", script), dir)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	t.Logf("the last run found %d of 200 shards there", strings.Count(out.String(), "there already"))
	if v := verifyShards(t, exitOK, filepath.Join(dir, "out"), filepath.Join(dir, "rows.csv"), "--sample", "all"); v.Whole != 200 || v.Sampled != 400 {
		t.Errorf("%+v", v)
	}
}
