package server

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestParseTimes(t *testing.T) {
	const stat = "42 (a (b) c) S 1 42 42 0 -1 4194560 100 0 0 0 150 25 9 9 20 0 7 0 300"
	if got := parseTimes(stat); got != 1750*time.Millisecond {
		t.Errorf("parseTimes = %v, want 1.75 s", got)
	}
	if got := parseTimes("42 (a) S"); got != 0 {
		t.Errorf("a short line: %v", got)
	}
}

func TestUsed(t *testing.T) {
	var took time.Duration
	var waits float64
	var err error
	// This loop uses CPU time. The busier the machine is, the longer it takes.
	for late := time.Now().Add(time.Minute); err == nil && (took <= 0 || waits <= 0) && time.Now().Before(late); {
		took, waits, err = used(os.Getpid())
	}
	if err != nil || took <= 0 || waits <= 0 {
		t.Errorf("used = %v, %v, %v: nothing", took, waits, err)
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
