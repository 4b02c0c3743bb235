package wording

import (
	"slices"

	"github.com/slipstick/slipstick/sdk"
)

// Option is one value of a choice.
type Option struct {
	Value, Text string
	Chosen      bool
}

// OptionsOf returns the values of a choice. On a blank form it selects the first value of a required choice, so that the form
// sends the value that it shows.
func OptionsOf(f *sdk.Field, text string, blank bool) []Option {
	values := f.Enum
	if f.Type == sdk.TypeBoolean {
		values = []string{"true", "false"}
	}
	chosen, known := text, slices.Contains(values, text)
	if value, ok := f.EnumValue(text); ok {
		chosen, known = value, true
	}
	if !known {
		chosen = f.Default
	}
	var options []Option
	if f.Default == "" && !f.Required {
		options = append(options, Option{"", "Not given", !known})
	}
	if f.Default == "" && f.Required && blank && !known {
		chosen = values[0]
	}
	for _, v := range values {
		if slices.Contains(f.Unlisted, v) && v != chosen {
			continue
		}
		text := FormatChoice(v)
		if f.Type == sdk.TypeBoolean {
			text = map[string]string{"true": "Yes", "false": "No"}[v]
		}
		options = append(options, Option{v, text, v == chosen})
	}
	return options
}

// IsChoice reports whether the input has a fixed set of values.
func IsChoice(f *sdk.Field) bool { return len(f.Enum) > 0 || f.Type == sdk.TypeBoolean }

// IsNumber reports whether the values of a field are numbers.
func IsNumber(f *sdk.Field) bool { return f.Type == sdk.TypeNumber || f.Type == sdk.TypeInteger }

// ChoiceText returns a value of a choice within a sentence.
func ChoiceText(f *sdk.Field, choice string) string {
	if f.Type == sdk.TypeBoolean {
		return map[string]string{"true": "yes", "false": "no"}[choice]
	}
	return FormatChoice(choice)
}
