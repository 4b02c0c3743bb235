// Command queue shows the effects on a batch in a queue while brokers and workers are killed, stopped and
// disconnected. scripts/soak nats builds its programs and runs it.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/slipstick/slipstick/host/tools/cluster/internal/world"
)

var (
	programs = flag.String("programs", "bin", "directory of slipstick")
	registry = flag.String("registry", "var/queue/registry", "directory of a registry that has the cantilever")
	dir      = flag.String("dir", "var/queue", "directory for rows and results")
	rows     = flag.Int("rows", 1_500_000, "how many are computed while processes are killed")
	shards   = flag.Int("shards", 150, "into how many parts they are divided")
	paced    = flag.Int("paced", 1_500_000, "how many rows are computed by one worker, and by two")
	within   = flag.Duration("within", 10*time.Minute, "how long that may take")
	seed     = flag.Uint64("seed", 1, "of who is killed when")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := 0, error(nil)
	if world.Inside() {
		err = play(ctx)
	} else {
		code, err = world.Run(ctx)
	}
	switch {
	case errors.As(err, new(*world.UnavailableError)):
		fmt.Fprintln(os.Stderr, "queue: SKIPPED, nothing was tested:", err)
		code = 4
	case err != nil:
		fmt.Fprintln(os.Stderr, "queue:", err)
		code = 1
	}
	os.Exit(code)
}

// rig is three brokers and the machines of workers.
type rig struct {
	slipstick string
	dir       string
	env       []string
	brokers   []*broker
	workers   []*world.Machine

	mu     sync.Mutex
	counts map[string]int // number of faults by kind and target
}

type broker struct {
	machine *world.Machine
	cable   *world.Cable
	config  string
	process *world.Process
}

func (b *broker) start(ctx context.Context) (err error) {
	b.process, err = b.machine.Start(ctx, world.StartOptions{}, "nats-server", "--config", b.config)
	return err
}

func play(ctx context.Context) error {
	r, err := build(ctx)
	if err != nil {
		return err
	}
	ctx, end := context.WithTimeout(ctx, *within)
	defer end()
	return errors.Join(r.pace(ctx), r.disturb(ctx))
}

// build creates the machines, and starts the brokers.
func build(ctx context.Context) (*rig, error) {
	w, err := world.Enter()
	if err != nil {
		return nil, err
	}
	at := func(n int) netip.Addr { return netip.AddrFrom4([4]byte{10, 79, 0, byte(n)}) }
	net, err := w.NewNet("net", netip.PrefixFrom(at(1), 24))
	if err != nil {
		return nil, err
	}
	r := &rig{counts: map[string]int{}}
	r.slipstick, err = filepath.Abs(filepath.Join(*programs, "slipstick"))
	if err != nil {
		return nil, err
	}
	r.dir, err = filepath.Abs(*dir)
	if err != nil {
		return nil, err
	}
	published, err := filepath.Abs(*registry)
	if err != nil {
		return nil, err
	}
	var routes, addresses []string
	for n := range 3 {
		routes = append(routes, fmt.Sprintf("nats://%s:6222", at(11+n)))
		addresses = append(addresses, fmt.Sprintf("nats://%s:4222", at(11+n)))
	}
	r.env = []string{"SLIPSTICK_QUEUE=" + strings.Join(addresses, ","), "SLIPSTICK_REGISTRY=" + published}
	for n := range 3 {
		b := new(broker)
		b.machine, err = w.NewMachine(fmt.Sprintf("broker-%d", n+1))
		if err != nil {
			return nil, err
		}
		b.cable, err = net.Plug(b.machine, at(11+n))
		if err != nil {
			return nil, err
		}
		own, err := w.Dir(b.machine.Name)
		if err != nil {
			return nil, err
		}
		b.config = filepath.Join(own, "nats.conf")
		text := fmt.Sprintf("server_name: %s\nlisten: %s:4222\njetstream { store_dir: %q, max_mem: 256MB, max_file: 1GB }\ncluster { name: soak, listen: %s:6222, routes: [%s] }\n",
			b.machine.Name, at(11+n), own, at(11+n), strings.Join(routes, ", "))
		if err := os.WriteFile(b.config, []byte(text), 0o600); err != nil {
			return nil, err
		}
		if err := b.start(ctx); err != nil {
			return nil, err
		}
		r.brokers = append(r.brokers, b)
	}
	for n := range 2 {
		m, err := w.NewMachine(fmt.Sprintf("worker-%d", n+1))
		if err != nil {
			return nil, err
		}
		if _, err := net.Plug(m, at(21+n)); err != nil {
			return nil, err
		}
		r.workers = append(r.workers, m)
	}
	return r, nil
}

