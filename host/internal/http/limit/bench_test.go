package limit_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/slipstick/slipstick/host/internal/http/limit"
)

func benchmark(b *testing.B, l limiter, clients int) {
	b.ReportAllocs()
	var next atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		i := int(next.Add(1)) * 7919
		for pb.Next() {
			i++
			l.Allow(b.Context(), limit.Calc, nthClient(i%clients))
		}
	})
}

func BenchmarkLocal(b *testing.B) {
	b.Run("one client", func(b *testing.B) { benchmark(b, limit.NewLocal(nil, nil), 1) })
	b.Run("10000 clients", func(b *testing.B) { benchmark(b, limit.NewLocal(nil, nil), 10_000) })
	b.Run("accepted", func(b *testing.B) {
		benchmark(b, limit.NewLocal(limit.Limits{limit.Calc: limit.MaxLimit}, nil), 10_000)
	})
	b.Run("flood", func(b *testing.B) {
		benchmark(b, limit.NewLocal(nil, &limit.Options{Clients: 100_000}), 1<<30)
	})
}

func BenchmarkShared(b *testing.B) {
	limits := limit.Limits{limit.Calc: limit.MaxLimit}
	b.Run("accepted", func(b *testing.B) {
		benchmark(b, newPatientShared(b, startRedis(b).addr, limits, nil), 10_000)
	})
	b.Run("refused by the server", func(b *testing.B) {
		benchmark(b, newPatientShared(b, startRedis(b).addr, nil, nil), 1)
	})
	b.Run("redis down", func(b *testing.B) {
		s := startRedis(b)
		s.kill()
		benchmark(b, newShared(b, s.addr, limits, nil), 10_000)
	})
}

func BenchmarkClient(b *testing.B) {
	trusted, err := limit.ParseTrusted(proxies)
	if err != nil {
		b.Fatal(err)
	}
	h := http.Header{"X-Forwarded-For": {"1.2.3.4, 203.0.113.9", "10.2.2.2"}}
	b.ReportAllocs()
	for b.Loop() {
		limit.Client("10.1.1.1:80", h, trusted)
	}
}

func BenchmarkSetHeader(b *testing.B) {
	d := limit.NewLocal(nil, nil).Allow(b.Context(), limit.Calc, nthClient(0))
	h := http.Header{}
	b.ReportAllocs()
	for b.Loop() {
		d.SetHeader(h)
	}
}

// BenchmarkProxied measures a call from one of 4,000 clients of a proxy: finding the client, the decision, and
// the headers. The clients call in random order, so their records are not in a CPU cache.
func BenchmarkProxied(b *testing.B) {
	trusted := limit.NewProxies([]netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")})
	peer := netip.MustParseAddr("127.0.0.1")
	var forwarded [4000]string
	for i := range forwarded {
		forwarded[i] = fmt.Sprintf("203.0.%d.%d", i/250, i%250)
	}
	for _, calls := range []int{60, limit.MaxLimit} {
		b.Run(fmt.Sprintf("limit %d", calls), func(b *testing.B) {
			l := limit.NewLocal(limit.Limits{limit.Calc: calls}, nil)
			b.ReportAllocs()
			var next atomic.Uint64
			b.RunParallel(func(pb *testing.PB) {
				random := rand.New(rand.NewPCG(next.Add(1), 0))
				var head []byte
				for pb.Next() {
					d := l.Allow(b.Context(), limit.Calc, trusted.Forwarded(peer, forwarded[random.IntN(len(forwarded))]))
					head = d.AppendPolicy(d.AppendQuota(head[:0]))
				}
			})
		})
	}
}
