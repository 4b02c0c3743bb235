// Package setting reads and checks the settings of a server. [ReadFile] reads a settings file, which has the names
// of the flags. [Check] checks the values, and [CheckNames] finds old names of flags and variables. [Home] returns
// the directory of the registry, the mirror and the data if no setting names it.
package setting

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"strings"

	"github.com/go-playground/validator/v10"
)

// Error reports an invalid setting, and names the valid values.
type Error struct {
	Field string // field of the checked struct
	Text  string
}

func (e *Error) Error() string { return e.Text }

// messages is the struct tag with the error text of a field: its flag, and its valid values. In the text, %q is the value.
const messages = "says"

// Check returns an [Error] about the first field of a struct that breaks its rule. The tag validate has rules of package
// validator. It can also have base_url, for an HTTP URL without query and fragment. And it can have origins, for a list of sites as in
// a content security policy. Every field with a rule must have the tag in messages.
func Check(settings any) error {
	err := rules().Struct(settings)
	var broken validator.ValidationErrors
	if !errors.As(err, &broken) {
		return err
	}
	first := broken[0]
	field, _ := reflect.Indirect(reflect.ValueOf(settings)).Type().FieldByName(first.StructField())
	text := field.Tag.Get(messages)
	if strings.Contains(text, "%q") {
		text = fmt.Sprintf(text, first.Value())
	}
	return &Error{first.StructField(), text}
}

func rules() *validator.Validate {
	v := validator.New()
	for name, rule := range map[string]validator.Func{"base_url": isBaseURL, "origins": areOrigins} {
		if err := v.RegisterValidation(name, rule); err != nil {
			panic(err) // the name is invalid
		}
	}
	return v
}

func isBaseURL(f validator.FieldLevel) bool {
	u, err := url.Parse(f.Field().String())
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.RawQuery == "" && u.Fragment == "" && u.User == nil
}

// origin matches origins without characters that have another meaning in a header.
var origin = regexp.MustCompile(`^https?://([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(:[0-9]{1,5})?$`)

func areOrigins(f validator.FieldLevel) bool {
	for i := range f.Field().Len() {
		if !origin.MatchString(f.Field().Index(i).String()) {
			return false
		}
	}
	return true
}
