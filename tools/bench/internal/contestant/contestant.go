// Package contestant has the handlers that Slipstick is compared with. They give the same answers within
// one process, without versions, checks or engines. Use [New] to create one, and [Serve] to serve it.
package contestant

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// Names of the contestants.
const (
	Socket = "socket" // one answer for everything, without HTTP: see [ServeSocket]
	Relay  = "relay"  // socket with processes: see [ServeRelay]
	Echoes = "echo"   // a process of relay: see [Echo]
	Fixed  = "fixed"  // one answer for everything: the cost of net/http
	JSON   = "json"   // encoding/json: typical Go code
	Tuned  = "tuned"  // hand-written decoding and encoding, as fast as is reasonable
)

// New returns the contestant of the name. It learns the constant parts from
// an answer of Slipstick.
func New(name string, answer []byte) (http.Handler, error) {
	known, err := learn(answer)
	if err != nil {
		return nil, err
	}
	switch name {
	case Fixed:
		return fixed(answer), nil
	case JSON:
		return newStandard(known), nil
	case Tuned:
		return newTuned(known), nil
	}
	return nil, fmt.Errorf("no contestant is named %q: there are %s, %s and %s", name, Fixed, JSON, Tuned)
}

// Paths that the contestants serve, as Slipstick does.
const (
	calcPath  = "/api/v1/calc/"
	batchPath = "/api/v1/batch"
)

var (
	mediaJSON = []string{"application/json"}
	mediaRows = []string{"application/x-ndjson"}
)

// Limits of the HTTP server, the same as in slipstick serve.
const (
	readHeaderTimeout = 2 * time.Second
	readTimeout       = 5 * time.Second
	writeTimeout      = 15 * time.Second
	idleTimeout       = 60 * time.Second
	maxHeaderBytes    = 16 << 10
)

// Serve serves on a free port of the loopback interface until the context ends, and prints the
// URL to stderr.
func Serve(ctx context.Context, name string, handler http.Handler, stderr io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
	}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	fmt.Fprintf(stderr, "%s: serving http://%s\n", name, listener.Addr())
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}
