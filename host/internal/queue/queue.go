// Package queue answers one question: which shard does a worker compute next, and what became of
// the others? Jobs stand in a NATS JetStream that workers on many machines reach. Only the
// descriptions of shards go through it: rows and results never do, but where a job keeps its
// results in the broker's object store.
//
// A shard is delivered at least once. Whoever computes it writes the same bytes, visible when they
// are whole, so a shard that is delivered again costs time and changes nothing.
package queue

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	streamName = "SLIPSTICK_BATCH"   // of the shards that wait, and those that workers have
	subjects   = "slipstick.batch.>" // slipstick.batch.JOB.SHARD
	bucketName = "slipstick_batch"   // of jobs, and of what became of their shards
	patience   = 30 * time.Second    // with a broker that restarts or elects a leader
	retryAsk   = 200 * time.Millisecond
)

// Queue is a connection to the broker. It is safe for concurrent use.
type Queue struct {
	conn   *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream
	bucket jetstream.KeyValue
}

// Options of a connection. The zero value connects as nobody in particular.
type Options struct {
	Credentials string // file of NATS credentials

	// Create makes the stream and the bucket, if they are not there, each kept by as many brokers;
	// 0 makes none.
	Create int

	// Lost receives why the connection was lost, and nil when it is back. It may be nil.
	Lost func(error)
}

// AddressError means that the address or the credentials of a broker cannot be used.
type AddressError struct{ Err error }

func (e *AddressError) Error() string { return e.Err.Error() }
func (e *AddressError) Unwrap() error { return e.Err }

// Refusals of a broker.
var (
	ErrNoJetStream = errors.New("the broker has no JetStream: start nats-server with -js, or give it a block jetstream {} and this account a share of it")
	ErrEmpty       = errors.New("nothing was ever submitted to this queue")
)

// OtherError means that the broker has something of the name with settings that this queue cannot
// work with.
type OtherError struct{ Name, Setting, Is, Want string }

func (e *OtherError) Error() string {
	return fmt.Sprintf("%s of the broker was made with other settings: %s is %s, and must be %s; remove it if no program needs it, or take another account", e.Name, e.Setting, e.Is, e.Want)
}

// Open connects to one of the brokers, whose addresses are separated by commas.
func Open(ctx context.Context, address string, o *Options) (*Queue, error) {
	if o == nil {
		o = new(Options)
	}
	if err := checkAddress(address); err != nil {
		return nil, &AddressError{err}
	}
	conn, err := nats.Connect(address, o.connection()...)
	if err != nil {
		return nil, fmt.Errorf("the broker at %s: %w", redacted(address), explained(err))
	}
	q := &Queue{conn: conn}
	at := conn.ConnectedUrlRedacted()
	if err := q.open(ctx, o.Create); err != nil {
		conn.Close()
		return nil, fmt.Errorf("the broker at %s: %w", at, err)
	}
	return q, nil
}

// Close ends the connection.
func (q *Queue) Close() { q.conn.Close() }

