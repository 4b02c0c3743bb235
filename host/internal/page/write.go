package page

import (
	"net/http"

	"github.com/slipstick/slipstick/host/internal/http/web"
)

// writePage answers with a page, unless it could not be made.
func writePage(w http.ResponseWriter, r *http.Request, html []byte, err error) error {
	if err != nil {
		return err
	}
	web.WritePage(w, r, http.StatusOK, html)
	return nil
}

// writeKept answers with a page that caches may keep for a minute.
func writeKept(w http.ResponseWriter, r *http.Request, html []byte, err error) error {
	if err == nil {
		w.Header().Set("Cache-Control", "public, max-age=60")
	}
	return writePage(w, r, html, err)
}
