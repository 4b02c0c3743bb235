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
	group, tool := parameter("path", "group", "Group of the capability.", text), parameter("path", "tool", "Tool id.", text)
	index := d.page("showIndex", "Index page", "Shows all published calculations. With `q` it shows the calculations for a problem.", 400, 405, 429, 500)
	index["parameters"] = refs("parameters", "Question", "Cursor")
	d.paths["/"] = object{"get": index}
	ofGroup := d.page("showGroup", "Group page", "Shows the calculations of a group.", 400, 404, 405, 429, 500)
	ofGroup["parameters"] = refs("parameters", "Cursor")
	d.paths["/calc/{group}"] = object{"parameters": list{group}, "get": ofGroup}

	show := d.page("showCalculator", "Calculator page", "The query has the inputs, in the form of the page.", 308, 400, 404, 405, 409, 429, 500, 503)
	show["parameters"] = refs("parameters", pagePins...)
	show["responses"].(object)["303"] = object{"description": "The query has controls of the page. `Location` is the same page without them.", "headers": headerRefs("Location")}
	send := d.page("submitCalculator", "Submit the form of a calculator page", "Returns the page with the result.", 308, 400, 404, 405, 409, 413, 415, 429, 500, 503)
	send["parameters"], send["requestBody"] = refs("parameters", "ServiceSpecVersion"), form()
	d.paths["/calc/{group}/{tool}"] = object{"parameters": list{group, tool}, "get": show, "post": send}

	vary := d.page("showVaried", "Varied calculation of a page", "Returns the part of the page below its controls, for scripts. It accepts the query of the page.", 308, 400, 404, 405, 409, 429, 500, 503)
	vary["parameters"] = refs("parameters", pagePins...)
	d.paths["/calc/{group}/{tool}/vary"] = object{"parameters": list{group, tool}, "get": vary}

	study := d.page("showStudy", "Study page", "Shows goal seeking, sensitivity and uncertainty of a calculation. The query has the inputs and the study, in the form of the page.", 308, 400, 404, 405, 409, 429, 500, 503)
	study["parameters"] = refs("parameters", pagePins...)
	d.paths["/calc/{group}/{tool}/study"] = object{"parameters": list{group, tool}, "get": study}

	snapshot := d.page("freezeCalculator", "Create a snapshot with the form of a page", "Redirects to the page of the snapshot.", 308, 400, 404, 405, 409, 413, 415, 429, 500, 503)
	responses := snapshot["responses"].(object)
	delete(responses, "200")
	responses["303"] = object{"description": "The snapshot is at `Location`.", "headers": headerRefs("Location")}
	snapshot["parameters"], snapshot["requestBody"] = refs("parameters", "ServiceSpecVersion"), form()
	d.paths["/calc/{group}/{tool}/freeze"] = object{"parameters": list{group, tool}, "post": snapshot}

	file := parameter("path", "file", "Name of the file. Results: `results.csv`, `results.xlsx`, `result.json`. Formula: `formula.tex`. Programs: `call.sh`, `call.py`, `call.mjs`, `call.go`. Spreadsheets: `call.txt` (formulas), `call.ts` (Office Script), `call.gs` (Apps Script). Plots: the id of the plot and `.svg`.", text)
	export := d.page("exportCalculation", "Export a calculation", "Returns the calculation as a file. It accepts the query of the page and version pins.", 308, 400, 404, 405, 409, 429, 500, 503)
	export["parameters"] = refs("parameters", pins...)
	export["responses"].(object)["200"] = ok("The file.", "*/*", text, append(append([]string{}, releaseHeaders...), limitHeaders...)...)
	d.paths["/calc/{group}/{tool}/export/{file}"] = object{"parameters": list{group, tool, file}, "get": export}

	many := d.page("showRows", "Batch page", "Shows a form for a table of calculations.", 308, 400, 404, 405, 409, 429, 500, 503)
	many["parameters"] = refs("parameters", pagePins...)
	compute := d.page("submitRows", "Submit a table", "Returns the page with the first rows, or the complete table as a file. The limit counts it as a batch of the same rows.", 308, 400, 404, 405, 409, 413, 415, 429, 500, 503)
	compute["responses"].(object)["200"].(object)["content"].(object)["text/csv"] = object{"schema": text}
	compute["parameters"] = refs("parameters", "ServiceSpecVersion")
	compute["requestBody"] = object{"required": true, "content": object{"multipart/form-data": object{"schema": object{"type": "object", "properties": object{
		"table": described(text, "The table, in the CSV format of `POST /api/v1/batch`."), "file": described(text, "A file with the table. It replaces `table`."),
		"decimal": object{"type": "string", "enum": list{"", "point", "comma"}}, "units": described(text, "Units of outputs, such as `delta=mm`, separated by commas."),
		"as": described(text, "`csv` returns a file."), "calculation_version": described(text, "Version pin."),
	}}}}}
	d.paths["/calc/{group}/{tool}/rows"] = object{"parameters": list{group, tool}, "get": many, "post": compute}

	d.paths["/calc/{group}/{tool}/shadow"] = object{"parameters": list{group, tool},
		"get": d.page("showShadow", "Shadow page of a calculation", "Shows comparisons of shadow candidates on this server.", 308, 404, 405, 429, 500, 503)}

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
			body := ok("Events, newest first, at most "+strconv.Itoa(feed.MaxEvents)+".", f.media, described(text, "A document in the format "+f.name+"."), append([]string{"ETag", "Vary"}, limitHeaders...)...)
			return operation(tagPages, id+f.id, summary+" as "+f.name, "Lists when and why versions were published, promoted, deprecated, yanked, revoked or reinstated. The id of an entry never changes.", nil, nil, answers(body, failures))
		}
		failures := map[int]string{304: "NotModified", 405: "MethodNotAllowed", 429: "RateLimited", 500: "InternalError"}
		d.paths[f.file] = object{"get": one("getFeed", "Feed of all capabilities", failures)}
		failures = maps.Clone(failures)
		failures[404], failures[503] = "NotFound", "NotAvailable"
		own := one("getCalculatorFeed", "Feed of a calculation", failures)
		own["responses"].(object)["308"] = ref("responses", "Moved")
		d.paths["/calc/{group}/{tool}"+f.file] = object{"parameters": calculator, "get": own}
	}
}

