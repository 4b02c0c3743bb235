package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/cli/setting"
)

// An error of a file that the command line names has its flag and its path as they were typed.
func TestNameFile(t *testing.T) {
	t.Chdir(t.TempDir())
	_, missing := os.Open("none.csv")
	_, absolute := os.Stat(filepath.Join(mustGetwd(t), "none", "plan.json"))
	const check = "\n  Check the path. A relative path starts at the current directory."
	for _, tt := range []struct {
		err   error
		args  string
		flags setting.Flags
		want  string
		code  int
	}{
		{missing, "calc --batch none.csv ohms-law", nil, "--batch: cannot open none.csv: no such file or directory" + check, ExitMisuse},
		{missing, "calc --batch=none.csv ohms-law", nil, "--batch: cannot open none.csv: no such file or directory" + check, ExitMisuse},
		{missing, "publish --keep none.csv", setting.Flags{"keep": true}, "cannot open none.csv: no such file or directory" + check, ExitMisuse},
		{missing, "check --format text --sets none.csv", nil, "--sets: cannot open none.csv: no such file or directory" + check, ExitMisuse},
		{missing, "check none.csv", nil, "cannot open none.csv: no such file or directory" + check, ExitMisuse},
		{missing, "list", setting.Flags{"trust": "none.csv"}, "--trust: cannot open none.csv: no such file or directory" + check, ExitMisuse},
		{missing, "list", setting.Flags{"keys": []string{"a", "none.csv"}}, "--keys: cannot open none.csv: no such file or directory" + check, ExitMisuse},
		{fmt.Errorf("read the key: %w; slipstick keys new makes one", missing), "sign --key none.csv", nil, "--key: cannot open none.csv: no such file or directory; slipstick keys new makes one", ExitMisuse},
		{absolute, "batch verify none", nil, "cannot open none/plan.json: no such file or directory" + check, ExitMisuse},
		{Refused(missing), "check none.csv", nil, "cannot open none.csv: no such file or directory" + check, ExitFailed},
		{missing, "list --registry .", nil, missing.Error(), ExitInternal},
		{missing, "list", nil, missing.Error(), ExitInternal},
		{&os.PathError{Op: "write", Path: "out.csv", Err: errors.New("no space left")}, "calc --out out.csv", nil, "--out: cannot write out.csv: no space left", ExitInternal},
		{errors.New("another"), "list", nil, "another", ExitInternal},
	} {
		err := NameFile(tt.err, strings.Fields(tt.args), tt.flags)
		if err.Error() != tt.want || exitCode(err) != tt.code || !errors.Is(err, tt.err) {
			t.Errorf("%s: %d %v\nwant %d %s", tt.args, exitCode(err), err, tt.code, tt.want)
		}
	}
	if err := NameFile(nil, nil, nil); err != nil {
		t.Error(err)
	}
}

func mustGetwd(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
