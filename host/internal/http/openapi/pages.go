package openapi

import (
	"maps"
	"strconv"

	"github.com/slipstick/slipstick/host/internal/http/feed"
)

const (
	tagPages  = "Pages"
	htmlMedia = "text/html"
)

// pagePins are the parameters for the version of a page.
var pagePins = []string{"ServiceSpecVersion", "Attribution", "AsOf"}

// addPagePaths adds the paths of pages, and of the files that pages link to.
func (d *document) addPagePaths() {
	group, tool := parameter("path", "group", "Group of capabilities.", text), parameter("path", "tool", "Tool id.", text)
	index := d.page("showIndex", "The index of all calculations", "The page of everything that is published; with `q` those that answer a problem.", 400, 405, 429, 500)
	index["parameters"] = refs("parameters", "Question", "Cursor")
	d.paths["/"] = object{"get": index}
	ofGroup := d.page("showGroup", "The calculations of a group", "A page of links.", 400, 404, 405, 429, 500)
	ofGroup["parameters"] = refs("parameters", "Cursor")
	d.paths["/calc/{group}"] = object{"parameters": list{group}, "get": ofGroup}

	show := d.page("showCalculator", "The page of a calculation", "The query gives the inputs, as the form of the page writes them.", 308, 400, 404, 405, 409, 429, 500, 503)
	show["parameters"] = refs("parameters", pagePins...)
	show["responses"].(object)["303"] = object{"description": "The controls of the page were sent: the same at an address without them, in `Location`.", "headers": headerRefs("Location")}
	send := d.page("submitCalculator", "Calculate with the form of a page", "Answers the page with the result.", 308, 400, 404, 405, 409, 413, 415, 429, 500, 503)
	send["parameters"], send["requestBody"] = refs("parameters", "ServiceSpecVersion"), form()
	d.paths["/calc/{group}/{tool}"] = object{"parameters": list{group, tool}, "get": show, "post": send}

	vary := d.page("showVaried", "What a page shows of a varied calculation", "The part of the page below its controls, for scripts. The query is that of the page.", 308, 400, 404, 405, 409, 429, 500, 503)
	vary["parameters"] = refs("parameters", pagePins...)
	d.paths["/calc/{group}/{tool}/vary"] = object{"parameters": list{group, tool}, "get": vary}

	study := d.page("showStudy", "The page of studies", "Which input gives a wanted result, how sensitive and how uncertain it is. The query gives the inputs, and the study as the forms of the page write it.", 308, 400, 404, 405, 409, 429, 500, 503)
	study["parameters"] = refs("parameters", pagePins...)
	d.paths["/calc/{group}/{tool}/study"] = object{"parameters": list{group, tool}, "get": study}

	freeze := d.page("freezeCalculator", "Freeze with the form of a page", "Leads to the page of the snapshot.", 308, 400, 404, 405, 409, 413, 415, 429, 500, 503)
	responses := freeze["responses"].(object)
	delete(responses, "200")
	responses["303"] = object{"description": "The snapshot is at `Location`.", "headers": headerRefs("Location")}
	freeze["parameters"], freeze["requestBody"] = refs("parameters", "ServiceSpecVersion"), form()
	d.paths["/calc/{group}/{tool}/freeze"] = object{"parameters": list{group, tool}, "post": freeze}

	file := parameter("path", "file", "Name of the file: `results.csv`, `results.xlsx`, `formula.tex`, `result.json`, `call.sh`, `call.py`, `call.mjs`, `call.go`, `call.txt` (cells of spreadsheets), `call.ts` (Office Script), `call.gs` (Apps Script), or the id of a plot and `.svg`.", text)
	export := d.page("exportCalculation", "A calculation as a file", "The query is that of the page, and may pin a version.", 308, 400, 404, 405, 409, 429, 500, 503)
	export["parameters"] = refs("parameters", pins...)
	export["responses"].(object)["200"] = ok("The file.", "*/*", text, append(append([]string{}, releaseHeaders...), limitHeaders...)...)
	d.paths["/calc/{group}/{tool}/export/{file}"] = object{"parameters": list{group, tool, file}, "get": export}

	many := d.page("showRows", "The page that takes a table", "A form for many calculations at once.", 308, 400, 404, 405, 409, 429, 500, 503)
	many["parameters"] = refs("parameters", pagePins...)
	compute := d.page("submitRows", "Have a table computed", "Answers the page with the first rows, or the whole table as a file. It counts as a batch of the same rows does.", 308, 400, 404, 405, 409, 413, 415, 429, 500, 503)
	compute["responses"].(object)["200"].(object)["content"].(object)["text/csv"] = object{"schema": text}
	compute["parameters"] = refs("parameters", "ServiceSpecVersion")
	compute["requestBody"] = object{"required": true, "content": object{"multipart/form-data": object{"schema": object{"type": "object", "properties": object{
		"table": described(text, "The table, as POST /api/v1/batch takes it."), "file": described(text, "A file with it, which counts before the text."),
		"decimal": object{"type": "string", "enum": list{"", "point", "comma"}}, "units": described(text, "Units of outputs: `delta=mm`, with commas between them."),
		"as": described(text, "`csv` for a file."), "calculation_version": described(text, "Version pin."),
	}}}}}
	d.paths["/calc/{group}/{tool}/rows"] = object{"parameters": list{group, tool}, "get": many, "post": compute}

	d.paths["/calc/{group}/{tool}/shadow"] = object{"parameters": list{group, tool},
		"get": d.page("showShadow", "What candidates of a calculation would have answered", "The page of what this host has compared.", 308, 404, 405, 429, 500, 503)}

	d.addFeeds(list{group, tool})
	d.addFilePaths()
	d.addPlots()
}

