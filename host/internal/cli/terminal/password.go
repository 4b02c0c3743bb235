package terminal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// passwordEnv is the environment variable with the password. A command without a terminal needs it.
const passwordEnv = "SLIPSTICK_KEY_PASSWORD"

// Password returns the password in the environment. If there is none and in is a terminal, it writes the question to out and
// reads the answer.
func Password(in io.Reader, out io.Writer, question string) (string, error) {
	if word, ok := os.LookupEnv(passwordEnv); ok {
		return word, nil
	}
	from, ok := Of(in)
	if !ok {
		return "", fmt.Errorf("it has a password, and there is no terminal to ask for it: set %s", passwordEnv)
	}
	fmt.Fprint(out, question)
	word, err := term.ReadPassword(int(from.Fd()))
	fmt.Fprintln(out)
	return string(word), err
}

// NewPassword returns the password of a new key. At a terminal it asks for the password twice.
func NewPassword(in io.Reader, out io.Writer) (string, error) {
	word, err := Password(in, out, "Password of the new key: ")
	if err == nil && word == "" {
		err = errors.New("the password is empty: give one, or say --no-password")
	}
	if _, typed := Of(in); err == nil && typed {
		again, repeatErr := Password(in, out, "Again: ")
		err = repeatErr
		if err == nil && again != word {
			err = errors.New("the passwords differ")
		}
	}
	return word, err
}

// Question asks for the value of a missing flag.
type Question struct {
	Flag, Text string
	Answer     *string // Ask skips the question if it has a value
}

// Ask asks the questions without an answer, one line each. Without a terminal it returns an
// error that names the missing flag.
func Ask(in io.Reader, out io.Writer, questions []Question) error {
	from, ok := Of(in)
	lines := bufio.NewScanner(from)
	for _, q := range questions {
		switch {
		case *q.Answer != "":
		case !ok:
			return fmt.Errorf("%s is missing", q.Flag)
		default:
			fmt.Fprint(out, q.Text+" ")
			lines.Scan()
			*q.Answer = strings.TrimSpace(lines.Text())
		}
	}
	return nil
}
