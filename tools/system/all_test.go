package system

import (
	"strings"
	"testing"
)

// All of the library. This test takes longest, so the name of its file lets it start first. Every engine of this
// repository builds, conforms and is published. Every reference case has the expected result, and the same result over
// every interface. The index in docs lists the published capabilities. No release claims more checks than were made.
// External tools find no error on the pages.
func TestLibrary(t *testing.T) {
	t.Parallel()
	registry := library(t)
	compareIndex(t, registry)
	h := startServerWith(t, []string{"serve", "--addr", "127.0.0.1:0", "--registry", registry, "--data", t.TempDir(), "--limit", unlimited, "--timeout", "30s"}) // engines start while browsers run
	if len(h.said) != 1 {
		t.Errorf("serve said:\n%s", strings.Join(h.said, "\n"))
	}
	if n := len(children(h.cmd.Process.Pid)); n != 0 {
		t.Errorf("%d engine processes before anybody asked", n)
	}
	h.drain(t)
	// The engines start one after the other, before many callers need them. If all start while browsers run,
	// callers give up first.
	t.Run("cases", func(t *testing.T) {
		for _, c := range allReferences(t, "vectors.json") {
			h.checkVector(t, &c)
		}
		for _, c := range allReferences(t, "errors.json") {
			h.checkError(t, &c)
		}
	})
	// This test takes longest, so it starts first. It mostly waits, so it needs no slot.
	t.Run("pages", func(t *testing.T) {
		t.Parallel()
		judge(t, "pages", "browse", h.url)
	})
	t.Run("parity", func(t *testing.T) {
		busy(t)
		for _, c := range allReferences(t, "vectors.json") {
			h.checkParity(t, &c)
		}
		for _, c := range allReferences(t, "errors.json") {
			h.checkSameError(t, &c)
		}
	})
	t.Run("batch", func(t *testing.T) {
		busy(t)
		h.checkBatch(t)
	})
	t.Run("faces", func(t *testing.T) {
		busy(t)
		h.checkInterfaces(t, registry)
	})
	t.Run("schemas", func(t *testing.T) {
		busy(t)
		h.checkSchemas(t)
	})
	t.Run("units", func(t *testing.T) {
		busy(t)
		h.checkUnits(t)
	})
	t.Run("us", func(t *testing.T) {
		busy(t)
		h.checkUS(t)
	})
	t.Run("pictures", func(t *testing.T) {
		busy(t)
		h.checkPictures(t)
	})
	t.Run("fill", func(t *testing.T) {
		busy(t)
		h.checkFill(t)
	})
	t.Run("studies", func(t *testing.T) {
		busy(t)
		h.checkStudies(t)
	})
	t.Run("words", func(t *testing.T) {
		busy(t)
		h.checkWords(t)
	})
	t.Run("questions", func(t *testing.T) {
		busy(t)
		h.checkQuestions(t)
	})
	t.Run("misspelt", func(t *testing.T) {
		busy(t)
		h.checkMisspelt(t)
	})
	t.Run("claims", h.checkClaims)
	t.Run("readme", func(t *testing.T) {
		_, document := readme(t)
		_, serves, _ := strings.Cut(h.said[0], " with ")
		if !strings.Contains(document, "slipstick: serving http://127.0.0.1:8080 with "+serves+"\n") {
			t.Errorf("the README does not say that it serves %s", serves)
		}
		if !*update { // the document is generated with few engines, and must be correct with all of them
			readmeCommands(t, registry, document)
		}
	})
	t.Run("lighthouse", func(t *testing.T) {
		busy(t)
		judge(t, "pages", "lighthouse", h.url)
	})
	t.Run("jobs", func(t *testing.T) {
		busy(t)
		judge(t, "pages", "jobs", h.url)
	})
	t.Run("tasks", func(t *testing.T) {
		busy(t)
		judge(t, "pages", "tasks", h.url)
	})
}
