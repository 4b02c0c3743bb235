package system

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// releasedVersion is that of the release that the tests have made.
const releasedVersion = "1.2.3"

// releaseModules makes the modules that engines are written with, of the files of this checkout, in a
// proxy, and returns their lines of go.sum with commas between. The repository that they are
// released from is made in a directory.
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