func (d *document) addPlots() {
	failures := maps.Clone(descriptionFailures)
	failures[400], failures[429], failures[404] = "Rejected", "RateLimited", "EngineNotFound"
	delete(failures, 304)
	plot := operation(tagCatalog, "getPlot", "Get the numbers of a plot", "Returns CSV. The query has the inputs, as on the calculator page.", append([]string{"XUnit", "YUnit"}, pins...), nil,
		answers(ok("One row for each point.", "text/csv", text, append(append([]string{"Vary"}, releaseHeaders...), limitHeaders...)...), failures))
	d.paths["/api/v1/capabilities/{id}/plots/{plot}"] = object{
		"parameters": list{ref("parameters", "CapabilityID"), parameter("path", "plot", "Id of a plot in the Spec.", text)}, "get": plot,
	}
	vary := operation(tagCatalog, "getVaried", "Get the numbers of a varied calculation", "Returns CSV. The query has the inputs and the variation, as on the calculator page. The limit counts it as a batch of the same rows.", pins, nil,
		answers(ok("One row for each value.", "text/csv", text, append(append([]string{"Vary"}, releaseHeaders...), limitHeaders...)...), failures))
	studied := operation(tagCatalog, "getStudied", "Get the numbers of a study", "Returns CSV. The query has the inputs and the study, as on the study page. The limit counts it as a batch of the same rows.", pins, nil,
		answers(ok("The numbers.", "text/csv", text, append(append([]string{"Vary"}, releaseHeaders...), limitHeaders...)...), failures))
	d.paths["/api/v1/capabilities/{id}/study"] = object{"parameters": list{ref("parameters", "CapabilityID")}, "get": studied}
	d.paths["/api/v1/capabilities/{id}/vary"] = object{"parameters": list{ref("parameters", "CapabilityID")}, "get": vary}
}

// addFilePaths adds the files of pages, the API reference, and the MCP endpoint.
func (d *document) addFilePaths() {
	file := func(id, summary string) object {
		return operation(tagPages, id, summary, "Returns the file with its media type.", nil, nil,
			answers(ok("The file.", "*/*", text), map[int]string{404: "NotFound", 405: "MethodNotAllowed"}))
	}
	name := list{parameter("path", "name", "Name of the file.", text)}
	d.paths["/assets/{name}"] = object{"parameters": name, "get": file("getAsset", "Get a file of the pages")}
	manual := d.page("showDocumentation", "Documentation", "Shows the documentation of this version. With `q` it shows the pages that have the words.", 400, 404, 405, 429)
	manual["parameters"] = refs("parameters", "Question")
	d.paths["/docs"] = object{"get": manual}
	page := d.page("showDocumentationPage", "Documentation page", "Shows a page of the documentation, or returns one of its pictures.", 404, 405, 429)
	page["responses"].(object)["200"].(object)["content"].(object)["*/*"] = object{"schema": text}
	d.paths["/docs/{path}"] = object{
		"parameters": list{parameter("path", "path", "Path of a documentation page; it can contain slashes.", text)}, "get": page,
	}
	d.paths["/docs/api/{name}"] = object{"parameters": name, "get": file("getReferenceFile", "Get a file of the API reference")}
	reference := d.page("showReference", "API reference", "Shows this OpenAPI document as a page.", 400, 404, 405)
	reference["parameters"] = refs("parameters", "ShownCapability")
	d.paths["/docs/api"] = object{"get": reference}

	message := object{"required": true, "content": object{jsonMedia: object{"schema": described(anything, "A JSON-RPC 2.0 message.")}}}
	answer := ok("The response to the message.", jsonMedia, described(anything, "A JSON-RPC 2.0 message."), limitHeaders...)
	answer["content"].(object)["text/event-stream"] = object{"schema": text}
	responses := object{"200": answer, "202": object{"description": "The message is a notification, which has no response."}}
	refused := ok("The message is rejected. The body has the error.", jsonMedia, described(anything, "A JSON-RPC 2.0 message."))
	for _, status := range []string{"400", "403", "404", "406", "413", "415", "429", "500", "503"} {
		responses[status] = refused
	}
	responses["405"] = ref("responses", "MethodNotAllowed")
	d.paths["/mcp"] = object{"post": operation(tagService, "sendMCP", "Send an MCP message", "Accepts one message of the Model Context Protocol and returns its response. The transport is Streamable HTTP without sessions.", pins, message, responses)}
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
