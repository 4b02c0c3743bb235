package queue

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/slipstick/slipstick/host/internal/platform/durable"
)

// ObjectStore as the results of a job means that the broker stores them, in an object store for this
// job.
const ObjectStore = "jetstream:"

// maxObjectName is the maximum length of the name of a stored file, in bytes.
const maxObjectName = 200

func (j *Job) storeName() string { return "slipstick_results_" + j.ID }

// openStore opens the object store of a job, and creates it if it does not exist.
func (q *Queue) openStore(ctx context.Context, job *Job) (store jetstream.ObjectStore, err error) {
	err = retry(ctx, func() (err error) {
		store, err = q.js.ObjectStore(ctx, job.storeName())
		if errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
			store, err = q.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{
				Bucket: job.storeName(), Replicas: q.stream.CachedInfo().Config.Replicas, Description: "results of slipstick batch",
			})
		}
		return err
	})
	return store, err
}

// Store writes files into the object store of a job, in their order, each under its name without the
// directory. It does not overwrite a stored file. If the stored bytes differ, it returns an error.
func (q *Queue) Store(ctx context.Context, job *Job, files ...string) error {
	store, err := q.openStore(ctx, job)
	if err != nil {
		return fmt.Errorf("the object store of the job: %w", err)
	}
	for _, path := range files {
		err := retry(ctx, func() error { return storeFile(ctx, store, path) })
		if err != nil {
			return fmt.Errorf("%s in the object store: %w", filepath.Base(path), err)
		}
	}
	return nil
}

func storeFile(ctx context.Context, store jetstream.ObjectStore, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	name := filepath.Base(path)
	info, err := store.GetInfo(ctx, name)
	if err == nil {
		digest := sha256.New()
		if _, err := io.Copy(digest, file); err != nil {
			return err
		}
		if own := "SHA-256=" + base64.URLEncoding.EncodeToString(digest.Sum(nil)); info.Digest != own {
			return fmt.Errorf("the store has it with other bytes (%s, and not %s)", info.Digest, own)
		}
		return nil
	}
	if !errors.Is(err, jetstream.ErrObjectNotFound) {
		return err
	}
	_, err = store.Put(ctx, jetstream.ObjectMeta{Name: name}, file)
	return err
}

// Fetch copies files from the object store of a job into a directory, and returns the number of files
// that it copied. Without names it copies all files. It skips files that the directory has already, and
// names that are not in the store.
func (q *Queue) Fetch(ctx context.Context, job *Job, dir string, names ...string) (int, error) {
	store, err := q.openStore(ctx, job)
	if err != nil {
		return 0, fmt.Errorf("the object store of the job: %w", err)
	}
	if names == nil {
		names, err = namesIn(ctx, store)
		if err != nil {
			return 0, err
		}
	}
	n := 0
	for _, name := range names {
		if name != filepath.Base(name) || strings.HasPrefix(name, ".") || len(name) > maxObjectName {
			return n, fmt.Errorf("the object store has %.200q, which is not a file of results", name)
		}
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			continue
		}
		err := retry(ctx, func() error { return fetchObject(ctx, store, dir, name) })
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			continue
		}
		if err != nil {
			return n, fmt.Errorf("%s of the object store: %w", name, err)
		}
		n++
	}
	return n, nil
}

func namesIn(ctx context.Context, store jetstream.ObjectStore) (names []string, err error) {
	err = retry(ctx, func() error {
		names = names[:0]
		list, err := store.List(ctx)
		for _, one := range list {
			names = append(names, one.Name)
		}
		if errors.Is(err, jetstream.ErrNoObjectsFound) {
			err = nil
		}
		return err
	})
	return names, err
}

// fetchObject copies one object into a file, which appears when it is complete. The library compares
// its digest.
func fetchObject(ctx context.Context, store jetstream.ObjectStore, dir, name string) error {
	object, err := store.Get(ctx, name)
	if err != nil {
		return err
	}
	defer object.Close()
	return durable.Replace(filepath.Join(dir, name), 0o644, func(file *os.File) error {
		_, err := io.Copy(file, object)
		return errors.Join(err, object.Error())
	})
}
