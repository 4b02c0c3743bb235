package plot

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
)

// FileOptions describe the texts and colours of a picture outside of its page.
type FileOptions struct {
	Colors  map[string]string // custom properties of the page, such as --ink
	Caption string            // text below the picture
	About   string            // metadata
}

// File draws a plot as a file without external styles: its styles are attributes, which it reads from CSS.
func File(p *sdk.Plot, f *sdk.Figure, o *FileOptions) []byte {
	const captionHeight = 18
	drawn := string(SVG(p, f, nil))
	end := strings.Index(drawn, ">")
	head, body := drawn[:end], strings.TrimSuffix(drawn[end+1:], "</svg>")
	size := sizes.FindStringSubmatch(head)
	width, _ := strconv.ParseFloat(size[1], 64)
	height, _ := strconv.ParseFloat(size[2], 64)
	var b strings.Builder
	fmt.Fprintf(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %s %s\" width=\"%[1]s\" height=\"%[2]s\" role=\"img\">\n",
		pixels(width), pixels(height+captionHeight))
	b.WriteString("<metadata>" + escape(o.About) + "</metadata>\n")
	fmt.Fprintf(&b, "<rect width=\"%s\" height=\"%s\" fill=\"%s\"/>", pixels(width), pixels(height+captionHeight), escape(o.Colors["--paper"]))
	b.WriteString(tags.ReplaceAllStringFunc(body, func(tag string) string { return styled(tag, o.Colors) }))
	b.WriteString(styled(`<text class="tick" x="4" y="`+pixels(height+captionHeight-6)+`">`, o.Colors) + escape(o.Caption) + "</text>\n</svg>\n")
	return []byte(b.String())
}

var (
	sizes   = regexp.MustCompile(` width="([0-9.]+)" height="([0-9.]+)"`)
	tags    = regexp.MustCompile(`<[a-z]+(?: [a-z-]+="[^"]*")*/?>`)
	tagName = regexp.MustCompile(`^<[a-z]+`)
	classes = regexp.MustCompile(` class="([^"]*)"`)
	// dropped matches attributes for scripts, and links between title and element.
	dropped = regexp.MustCompile(` (class|id|data-[a-z]+|aria-[a-z]+)="[^"]*"`)
)

// styled returns a tag with its styles as attributes.
func styled(tag string, colors map[string]string) string {
	name := tagName.FindString(tag)
	var of []string
	if found := classes.FindStringSubmatch(tag); found != nil {
		of = strings.Fields(found[1])
	}
	values, order := map[string]string{}, []string(nil)
	for _, r := range rules {
		if !r.fits(name[1:], of) {
			continue
		}
		for _, d := range r.declarations {
			if _, known := values[d[0]]; !known {
				order = append(order, d[0])
			}
			values[d[0]] = d[1]
		}
	}
	var b strings.Builder
	for _, property := range order {
		if slices.Contains(attributes, property) {
			b.WriteString(" " + property + `="` + escape(resolve(values[property], values, colors)) + `"`)
		}
	}
	return name + b.String() + dropped.ReplaceAllString(tag[len(name):], "")
}

// resolve replaces a custom property by its value, which can be another property.
func resolve(value string, own, colors map[string]string) string {
	for range 3 {
		name, found := strings.CutPrefix(value, "var(")
		if !found {
			return value
		}
		name, _, _ = strings.Cut(strings.TrimSuffix(name, ")"), ",")
		if v, ok := own[name]; ok {
			value = v
		} else {
			value = colors[name]
		}
	}
	return value
}

// attributes lists the properties that SVG has as attributes.
var attributes = []string{
	"fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-dasharray",
	"paint-order", "font-family", "font-size", "font-style", "font-weight",
}

// rule is a rule of CSS for elements of a picture.
type rule struct {
	element      string // "" for any
	classes      []string
	declarations [][2]string
}

func (r *rule) fits(element string, of []string) bool {
	return (r.element == "" || r.element == element) && !slices.ContainsFunc(r.classes, func(c string) bool { return !slices.Contains(of, c) })
}

// rules are the rules of CSS, the most specific last.
var rules = readRules(CSS)

// selector matches ".plot" with an element or its classes.
var selector = regexp.MustCompile(`^\.plot ([a-z]*)((?:\.[a-z0-9-]+)*)$`)

func readRules(css string) []rule {
	var list []rule
	css, _, _ = strings.Cut(css, "@media")
	for block := range strings.SplitSeq(css, "}") {
		selectors, body, _ := strings.Cut(block, "{")
		for one := range strings.SplitSeq(selectors, ",") {
			parts := selector.FindStringSubmatch(strings.TrimSpace(one))
			if parts == nil {
				continue
			}
			list = append(list, rule{parts[1], strings.FieldsFunc(parts[2], func(r rune) bool { return r == '.' }), declarations(body)})
		}
	}
	slices.SortStableFunc(list, func(a, b rule) int { return len(a.classes) - len(b.classes) })
	return list
}

func declarations(body string) (list [][2]string) {
	for one := range strings.SplitSeq(body, ";") {
		property, value, ok := strings.Cut(one, ":")
		property, value = strings.TrimSpace(property), strings.TrimSpace(value)
		switch {
		case !ok:
		case property == "font": // "13px/1 system-ui, sans-serif"
			size, _, _ := strings.Cut(value, "px")
			list = append(list, [2]string{"font-size", size}, [2]string{"font-family", "Helvetica, Arial, sans-serif"})
		default:
			list = append(list, [2]string{property, strings.TrimSuffix(value, "px")})
		}
	}
	return list
}