// addFeeds adds the feed of all capabilities, and the feed of the calculator in the parameters.
func (d *document) addFeeds(calculator list) {
	for _, f := range []struct{ file, id, name, media string }{
		{"/feed.atom", "Atom", "Atom (RFC 4287)", feed.AtomType}, {"/feed.json", "JSON", "JSON Feed 1.1", feed.JSONType},
	} {
		one := func(id, summary string, failures map[int]string) object {
			body := ok("The newest first, at most "+strconv.Itoa(feed.MaxEvents)+".", f.media, described(text, "A document of "+f.name+"."), append([]string{"ETag", "Vary"}, limitHeaders...)...)
			return operation(tagPages, id+f.id, summary+", as "+f.name, "When a version was published, promoted, deprecated, yanked, revoked or reinstated, and why. The names of entries stay the same.", nil, nil, answers(body, failures))
		}
		failures := map[int]string{304: "NotModified", 405: "MethodNotAllowed", 429: "RateLimited", 500: "InternalError"}
		d.paths[f.file] = object{"get": one("getFeed", "What has changed", failures)}
		failures = maps.Clone(failures)
		failures[404], failures[503] = "NotFound", "NotAvailable"
		own := one("getCalculatorFeed", "What has changed of a calculation", failures)
		own["responses"].(object)["308"] = ref("responses", "Moved")
		d.paths["/calc/{group}/{tool}"+f.file] = object{"parameters": calculator, "get": own}
	}
}

func (d *document) addPlots() {
	failures := maps.Clone(descriptionFailures)
	failures[400], failures[429], failures[404] = "Rejected", "RateLimited", "EngineNotFound"
	delete(failures, 304)
	plot := operation(tagCatalog, "getPlot", "The numbers of a plot", "The query gives the inputs, as on the page of the calculation.", append([]string{"XUnit", "YUnit"}, pins...), nil,
		answers(ok("A row for every point.", "text/csv", text, append(append([]string{"Vary"}, releaseHeaders...), limitHeaders...)...), failures))
	d.paths["/api/v1/capabilities/{id}/plots/{plot}"] = object{
		"parameters": list{ref("parameters", "CapabilityID"), parameter("path", "plot", "Id of a plot of the Spec.", text)}, "get": plot,
	}
	vary := operation(tagCatalog, "getVaried", "The numbers of a varied calculation", "The query gives the inputs and what is varied, as on the page of the calculation. It counts as a batch of the same rows does.", pins, nil,
		answers(ok("A row for every value.", "text/csv", text, append(append([]string{"Vary"}, releaseHeaders...), limitHeaders...)...), failures))
	studied := operation(tagCatalog, "getStudied", "The numbers of a study", "The query gives the inputs and the study, as on the page of studies. It counts as a batch of the same rows does.", pins, nil,
		answers(ok("The numbers.", "text/csv", text, append(append([]string{"Vary"}, releaseHeaders...), limitHeaders...)...), failures))
	d.paths["/api/v1/capabilities/{id}/study"] = object{"parameters": list{ref("parameters", "CapabilityID")}, "get": studied}
	d.paths["/api/v1/capabilities/{id}/vary"] = object{"parameters": list{ref("parameters", "CapabilityID")}, "get": vary}
}

