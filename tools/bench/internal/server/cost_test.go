package server

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestParseUsage(t *testing.T) {
	const stat = "42 (a (b) c) S 1 42 42 0 -1 4194560 100 0 3 0 150 25 9 9 20 0 7 0 300"
	if got, want := parseUsage(stat), (Usage{CPU: 1750 * time.Millisecond, Faults: 103}); got != want {
		t.Errorf("parseUsage = %v, want %v", got, want)
	}
	if got := parseUsage("42 (a) S"); got != (Usage{}) {
		t.Errorf("a short line: %v", got)
	}
}

func TestUsed(t *testing.T) {
	var u Usage
	var err error
	// This loop uses CPU time. The busier the machine is, the longer it takes.
	for late := time.Now().Add(time.Minute); err == nil && (u.CPU <= 0 || u.Waits <= 0) && time.Now().Before(late); {
		u, err = used(os.Getpid())
	}
	if err != nil || u.CPU <= 0 || u.Waits <= 0 || u.Faults <= 0 {
		t.Errorf("used = %v, %v: nothing", u, err)
	}
}

func TestEachMetric(t *testing.T) {
	const text = "# HELP a b\na 1\nb{c=\"d e\"} 2\n"
	var got strings.Builder
	if err := eachMetric(strings.NewReader(text), func(name, value string) { got.WriteString(name + "=" + value + ";") }); err != nil {
		t.Fatal(err)
	}
	if want := "a=1;b{c=\"d e\"}=2;"; got.String() != want {
		t.Errorf("metrics %s, want %s", got.String(), want)
	}
}