// write writes a file of rows. Some rows are rejected.
func (r *rig) write(name string, n int) (string, error) {
	path := filepath.Join(r.dir, name)
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	random := rand.New(rand.NewPCG(*seed, 7))
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprintln(w, "case,L,E,I,w0")
	for i := range n {
		fmt.Fprintf(w, "%d,%.5f,210e9,8.356e-5,%d\n", i, 5*random.Float64()-0.05, random.IntN(20_000))
	}
	return path, errors.Join(w.Flush(), f.Close())
}

// command runs slipstick on this machine.
func (r *rig) command(ctx context.Context, args ...string) (string, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, r.slipstick, args...)
	cmd.Env = append(os.Environ(), r.env...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("slipstick %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return out.String(), nil
}

// submit submits a job, and repeats this while the brokers elect a leader.
func (r *rig) submit(ctx context.Context, file, results string, parts int) (job string, err error) {
	for begin := time.Now(); ; time.Sleep(500 * time.Millisecond) {
		var out string
		out, err = r.command(ctx, "batch", "submit", file, "cantilever-deflection", "--shards", fmt.Sprint(parts), "--results", results, "--lost-after", "3s", "--attempts", "20", "--replicas", "3", "--json")
		var made struct{ Job string }
		if err == nil {
			err = json.Unmarshal([]byte(out), &made)
			return made.Job, err
		}
		if time.Since(begin) > time.Minute || ctx.Err() != nil {
			return "", err
		}
	}
}

// queueStatus is the JSON output of slipstick batch status.
type queueStatus struct {
	Ended                                bool
	Shards, Waiting, Taken, Done, Failed int
	Missing                              int
	Rows, Rejected                       int64
	Troubles                             []struct{ Reason string }
}

func (r *rig) status(ctx context.Context, job string) (s queueStatus, err error) {
	out, err := r.command(ctx, "batch", "status", job, "--json")
	if err == nil {
		err = json.Unmarshal([]byte(out), &s)
	}
	return s, err
}

// pace measures the speedup by a second worker. Each worker has its own CPU.
func (r *rig) pace(ctx context.Context) error {
	file, err := r.write("paced.csv", *paced)
	if err != nil {
		return err
	}
	var rates []float64
	for n := 1; n <= 2; n++ {
		results := filepath.Join(r.dir, fmt.Sprintf("paced-%d", n))
		job, err := r.submit(ctx, file, results, 60)
		if err != nil {
			return err
		}
		var all sync.WaitGroup
		begin := time.Now()
		errs, spent := make([]error, n), make([]time.Duration, n)
		for k := range n {
			all.Go(func() {
				cmd := exec.CommandContext(ctx, "nsenter", "--net=/run/netns/"+r.workers[k].Name, "--", "taskset", "-c", fmt.Sprint(k), r.slipstick, "batch", "work", "--until-done")
				cmd.Env = append(os.Environ(), r.env...)
				if out, err := cmd.CombinedOutput(); err != nil {
					errs[k] = fmt.Errorf("%w: %s", err, out)
				} else {
					fmt.Printf("  %s", out)
					spent[k] = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() // the time of its engines is included
				}
			})
		}
		all.Wait() // do not poll the progress: it would take CPU time from the workers
		ended := time.Since(begin)
		if err := errors.Join(errs...); err != nil {
			return err
		}
		rates = append(rates, float64(*paced)/ended.Seconds())
		var cpu time.Duration
		for _, one := range spent {
			cpu += one
		}
		fmt.Printf("%d worker(s) of one processor each: %.0f rows/s, with start and end; %.0f rows a second of processor\n", n, rates[n-1], float64(*paced)/cpu.Seconds())
		if _, err := r.command(ctx, "batch", "cancel", job); err != nil {
			return err
		}
	}
	fmt.Printf("two workers are %.2f times one\n", rates[1]/rates[0])
	one, err := r.digests("paced-1")
	two, err2 := r.digests("paced-2")
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if len(one) != 60 || !slices.Equal(one, two) {
		return errors.New("one worker and two have written other bytes")
	}
	if rates[1] < 1.8*rates[0] {
		return fmt.Errorf("two workers are %.2f times one, and not 1.8", rates[1]/rates[0])
	}
	return nil
}

// digests returns the digests of the manifests in a directory, by shard.
func (r *rig) digests(results string) (list []string, err error) {
	names, _ := filepath.Glob(filepath.Join(r.dir, results, "*-of-*.json"))
	slices.Sort(names)
	for _, name := range names {
		text, err := os.ReadFile(name)
		var m struct{ Digest string }
		if err == nil {
			err = json.Unmarshal(text, &m)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, m.Digest)
	}
	return list, nil
}

func (r *rig) count(what string) {
	r.mu.Lock()
	r.counts[what]++
	r.mu.Unlock()
}

// disturb computes a batch while brokers and workers are killed. It compares the output with the output of a
// single command.
func (r *rig) disturb(ctx context.Context) error {
	file, err := r.write("rows.csv", *rows)
	if err != nil {
		return err
	}
	whole := filepath.Join(r.dir, "whole.csv")
	if _, err := r.command(ctx, "calc", "--batch", file, "--out", whole, "cantilever-deflection"); err != nil && !strings.Contains(err.Error(), "exit status 1") { // some rows are rejected
		return err
	}
	results := filepath.Join(r.dir, "results")
	job, err := r.submit(ctx, file, results, *shards)
	if err != nil {
		return err
	}
	begin := time.Now()
	disturbed, calm := context.WithCancel(ctx)
	var all sync.WaitGroup
	for n, m := range r.workers {
		all.Go(func() { r.killWorkers(disturbed, m, rand.New(rand.NewPCG(*seed, uint64(n)))) })
	}
	all.Go(func() { r.killBrokers(disturbed) })
	last, err := r.follow(ctx, job, file, results)
	calm()
	all.Wait()
	if err != nil {
		return err
	}
	took := time.Since(begin)
	fmt.Printf("%d rows in %d shards, %d rejected, in %s with faults throughout\n", last.Rows, last.Done, last.Rejected, took.Round(time.Second))
	names := make([]string, 0, len(r.counts))
	for what := range r.counts {
		names = append(names, what)
	}
	slices.Sort(names)
	for _, what := range names {
		fmt.Printf("  %-40s %d\n", what, r.counts[what])
	}
	if last.Done != *shards || last.Failed != 0 || last.Rows != int64(*rows) {
		return fmt.Errorf("the job ended with %+v", last)
	}
	if out, err := r.command(ctx, "batch", "verify", results, file, "--sample", "10000"); err != nil {
		return err
	} else {
		fmt.Print(out)
	}
	if err := same(whole, results); err != nil {
		return err
	}
	fmt.Printf("the shards, one after the other, are the bytes of slipstick calc --batch: 0 of %d rows lost, doubled or changed\n", *rows)
	return nil
}

// follow waits for the end of the job. A broker may have lost accepted shards; then it submits the job again, as
// the status recommends.
func (r *rig) follow(ctx context.Context, job, file, results string) (queueStatus, error) {
	missing := time.Time{}
	for {
		s, err := r.status(ctx, job)
		switch {
		case ctx.Err() != nil:
			return s, fmt.Errorf("it did not end in time: %+v, %w", s, errors.Join(err, ctx.Err()))
		case err != nil:
		case s.Ended:
			return s, nil
		case s.Missing == 0:
			missing = time.Time{}
		case missing.IsZero():
			missing = time.Now()
		case time.Since(missing) > 20*time.Second:
			r.count("submissions of shards that were missing")
			if _, err := r.submit(ctx, file, results, *shards); err != nil {
				return s, err
			}
			missing = time.Time{}
		}
		time.Sleep(500 * time.Millisecond)
	}
}

// killWorkers starts one worker after the other, and ends each after some seconds.
func (r *rig) killWorkers(ctx context.Context, m *world.Machine, random *rand.Rand) {
	env := append(slices.Clone(r.env), "GOMAXPROCS=1")
	for ctx.Err() == nil {
		p, err := m.Start(ctx, world.StartOptions{Env: env}, r.slipstick, "batch", "work")
		if err != nil {
			r.count("workers that could not be started")
			continue
		}
		sleep(ctx, time.Duration(1000+random.IntN(4000))*time.Millisecond)
		switch ended, err := p.Ended(); {
		case ended && ctx.Err() == nil:
			r.count(fmt.Sprintf("workers that ended by themselves (%v)", err))
		case random.IntN(3) == 0:
			r.count("workers stopped")
			_ = p.Stop(20 * time.Second)
		default:
			r.count("workers killed")
			p.Kill()
		}
	}
}

// killBrokers disturbs one broker after the other, and sometimes all of them.
func (r *rig) killBrokers(ctx context.Context) {
	random := rand.New(rand.NewPCG(*seed, 99))
	for round := 0; ctx.Err() == nil; round++ {
		sleep(ctx, 2*time.Second)
		b := r.brokers[random.IntN(len(r.brokers))]
		down := time.Duration(500+random.IntN(3500)) * time.Millisecond
		switch {
		case round%10 == 9:
			r.count("all brokers killed at once")
			for _, one := range r.brokers {
				one.process.Kill()
			}
			sleep(ctx, down)
			for _, one := range r.brokers {
				_ = one.start(context.WithoutCancel(ctx))
			}
			sleep(ctx, 5*time.Second) // time to elect leaders
		case round%5 == 2:
			r.count("brokers frozen")
			_ = b.process.Signal(syscall.SIGSTOP)
			sleep(ctx, down)
			_ = b.process.Signal(syscall.SIGCONT)
		case round%5 == 4:
			r.count("brokers cut off")
			_ = b.cable.Cut()
			sleep(ctx, down)
			_ = b.cable.Mend()
		default:
			r.count("brokers killed")
			b.process.Kill()
			sleep(ctx, down)
			_ = b.start(context.WithoutCancel(ctx))
		}
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// same compares a table with the tables in a directory, one after the other below one header.
func same(whole, results string) error {
	want, err := os.Open(whole)
	if err != nil {
		return err
	}
	defer want.Close()
	wanted := bufio.NewReaderSize(want, 1<<20)
	names, _ := filepath.Glob(filepath.Join(results, "*.csv"))
	slices.Sort(names)
	row := 0
	for i, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		is := bufio.NewScanner(f)
		is.Buffer(nil, 1<<20)
		for line := 0; is.Scan(); line++ {
			if line == 0 && i > 0 {
				continue // the header
			}
			text, err := wanted.ReadString('\n')
			if err != nil || text != is.Text()+"\n" {
				f.Close()
				return fmt.Errorf("row %d in %s: %s; want %s, %v", row, filepath.Base(name), is.Text(), text, err)
			}
			row++
		}
		if err := errors.Join(is.Err(), f.Close()); err != nil {
			return err
		}
	}
	if _, err := wanted.ReadByte(); err != io.EOF {
		return fmt.Errorf("the shards end after row %d, and the table goes on", row)
	}
	return nil
}
