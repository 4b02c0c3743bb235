package setting

import (
	"os"
	"path/filepath"
)

// Home is the directory that has registry, mirror and data where nothing else is said: the first of
// var, the user's data directory and that of the Debian package in which one of them can be read. If none can, it is var.
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

// userHome is where the XDG Base Directory Specification puts the data of a program, "" if the user has no home.
func userHome() string {
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) { // it says to ignore others
		return filepath.Join(data, "slipstick")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "share", "slipstick")
}