// addFilePaths adds the files of pages, the API reference, and the MCP endpoint.
func (d *document) addFilePaths() {
	file := func(id, summary string) object {
		return operation(tagPages, id, summary, "Of a media type of its own.", nil, nil,
			answers(ok("The file.", "*/*", text), map[int]string{404: "NotFound", 405: "MethodNotAllowed"}))
	}
	name := list{parameter("path", "name", "Name of the file.", text)}
	d.paths["/assets/{name}"] = object{"parameters": name, "get": file("getAsset", "A file that pages refer to")}
	manual := d.page("showDocumentation", "The documentation of this version", "With q, the pages that have the words.", 400, 404, 405, 429)
	manual["parameters"] = refs("parameters", "Question")
	d.paths["/docs"] = object{"get": manual}
	page := d.page("showDocumentationPage", "A page of the documentation", "Or one of its pictures.", 404, 405, 429)
	page["responses"].(object)["200"].(object)["content"].(object)["*/*"] = object{"schema": text}
	d.paths["/docs/{path}"] = object{
		"parameters": list{parameter("path", "path", "Path of a page of the documentation, which can have slashes.", text)}, "get": page,
	}
	d.paths["/docs/api/{name}"] = object{"parameters": name, "get": file("getReferenceFile", "A file of the reference")}
	reference := d.page("showReference", "The reference of the interface", "A page made from this document.", 400, 404, 405)
	reference["parameters"] = refs("parameters", "ShownCapability")
	d.paths["/docs/api"] = object{"get": reference}

	message := object{"required": true, "content": object{jsonMedia: object{"schema": described(anything, "A message of JSON-RPC 2.0.")}}}
	answer := ok("The answer to the message.", jsonMedia, described(anything, "A message of JSON-RPC 2.0."), limitHeaders...)
	answer["content"].(object)["text/event-stream"] = object{"schema": text}
	responses := object{"200": answer, "202": object{"description": "The message is a notification, which has no answer."}}
	refused := ok("The message is refused; the body says why.", jsonMedia, described(anything, "A message of JSON-RPC 2.0."))
	for _, status := range []string{"400", "403", "404", "406", "413", "415", "429", "500", "503"} {
		responses[status] = refused
	}
	responses["405"] = ref("responses", "MethodNotAllowed")
	d.paths["/mcp"] = object{"post": operation(tagService, "sendMCP", "Model Context Protocol", "Streamable HTTP, stateless: one message, one answer.", pins, message, responses)}
}

// pageFailures are the failures that pages can show too.
var pageFailures = map[int]string{
	400: "Rejected", 404: "NotFound", 405: "MethodNotAllowed", 409: "VersionConflict", 413: "PayloadTooLarge", 415: "UnsupportedMediaType",
	429: "RateLimited", 500: "InternalError", 503: "NotAvailable",
}

// page returns the operation of a page, with failures of the statuses.
func (d *document) page(id, summary, description string, statuses ...int) object {
	others := map[int]string{}
	moved := false
	for _, status := range statuses {
		moved = moved || status == 308
		if status != 308 {
			others[status] = pageFailures[status]
		}
	}
	responses := answers(ok("The page.", htmlMedia, text, append([]string{"Vary"}, limitHeaders...)...), others)
	for key, response := range responses {
		responses[key] = d.withPage(response.(object))
	}
	if moved {
		responses["308"] = ref("responses", "Moved")
	}
	return operation(tagPages, id, summary, description, nil, nil, responses)
}

// form returns the body of a form that a browser sends.
func form() object {
	return object{"required": true, "content": object{"application/x-www-form-urlencoded": object{"schema": mapOf(text)}}}
}
