package openapi

import (
	"github.com/slipstick/slipstick/versions"
)

// tableFailures are the names of the components that the responses of a table share.
var tableFailures = map[int]string{
	304: "NotModified", 400: "InvalidVersionPin", 404: "NotFound", 405: "MethodNotAllowed", 409: "VersionConflict",
	500: "InternalError", 503: "EngineUnavailable",
}

// addTablePaths adds the paths of the table of units and of published tables.
func (d *document) addTablePaths() {
	d.paths["/api/v1/units"] = object{"get": operation(tagCatalog, "listUnits", "List the units",
		"Returns every quantity with its units and their accepted spellings in inputs.", []string{"Quantity", "IfNoneMatch"}, nil,
		answers(ok("The units.", jsonMedia, schemaRef("Units"), "ETag", "Vary"), map[int]string{304: "NotModified", 400: "InvalidQuery", 405: "MethodNotAllowed", 500: "InternalError"}))}
	d.paths["/api/v1/tables"] = object{"get": operation(tagTables, "listTables", "List the tables",
		"Returns every published table with its versions.", []string{"IfNoneMatch"}, nil,
		answers(ok("The tables.", jsonMedia, schemaRef("Tables"), "ETag", "Vary"), map[int]string{304: "NotModified", 400: "InvalidQuery", 405: "MethodNotAllowed", 500: "InternalError"}))}
	id := list{ref("parameters", "TableID")}
	headerNames := []string{versions.HeaderName, "ETag", "Vary"}
	d.paths["/api/v1/tables/{id}"] = object{"parameters": id, "get": operation(tagTables, "getTable", "Read a table",
		"Returns columns, sources and rows of the pinned version, or of the current version. An input that accepts a value of the table can be sent as `{\"preset\": \"TABLE/ROW\"}`.",
		pinsCacheable, nil, answers(ok("The table.", jsonMedia, schemaRef("Table"), headerNames...), tableFailures))}
	d.paths["/api/v1/tables/{id}/rows.csv"] = object{"parameters": id, "get": operation(tagTables, "getTableRows", "Download the rows of a table",
		"Returns the published rows as CSV. A value from another source than its column has its source in brackets.",
		pinsCacheable, nil, answers(ok("The rows.", "text/csv", text, headerNames...), tableFailures))}

	index := d.page("showTables", "Table index page", "Shows all tables. With `q` it shows the rows with matching names.", 400, 405, 429, 500)
	index["parameters"] = refs("parameters", "Question")
	d.paths["/tables"] = object{"get": index}
	page := d.page("showTable", "Table page", "Shows the rows. With `row` it shows one row, with a drawing if the row has one.", 400, 404, 405, 409, 429, 500, 503)
	page["parameters"] = refs("parameters", append([]string{"Question", "Row"}, pins...)...)
	d.paths["/tables/{id}"] = object{"parameters": id, "get": page}
}
