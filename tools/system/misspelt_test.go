package system

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
)

// tracking lists query parameters that mail programs, social networks, shops and analytics add to links.
var tracking = strings.Fields(`utm_source utm_medium utm_campaign utm_term utm_content utm_id fbclid gclid gclsrc dclid gbraid wbraid
msclkid mc_cid mc_eid igshid igsh yclid ysclid twclid ttclid li_fat_id epik _ga _gl _hsenc _hsmi hsCtaTracking mkt_tok vero_id
oly_anon_id oly_enc_id ref ref_src ref_url source src cmpid trk spm scm s_kwcid ef_id irclickid rb_clickid wickedid si
pk_campaign mtm_source at_medium cx_refsPos __twitter_impression share feature lang hl v _ cb ck_subscriber_id sc_cid`)

// checkMisspelt makes sure that tracking parameters have no effect on the page of any capability. Each misspelling
// of an input, a pin or an option is reported and stops the calculation.
func (h *server) checkMisspelt(t *testing.T) {
	var list struct {
		Capabilities []struct {
			ID string `json:"capability_id"`
		}
	}
	h.getJSON(t, "/api/v1/capabilities", &list)
	keys := 0
	for _, c := range list.Capabilities {
		var described struct{ Spec sdk.Spec }
		h.getJSON(t, "/api/v1/capabilities/"+c.ID, &described)
		spec := &described.Spec
		path := "/calc/" + spec.Group + "/" + spec.Tool
		known := request.Names(spec.Inputs)
		foreign := url.Values{}
		for _, key := range tracking {
			if spec.Input(key) < 0 && !(key == "share" && slices.Contains(known, "shape")) { // which it can be a mistake for
				foreign.Set(key, "x")
			}
		}
		if status, page := h.get(t, path+"?"+foreign.Encode()); status != http.StatusOK || strings.Contains(page, `id="unclear"`) {
			t.Errorf("%s: parameters of others: %d %s", c.ID, status, unclear(page))
		}
		wrong := url.Values{}
		for _, name := range append(known, "calculation_version", "as_of", "units", "decimal", "steps", "vary", "compare") {
			for _, key := range misspelled(name) {
				if spec.Input(key) < 0 && len(wrong.Encode()) < 3800 {
					wrong.Set(key, "1")
				}
			}
		}
		status, page := h.get(t, path+"?"+wrong.Encode())
		if status != http.StatusBadRequest || strings.Contains(page, `id="calculatorx-result"`) {
			t.Errorf("%s: misspelt keys: %d", c.ID, status)
		}
		said := unclear(page)
		for key := range wrong {
			keys++
			if !strings.Contains(said, "<code>"+key+"</code>") {
				t.Errorf("%s: %s is ignored", c.ID, key)
			}
		}
	}
	if keys < 2000 {
		t.Errorf("only %d misspelt keys", keys)
	}
}

// misspelled returns ways to mistype a name: in capitals, with two letters swapped, with a letter omitted, doubled
// or wrong, and without its underscore. Short names have only the first.
func misspelled(name string) []string {
	list := []string{strings.ToUpper(name)}
	if list[0] == name {
		list[0] = strings.ToLower(name)
	}
	if len(name) >= 4 {
		at := len(name) / 2
		list = append(list, name[:at-1]+name[at:at+1]+name[at-1:at]+name[at+1:], name[:at]+name[at+1:], name[:at]+name[at:at+1]+name[at:], name[:at]+"q"+name[at+1:], strings.ReplaceAll(name, "_", ""))
	}
	var other []string
	for _, key := range list {
		if key != name && key != "v" {
			other = append(other, key)
		}
	}
	return other
}

// unclear returns the message of a page about query parameters of its URL.
func unclear(page string) string {
	_, said, _ := strings.Cut(page, `id="unclear"`)
	said, _, _ = strings.Cut(said, "</ul>")
	return said
}
