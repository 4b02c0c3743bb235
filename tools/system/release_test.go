package system

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// releasedVersion is the version of the release that the tests make.
const releasedVersion = "1.2.3"

// releaseModules builds the modules for engines from the files of this checkout, in the directory of a module
// proxy. It returns their lines of go.sum, separated by commas. The releases come from a repository that it
// creates in another directory.
func releaseModules(repository, proxy string) (sums string, err error) {
	modules := []string{"versions", "sdk", "conformance"}
	for _, module := range modules {
		if err := os.CopyFS(filepath.Join(repository, module), os.DirFS(filepath.Join(root, module))); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all"}, {"commit", "--quiet", "--no-gpg-sign", "-m", "all of it"}} {
		git := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		git.Dir = repository
		if out, err := git.CombinedOutput(); err != nil {
			return "", fmt.Errorf("git %v: %w: %s", args, err, out)
		}
	}
	releaser := filepath.Join(repository, "..", "releaser")
	if err := goBuild(filepath.Join(root, "tools"), releaser, "./modules"); err != nil {
		return "", err
	}
	lines, err := exec.Command(releaser, append([]string{"-repository", repository, "-version", releasedVersion, "-out", proxy}, modules...)...).Output()
	return strings.ReplaceAll(strings.TrimSpace(string(lines)), "\n", ","), err
}
