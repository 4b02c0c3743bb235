package checkpoint_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/checkpoint"
	"github.com/slipstick/slipstick/registry/sign"
)

func TestNext(t *testing.T) {
	dir := t.TempDir()
	key, err := sign.NewKey(filepath.Join(dir, "desk"), "")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "checkpoint.json")
	held := map[string]sign.Holding{"test.life.change": {Current: "1.0.0"}}
	for want := uint64(1); want <= 3; want++ {
		state, file, err := checkpoint.Next(path, key, held, time.Hour)
		if err != nil || state.Number != want || state.Expires.Sub(state.Time) != time.Hour {
			t.Fatalf("%+v, %v, want number %d", state, err, want)
		}
		if err := checkpoint.Replace(path, file); err != nil {
			t.Fatal(err)
		}
		if number, err := sign.NumberOf(file); err != nil || number != want {
			t.Errorf("the file has the number %d, %v", number, err)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 3 { // the key, its public half and the checkpoint
		t.Errorf("left behind: %v, %v", files, err)
	}
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := checkpoint.Next(path, key, held, time.Hour); err == nil {
		t.Error("a file that holds no checkpoint is replaced")
	}
	if _, _, err := checkpoint.Next(path+".new", key, held, 0); err == nil {
		t.Error("a checkpoint is signed that has expired already")
	}
}
