package batch_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/versions"
)

// sides returns the inputs of cubes with these sides.
func sides(t *testing.T, texts ...string) []strictjson.Value {
	t.Helper()
	var list []strictjson.Value
	for _, text := range texts {
		v, err := strictjson.ParseObject([]byte(`{"side":` + text + `}`))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

// Every row gets the same answer as a single request, and a refused row does not affect others.
func TestRows(t *testing.T) {
	s, _ := newCubes()
	texts := []string{"2", "0", `{"value":200,"unit":"cm"}`, `"x"`, "1e200", "-1", "3"}
	rows, err := batch.Rows(t.Context(), s, "cube", pin("1.0.0"), sides(t, texts...))
	if err != nil || len(rows) != len(texts) {
		t.Fatal(len(rows), err)
	}
	for i, row := range rows {
		got := ""
		if row.Problem != nil {
			got = string(row.Problem.AppendJSON(nil, s.BaseURL()))
		} else {
			got = string(row.Answer.AppendJSON(nil))
		}
		if want := alone(s, `{"id":"cube","inputs":{"side":`+texts[i]+`}}`, pin("1.0.0")...); got != want {
			t.Errorf("side %s:\n%s\nalone:\n%s", texts[i], got, want)
		}
	}
	if _, err := batch.Rows(t.Context(), s, "cube", pin("9.0.0"), sides(t, "2")); problem.Of(err).Code != problem.CodeVersionMismatch {
		t.Errorf("an unpublished version gives %v", err)
	}
}

// An engine of known speed gets all rows in one call.
func TestRowsTogether(t *testing.T) {
	s, engines := newCubes()
	var texts []string
	for i := range 200 {
		texts = append(texts, fmt.Sprint(i+1))
	}
	for range 100 { // on a busy machine an engine can seem slow at first
		if _, err := batch.Rows(t.Context(), s, "cube", nil, sides(t, texts...)); err != nil {
			t.Fatal(err)
		}
		if engines.calls[len(engines.calls)-1] == 200 {
			return
		}
	}
	t.Errorf("calls of %d rows: none has all 200", engines.calls)
}

func TestRowsCanceled(t *testing.T) {
	s, _ := newCubes()
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	if _, err := batch.Rows(ctx, s, "cube", nil, sides(t, "2")); !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
}

func TestRowCalls(t *testing.T) {
	for rows, want := range map[int]int{1: 1, 200: 1, 1000: 1, 1001: 2, 1600: 2} {
		if got := batch.RowCalls(rows); got != want {
			t.Errorf("%d rows count as %d calls, want %d", rows, got, want)
		}
	}
}

func pin(v string) []versions.Pin {
	return []versions.Pin{{Place: versions.InCommand, Name: "test", Value: v}}
}
