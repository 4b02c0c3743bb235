// Package queue distributes the shards of a [Job] to workers on many machines, through a NATS broker
// with JetStream. [Queue.Submit] puts the shards into the queue, [Queue.Work] computes them with a
// [Computer], and [Queue.Status] reports the progress. Only descriptions of shards go through the
// queue. Rows never do; results do only if the job stores them in the broker's [ObjectStore].
//
// The broker delivers a shard at least once. Every worker writes the same bytes, and they are
// visible only when complete. So a second delivery costs time and changes nothing.
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
	streamName = "SLIPSTICK_BATCH"   // the shards that wait, and the shards that workers have
	subjects   = "slipstick.batch.>" // slipstick.batch.JOB.SHARD
	bucketName = "slipstick_batch"   // the jobs, and the states of their shards
	retryFor   = 30 * time.Second    // a broker can restart or elect a leader
	retryEvery = 200 * time.Millisecond
)

// Queue is a connection to the broker. It is safe for concurrent use.
type Queue struct {
	conn   *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream
	bucket jetstream.KeyValue
}

// Options are options of a connection. The zero value connects without credentials.
type Options struct {
	Credentials string // file of NATS credentials

	// Create is the number of brokers that store the stream and the bucket, which Open creates if
	// they do not exist. With 0, Open creates neither.
	Create int

	// Lost is called with the reason when the connection is lost, and with nil when it is back. It
	// can be nil.
	Lost func(error)
}

// URLError means that the URL or the credentials of a broker cannot be used.
type URLError struct{ Err error }

func (e *URLError) Error() string { return e.Err.Error() }
func (e *URLError) Unwrap() error { return e.Err }

// Errors of Open.
var (
	ErrNoJetStream = errors.New("the broker has no JetStream: start nats-server with -js, or add a block jetstream {} to its configuration, and enable JetStream for this account")
	ErrEmpty       = errors.New("no job was ever submitted to this queue")
)

// SettingError means that the broker has a stream of this name, but this queue cannot work with one of
// its settings.
type SettingError struct{ Name, Setting, Is, Want string }

func (e *SettingError) Error() string {
	return fmt.Sprintf("%s of the broker was created with other settings: %s is %s, and must be %s. Remove it if no program needs it, or use another account", e.Name, e.Setting, e.Is, e.Want)
}

// Open connects to one of the brokers. Commas separate their URLs.
func Open(ctx context.Context, brokers string, o *Options) (*Queue, error) {
	if o == nil {
		o = new(Options)
	}
	if err := checkURLs(brokers); err != nil {
		return nil, &URLError{err}
	}
	conn, err := nats.Connect(brokers, o.connection()...)
	if err != nil {
		return nil, fmt.Errorf("the broker at %s: %w", redacted(brokers), explained(err))
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
		nats.MaxReconnects(-1), nats.ReconnectWait(retryEvery), nats.ReconnectJitter(retryEvery, retryEvery),
		nats.ReconnectBufSize(-1), // the library buffers nothing while the broker is unreachable; the caller repeats its request
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

// checkURLs returns an error if one of the URLs has a form that the library would interpret
// differently.
func checkURLs(brokers string) error {
	for one := range strings.SplitSeq(brokers, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Host == "" {
			return fmt.Errorf("%q is not the URL of a broker: write nats://HOST:4222 or tls://HOST:4222, and separate several by commas", redacted(one))
		}
	}
	return nil
}

// redacted returns the URLs without the passwords in them.
func redacted(brokers string) string {
	list := strings.Split(brokers, ",")
	for i, one := range list {
		if u, err := url.Parse(strings.TrimSpace(one)); err == nil {
			list[i] = u.Redacted()
		} else {
			list[i] = "..."
		}
	}
	return strings.Join(list, ",")
}

// explained replaces errors of the library by errors that name the remedy.
func explained(err error) error {
	switch {
	case errors.Is(err, nats.ErrNoServers):
		return errors.New("no broker responds")
	case errors.Is(err, os.ErrNotExist):
		return &URLError{fmt.Errorf("the credentials file: %w", err)}
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		return &URLError{fmt.Errorf("the broker refuses these credentials: %w", err)}
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
	if err := retry(ctx, func() error { _, err := q.js.AccountInfo(ctx); return err }); err != nil {
		return explained(err)
	}
	err = retry(ctx, func() (err error) {
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
	return explained(retry(ctx, func() (err error) {
		q.bucket, err = q.js.KeyValue(ctx, bucketName)
		if errors.Is(err, jetstream.ErrBucketNotFound) && replicas > 0 {
			q.bucket, err = q.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucketName, Replicas: replicas, Description: "jobs of slipstick batch, and the states of their shards"})
		}
		return err
	}))
}

func streamConfig(replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: streamName, Subjects: []string{subjects}, Replicas: replicas, Description: "shards for slipstick batch work to compute",
		Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, MaxMsgs: 1_000_000, MaxMsgSize: 4096,
	}
}

// checkStream returns an error if the stream could lose shards, or deliver one to several workers.
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
			return &SettingError{"the stream " + streamName, one.setting, is, want}
		}
	}
	if replicas > 0 && is.Replicas != replicas {
		return &SettingError{"the stream " + streamName, "replicas", fmt.Sprint(is.Replicas), fmt.Sprint(replicas)}
	}
	return nil
}

// retry calls do until it succeeds, because a broker can fail while it restarts or elects a leader.
func retry(ctx context.Context, do func() error) error {
	start := time.Now()
	for {
		err := do()
		if err == nil || !transient(err) || ctx.Err() != nil || time.Since(start) > retryFor {
			return err
		}
		wait(ctx, retryEvery)
	}
}

// transient reports whether the same request can succeed soon.
func transient(err error) bool {
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

// wait returns after the duration, or when the context ends.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
