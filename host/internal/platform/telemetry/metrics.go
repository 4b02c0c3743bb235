// Package telemetry counts and measures the work of a server. [Metrics] are for Prometheus. A
// [Tracer] sends traces to an OTLP collector.
package telemetry

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the server's metrics for Prometheus. Their names start with slipstick_.
type Metrics struct {
	registry     *prometheus.Registry
	requests     *prometheus.CounterVec
	durations    *prometheus.HistogramVec
	calculations *prometheus.HistogramVec
	batches      *prometheus.HistogramVec
	rows         *prometheus.CounterVec
	lines        *prometheus.CounterVec
	engines      *prometheus.CounterVec
	running      *prometheus.GaugeVec
	decisions    *prometheus.CounterVec
	followed     *prometheus.CounterVec

	// Series are kept, because finding one by its labels costs more than counting.
	answered   kept[answer, series]
	calculated kept[calculation, prometheus.Observer]
	decided    kept[decision, prometheus.Counter]
}

// kept is a map that only grows.
type kept[K comparable, V any] struct {
	mu sync.RWMutex
	m  map[K]V
}

// get returns the value of the key. It calls make if there is none yet.
func (k *kept[K, V]) get(key K, make func() V) V {
	k.mu.RLock()
	v, ok := k.m[key]
	k.mu.RUnlock()
	if ok {
		return v
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.m == nil {
		k.m = map[K]V{}
	}
	if _, ok := k.m[key]; !ok {
		k.m[key] = make()
	}
	return k.m[key]
}

// answer and calculation are the labels of series.
type answer struct {
	route, method, code string
	status              int
}

type calculation struct{ capability, version, outcome string }

type decision struct {
	surface string
	allowed bool
}

type series struct {
	count    prometheus.Counter
	duration prometheus.Observer
}

// seconds are the buckets of durations: from the fastest calculation to a time-out.
var seconds = []float64{.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5}

// NewMetrics returns Metrics with all counts at zero.
func NewMetrics() *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		m.registry.MustRegister(c)
		return c
	}
	histogram := func(name, help string, labels ...string) *prometheus.HistogramVec {
		h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: seconds}, labels)
		m.registry.MustRegister(h)
		return h
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
		m.registry.MustRegister(g)
		return g
	}
	m.requests = counter("slipstick_http_requests_total", "Requests answered, by route, method, status and error code.", "route", "method", "status", "code")
	m.durations = histogram("slipstick_http_request_seconds", "Time from request to answer.", "route")
	m.calculations = histogram("slipstick_calculation_seconds", "Time that engines took, by outcome: success, rejected or failed.", "capability", "version", "outcome")
	m.batches = histogram("slipstick_batch_seconds", "Time that engines took for the rows of one batch.", "capability", "version")
	m.rows = counter("slipstick_batch_rows_total", "Rows of batches that engines were given.", "capability", "version")
	m.lines = counter("slipstick_batch_lines_total", "Lines of batches that were answered, by outcome: success, rejected, limited or failed.", "outcome")
	m.engines = counter("slipstick_engine_events_total", "Events of engine processes and their calls. An event is start, start_failed, end, crash, hang, lost, contract (a forbidden answer), retry, poison, quarantine, idle_stop or different (another outcome from the same inputs).", "capability", "version", "event")
	m.running = gauge("slipstick_engine_processes", "Engine processes that run now.", "capability", "version")
	m.decisions = counter("slipstick_limit_decisions_total", "Calls judged against limits, by surface and decision: accepted or refused.", "surface", "decision")
	m.followed = counter("slipstick_registry_looks_total", "Checks of the registry that found a change, or failed, by outcome: changed or failed.", "outcome")
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler serves the metrics in the text format of Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Watch adds a counter whose value is read whenever the metrics are served.
func (m *Metrics) Watch(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, read))
}

// Gauge adds a gauge whose value is read whenever the metrics are served.
func (m *Metrics) Gauge(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
}

// GaugesBy adds gauges with a label. Their values are read whenever the metrics are served.
func (m *Metrics) GaugesBy(name, help, label string, read map[string]func() float64) {
	for value, f := range read {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: prometheus.Labels{label: value}}, f))
	}
}

// methods are the methods with separate labels. Callers can send any word as a method, so all
// others share one label.
var methods = map[string]bool{"GET": true, "HEAD": true, "POST": true, "OPTIONS": true, "PUT": true, "DELETE": true, "PATCH": true}

// Request counts one answer.
func (m *Metrics) Request(route, method string, status int, code string, d time.Duration) {
	if !methods[method] {
		method = "other"
	}
	s := m.answered.get(answer{route, method, code, status}, func() series {
		return series{m.requests.WithLabelValues(route, method, strconv.Itoa(status), code), m.durations.WithLabelValues(route)}
	})
	s.count.Inc()
	s.duration.Observe(d.Seconds())
}

// Calculation counts one call of an engine.
func (m *Metrics) Calculation(capability, version, outcome string, d time.Duration) {
	m.calculated.get(calculation{capability, version, outcome}, func() prometheus.Observer {
		return m.calculations.WithLabelValues(capability, version, outcome)
	}).Observe(d.Seconds())
}

// Batch counts one batch of an engine.
func (m *Metrics) Batch(capability, version string, rows int, d time.Duration) {
	m.batches.WithLabelValues(capability, version).Observe(d.Seconds())
	m.rows.WithLabelValues(capability, version).Add(float64(rows))
}

// Lines counts answered lines of batches.
func (m *Metrics) Lines(outcome string, lines int) {
	m.lines.WithLabelValues(outcome).Add(float64(lines))
}

// Engine counts an event of an engine's process.
func (m *Metrics) Engine(capability, version, event string) {
	m.engines.WithLabelValues(capability, version, event).Inc()
}

// Running changes the number of running processes of an engine.
func (m *Metrics) Running(capability, version string, change int) {
	m.running.WithLabelValues(capability, version).Add(float64(change))
}

// Limit counts one decision of a limit.
func (m *Metrics) Limit(surface string, allowed bool) {
	m.decided.get(decision{surface, allowed}, func() prometheus.Counter {
		if allowed {
			return m.decisions.WithLabelValues(surface, "accepted")
		}
		return m.decisions.WithLabelValues(surface, "refused")
	}).Inc()
}

// Followed counts a check of the registry: changed or failed.
func (m *Metrics) Followed(outcome string) { m.followed.WithLabelValues(outcome).Inc() }
