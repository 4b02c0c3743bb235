package versions_test

import (
	"errors"
	"testing"
	"time"

	"github.com/slipstick/slipstick/versions"
)

func asOf(values ...any) (pins []versions.Pin) {
	for _, v := range values {
		pins = append(pins, versions.Pin{Place: versions.InQuery, Name: versions.AsOfName, Value: v, Means: versions.AsOf})
	}
	return pins
}

func TestAgreeOnTime(t *testing.T) {
	march := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name string
		pins []versions.Pin
		want time.Time
	}{
		{"a date", asOf("2026-03-01"), march},
		{"a time", asOf("2026-03-01T12:30:00Z"), march.Add(12*time.Hour + 30*time.Minute)},
		{"a time elsewhere", asOf("2026-03-01T02:00:00+02:00"), march},
		{"the same in two spellings", asOf("2026-03-01", "2026-03-01T00:00:00Z"), march},
	} {
		if got, err := versions.AgreeOnTime(tt.pins); err != nil || !got.Equal(tt.want) {
			t.Errorf("%s: %s, %v", tt.name, got, err)
		}
	}
	for _, bad := range []any{nil, 1.0, true, "", " ", "yesterday", "2026-3-1", "2026-02-30", "2026-03-01 12:00", "20260301", "2026-03-01T12:00:00"} {
		var invalid *versions.InvalidTimeError
		if at, err := versions.AgreeOnTime(asOf(bad)); !errors.As(err, &invalid) {
			t.Errorf("%v is %s, %v", bad, at, err)
		}
	}
	var conflict *versions.ConflictError
	if _, err := versions.AgreeOnTime(asOf("2026-03-01", "2026-03-02")); !errors.As(err, &conflict) || len(conflict.Pins) != 2 {
		t.Errorf("two times: %v", err)
	}
}

func TestSplitTimes(t *testing.T) {
	both := append(versions.Header([]string{"1.0.0"}), asOf("2026-03-01")...)
	if exact, moments := versions.SplitTimes(both); len(exact) != 1 || len(moments) != 1 || exact[0].Means == versions.AsOf || moments[0].Means != versions.AsOf {
		t.Errorf("%v, %v", exact, moments)
	}
	if exact, moments := versions.SplitTimes(both[:1]); len(exact) != 1 || moments != nil {
		t.Errorf("%v, %v", exact, moments)
	}
}
