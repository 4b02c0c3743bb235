package setting

import (
	"fmt"
	"strings"
)

// renamed has the new name of each flag that had another name.
var renamed = map[string]string{"no-jail": "no-sandbox"}

// CheckNames returns an error if the arguments or the environment variables set a flag by its old name.
// The error contains the new name. Variables have the form NAME=VALUE.
func CheckNames(args, variables []string) error {
	for old, name := range renamed {
		for _, arg := range args {
			if arg == "--" {
				break
			}
			flag, _, _ := strings.Cut(arg, "=")
			if flag == "--"+old {
				return fmt.Errorf("the flag --%s is now --%s", old, name)
			}
		}
		for _, variable := range variables {
			key, _, _ := strings.Cut(variable, "=")
			if key == variableOf(old) {
				return fmt.Errorf("the environment variable %s is now %s", key, variableOf(name))
			}
		}
	}
	return nil
}

// variableOf returns the environment variable of a flag.
func variableOf(flag string) string {
	return "SLIPSTICK_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}
