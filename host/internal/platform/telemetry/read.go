package telemetry

import "github.com/prometheus/client_golang/prometheus"

// Read passes the values of a metric to add, each with its labels. The labels must differ.
type Read func(add func(value float64, labels ...string))

// Counters adds counters with labels that are read whenever the metrics are served.
func (m *Metrics) Counters(name, help string, labels []string, read Read) {
	m.registry.MustRegister(&collected{prometheus.NewDesc(name, help, labels, nil), prometheus.CounterValue, read})
}

// Gauges adds gauges, as Counters does.
func (m *Metrics) Gauges(name, help string, labels []string, read Read) {
	m.registry.MustRegister(&collected{prometheus.NewDesc(name, help, labels, nil), prometheus.GaugeValue, read})
}

// collected is a metric. Its labels are not known before it is read.
type collected struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read Read
}

// Describe implements [prometheus.Collector].
func (c *collected) Describe(descs chan<- *prometheus.Desc) { descs <- c.desc }

// Collect implements [prometheus.Collector].
func (c *collected) Collect(metrics chan<- prometheus.Metric) {
	c.read(func(value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(c.desc, c.kind, value, labels...)
	})
}
