package store_test

import (
	"context"
	"fmt"
	"log"
	"os"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/store"
)

// A writer writes the blobs first, and then the index that names them. The index makes them
// visible.
func ExampleWriter() {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	w, err := s.Lock(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()

	l, err := w.Create("beam")
	if err != nil {
		log.Fatal(err)
	}
	defer l.Close()
	blob := store.BlobOf("text/plain", []byte("w L^4 / (8 E I)"))
	empty, err := l.Index()
	if err != nil {
		log.Fatal(err)
	}
	blob.Annotations = map[string]string{}
	next, err := store.IndexOf([]v1.Descriptor{store.Tag(blob.Descriptor, "1.0.0")})
	if err == nil {
		_, err = w.Fill(context.Background(), l, []store.Blob{blob})
	}
	if err == nil {
		err = w.Show(l, empty, next)
	}
	if err != nil {
		log.Fatal(err)
	}

	seen, err := s.Layout("beam")
	if err != nil {
		log.Fatal(err)
	}
	defer seen.Close()
	text, err := seen.Read(blob.Descriptor, 1<<10)
	fmt.Printf("%s %v\n", text, err)
	// Output:
	// w L^4 / (8 E I) <nil>
}
