package limit_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/slipstick/slipstick/host/internal/http/limit"
)

var a, b, unknown = netip.MustParsePrefix("1.1.1.1/32"), netip.MustParsePrefix("2.2.2.2/32"), netip.Prefix{}

func TestBudget(t *testing.T) {
	budget := limit.NewBudget(10, 4, nil)
	for _, tt := range []struct {
		client netip.Prefix
		n      int64
		want   bool
	}{{a, 3, true}, {a, 2, false}, {a, 1, true}, {b, 4, true}, {unknown, 3, false}, {unknown, 2, true}, {unknown, 1, false}, {b, 1, false}} {
		if got := budget.TryAcquire(tt.client, tt.n); got != tt.want {
			t.Errorf("%d for %v: %v", tt.n, tt.client, got)
		}
	}
	if !budget.ShareTaken(a) || !budget.Exhausted(b) || !budget.Exhausted(unknown) || budget.ShareTaken(unknown) || budget.Used() != 10 {
		t.Error("a full budget is not reported as full")
	}
	budget.Release(a, 4)
	if budget.ShareTaken(a) || budget.Exhausted(a) || !budget.Exhausted(b) || budget.Used() != 6 {
		t.Error("a released amount is not available")
	}
	var none *limit.Budget
	if !none.TryAcquire(a, 1<<40) || none.Exhausted(a) || none.ShareTaken(a) || none.Used() != 0 {
		t.Error("no budget has bounds")
	}
	none.Release(a, 1)
}

// Waiters are served in order. Only a waiter that exceeds the share of its client is skipped.
func TestBudgetTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		changes, order := 0, []string(nil)
		budget := limit.NewBudget(10, 6, func() { mu.Lock(); defer mu.Unlock(); changes++ })
		take := func(name string, client netip.Prefix, n int64) {
			go func() {
				_, err := budget.Acquire(t.Context(), client, n)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					order = append(order, name)
				}
			}()
			synctest.Wait()
		}
		take("a1", a, 5)
		take("a2", a, 5)   // waits for the share of a
		take("a3", a, 1)   // fits, but came after a2
		take("b1", b, 3)   // is not blocked by them
		take("none", b, 3) // waits for the total
		take("all", unknown, 1)
		if got := strings.Join(order, " "); got != "a1 b1" {
			t.Fatalf("at first: %s", got)
		}
		budget.Release(a, 5)
		synctest.Wait()
		if len(order) != 4 || budget.Used() != 9 || !budget.Pressed() || changes != 1 {
			t.Errorf("then: %v", order)
		}
		budget.Release(b, 3)
		budget.Release(a, 5)
		synctest.Wait()
		budget.Release(a, 1)
		budget.Release(b, 3)
		budget.Release(unknown, 1)
		synctest.Wait()
		if len(order) != 6 || budget.Used() != 0 || changes != 2 || budget.Pressed() {
			t.Errorf("in the end: %v, %d used, changed %d times", order, budget.Used(), changes)
		}
	})
}

// A request for more than the maximum gets the maximum, and a waiter who leaves does not block others.
func TestBudgetLeaving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := limit.NewBudget(10, 6, nil)
		if n, err := budget.Acquire(t.Context(), a, 100); n != 6 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		ctx, leave := context.WithCancel(t.Context())
		left, got := make(chan error), make(chan int64)
		go func() { _, err := budget.Acquire(ctx, b, 6); left <- err }()
		synctest.Wait()
		go func() { n, _ := budget.Acquire(t.Context(), unknown, 4); got <- n }()
		synctest.Wait()
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		if n := <-got; n != 4 || budget.Used() != 10 {
			t.Errorf("%d, %d used", n, budget.Used())
		}
	})
}
