package setting

import (
	"os"
	"path/filepath"
)

// Home returns the default directory for registry, mirror and data. It is the first directory in which one of them is readable:
// var, the user's data directory, or /var/lib/slipstick of the Debian package. If there is none, it is var.
func Home() string {
	for _, home := range []string{"var", userHome(), "/var/lib/slipstick"} {
		for _, name := range []string{"registry", "mirror", "data"} {
			if _, err := os.ReadDir(filepath.Join(home, name)); err == nil && home != "" {
				return home
			}
		}
	}
	return "var"
}

// Registry returns the default directory of the registry.
func Registry() string { return filepath.Join(Home(), "registry") }

// userHome returns the data directory of the program by the XDG Base Directory Specification, "" if the user has no home.
func userHome() string {
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) { // the specification demands to ignore relative paths
		return filepath.Join(data, "slipstick")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "share", "slipstick")
}
