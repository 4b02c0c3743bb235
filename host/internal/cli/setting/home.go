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
			if home != "" && readable(filepath.Join(home, name)) {
				return home
			}
		}
	}
	return "var"
}

// Own returns the default directory of the registry of this user or service.
func Own() string { return filepath.Join(Home(), "registry") }

// Registry returns the default directory of the registry for commands that only read. Without an own registry it is
// the library.
func Registry() string {
	own, library := Own(), Library()
	if library != "" && !readable(own) {
		return library
	}
	return own
}

// Library returns the directory of the registry that is in the package of this program, or "" if there is none. It is
// in lib next to the program, as in an archive, or next to the program's directory, as in /usr.
func Library() string {
	program, err := os.Executable()
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err != nil {
		return ""
	}
	return libraryOf(filepath.Dir(program))
}

func libraryOf(dir string) string {
	for _, dir := range []string{dir, filepath.Dir(dir)} {
		library := filepath.Join(dir, "lib", "slipstick", "registry")
		if readable(library) {
			return library
		}
	}
	return ""
}

func readable(dir string) bool {
	_, err := os.ReadDir(dir)
	return err == nil
}

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
