package command

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/slipstick/slipstick/host/internal/cli/setting"
)

// FileError is the error of a file that the command line names.
type FileError struct {
	flag, path string // the flag is "" for an argument
	err        *fs.PathError
	after      string // text of the error after the text of err
	whole      error
}

func (e *FileError) Error() string {
	verb := e.err.Op
	switch {
	case strings.HasPrefix(verb, "open"), strings.HasSuffix(verb, "stat"), strings.HasPrefix(verb, "stat"), verb == "chdir", verb == "readdir":
		verb = "open"
	}
	text := fmt.Sprintf("cannot %s %s: %v%s", verb, e.path, e.err.Err, e.after)
	if e.flag != "" {
		text = e.flag + ": " + text
	}
	if e.missing() && e.after == "" {
		text += "\n  Check the path. A relative path starts at the current directory."
	}
	return text
}

// Unwrap returns the error without the flag.
func (e *FileError) Unwrap() error { return e.whole }

func (e *FileError) missing() bool { return errors.Is(e.err, fs.ErrNotExist) }

// NameFile returns a [*FileError] if err is about a file or directory in the arguments or in the flags. It returns any other
// error unchanged.
func NameFile(err error, args []string, flags setting.Flags) error {
	failed, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return err
	}
	_, after, found := strings.Cut(err.Error(), failed.Error())
	if !found {
		return err // its text does not name the file
	}
	for _, n := range named(args, flags) {
		if path, ok := n.has(failed.Path); ok {
			return &FileError{flag: n.flag, path: path, err: failed, after: after, whole: err}
		}
	}
	return err
}

// name is a value on the command line that can be the name of a file.
type name struct{ flag, value string }

// named returns the values of arguments and flags.
func named(args []string, flags setting.Flags) (all []name) {
	flag := ""
	for _, arg := range args {
		before, value, attached := strings.Cut(arg, "=")
		switch {
		case attached && strings.HasPrefix(before, "-"):
			all = append(all, name{before, value})
		case strings.HasPrefix(arg, "-") && arg != "-":
			if _, isBool := flags[strings.TrimLeft(arg, "-")].(bool); !isBool {
				flag = arg
			}
			continue
		default:
			all = append(all, name{flag, arg})
		}
		flag = ""
	}
	for key, value := range flags {
		switch v := reflect.ValueOf(value); v.Kind() {
		case reflect.String:
			all = append(all, name{"--" + key, v.String()})
		case reflect.Slice:
			for i := range v.Len() {
				if one := v.Index(i); one.Kind() == reflect.String {
					all = append(all, name{"--" + key, one.String()})
				}
			}
		}
	}
	return all
}

// has reports whether the value is a path, or contains it. It returns the path as the command line has it.
func (n name) has(path string) (string, bool) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	for value := range strings.SplitSeq(n.value, ",") {
		top, err := filepath.Abs(value)
		if err != nil || value == "" || value == "." || top == "/" {
			continue
		}
		below, inside := strings.CutPrefix(whole, top)
		if inside && (below == "" || below[0] == filepath.Separator) {
			return filepath.Clean(value) + below, true
		}
	}
	return "", false
}
