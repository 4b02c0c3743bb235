package words

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Vale applies the rules to Markdown texts. Vale finds the position of a match by a search through the file, and
// the search can end at another sentence. Therefore each sentence gets its own file. The files are written to dir,
// a temporary directory.
func Vale(program, config, dir string, texts []Text) ([]Finding, error) {
	var sentences []Sentence
	for i := range texts {
		sentences = append(sentences, texts[i].Sentences()...)
	}
	for i, s := range sentences {
		body := s.Body + "\n"
		if s.Heading {
			body = "# " + body
		}
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)+".md"), []byte(body), 0o600); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command(program, "--no-global", "--config", config, "--output", "JSON", "--no-exit", dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	var alerts map[string][]struct{ Check, Message string }
	if err := json.Unmarshal(out, &alerts); err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	var found []Finding
	for i, s := range sentences {
		for _, a := range alerts[filepath.Join(dir, strconv.Itoa(i)+".md")] {
			found = append(found, Finding{s, strings.TrimPrefix(a.Check, Style+"."), a.Message})
		}
	}
	return found, nil
}