func (o *Options) connection() []nats.Option {
	lost := o.Lost
	if lost == nil {
		lost = func(error) {}
	}
	list := []nats.Option{
		nats.Name("slipstick"), nats.Timeout(5 * time.Second),
		nats.MaxReconnects(-1), nats.ReconnectWait(retryAsk), nats.ReconnectJitter(retryAsk, retryAsk),
		nats.ReconnectBufSize(-1), // what was said to a broker that is away is said again by whom it matters to
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(c *nats.Conn, err error) {
			if !c.IsClosed() && err != nil {
				lost(explained(err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { lost(nil) }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // the default prints
	}
	if o.Credentials != "" {
		list = append(list, nats.UserCredentials(o.Credentials))
	}
	return list
}

// checkAddress refuses what the library would take for something else.
func checkAddress(address string) error {
	for one := range strings.SplitSeq(address, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Host == "" {
			return fmt.Errorf("%q is no address of a broker: write nats://HOST:4222, or tls://HOST:4222, several separated by commas", redacted(one))
		}
	}
	return nil
}

// redacted are addresses without the passwords in them.
func redacted(address string) string {
	list := strings.Split(address, ",")
	for i, one := range list {
		if u, err := url.Parse(strings.TrimSpace(one)); err == nil {
			list[i] = u.Redacted()
		} else {
			list[i] = "..."
		}
	}
	return strings.Join(list, ",")
}

// explained says what to do, where the library only says what is wrong.
func explained(err error) error {
	switch {
	case errors.Is(err, nats.ErrNoServers):
		return errors.New("nobody answers there")
	case errors.Is(err, os.ErrNotExist):
		return &AddressError{fmt.Errorf("the file of credentials: %w", err)}
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		return &AddressError{fmt.Errorf("it refuses these credentials: %w", err)}
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return ErrNoJetStream
	case errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, jetstream.ErrBucketNotFound):
		return ErrEmpty
	}
	return err
}

func (q *Queue) open(ctx context.Context, replicas int) (err error) {
	q.js, err = jetstream.New(q.conn, jetstream.WithDefaultTimeout(5*time.Second))
	if err != nil {
		return err
	}
	if err := persist(ctx, func() error { _, err := q.js.AccountInfo(ctx); return err }); err != nil {
		return explained(err)
	}
	err = persist(ctx, func() (err error) {
		q.stream, err = q.js.Stream(ctx, streamName)
		if errors.Is(err, jetstream.ErrStreamNotFound) && replicas > 0 {
			q.stream, err = q.js.CreateStream(ctx, streamConfig(replicas))
		}
		return err
	})
	if err == nil {
		err = checkStream(&q.stream.CachedInfo().Config, replicas)
	}
	if err != nil {
		return explained(err)
	}
	return explained(persist(ctx, func() (err error) {
		q.bucket, err = q.js.KeyValue(ctx, bucketName)
		if errors.Is(err, jetstream.ErrBucketNotFound) && replicas > 0 {
			q.bucket, err = q.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucketName, Replicas: replicas, Description: "jobs of slipstick batch, and what became of their shards"})
		}
		return err
	}))
}

func streamConfig(replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: streamName, Subjects: []string{subjects}, Replicas: replicas, Description: "shards that slipstick batch work is to compute",
		Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, MaxMsgs: 1_000_000, MaxMsgSize: 4096,
	}
}

// checkStream refuses a stream that would lose shards, or give one to several workers.
func checkStream(is *jetstream.StreamConfig, replicas int) error {
	want := streamConfig(replicas)
	for _, one := range []struct {
		setting  string
		is, want any
	}{
		{"retention", is.Retention, want.Retention}, {"subjects", is.Subjects, want.Subjects}, {"storage", is.Storage, want.Storage},
		{"discard", is.Discard, want.Discard}, {"max_age", is.MaxAge, want.MaxAge},
	} {
		if is, want := fmt.Sprint(one.is), fmt.Sprint(one.want); is != want {
			return &OtherError{"the stream " + streamName, one.setting, is, want}
		}
	}
	if replicas > 0 && is.Replicas != replicas {
		return &OtherError{"the stream " + streamName, "replicas", fmt.Sprint(is.Replicas), fmt.Sprint(replicas)}
	}
	return nil
}

// persist repeats what a broker cannot do while it restarts or elects a leader.
func persist(ctx context.Context, do func() error) error {
	begin := time.Now()
	for {
		err := do()
		if err == nil || !passing(err) || ctx.Err() != nil || time.Since(begin) > patience {
			return err
		}
		wait(ctx, retryAsk)
	}
}

// passing reports whether an error may be gone in a moment.
func passing(err error) bool {
	for _, one := range []error{
		nats.ErrTimeout, context.DeadlineExceeded, nats.ErrNoResponders, nats.ErrDisconnected, nats.ErrConnectionReconnecting,
		nats.ErrReconnectBufExceeded, jetstream.ErrNoStreamResponse, jetstream.ErrNoHeartbeat, jetstream.ErrConsumerLeadershipChanged,
		jetstream.ErrServerShutdown, jetstream.ErrAsyncPublishTimeout,
	} {
		if errors.Is(err, one) {
			return true
		}
	}
	refused, ok := errors.AsType[*jetstream.APIError](err)
	return ok && refused.Code == 503 && refused.ErrorCode != jetstream.JSErrCodeJetStreamNotEnabled && refused.ErrorCode != jetstream.JSErrCodeJetStreamNotEnabledForAccount
}

// wait waits, until the context ends at most.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
