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
		"Every quantity with its units, and the spellings that are read as a unit where an input of the quantity is sent.", []string{"Quantity", "IfNoneMatch"}, nil,
		answers(ok("The units.", jsonMedia, schemaRef("Units"), "ETag", "Vary"), map[int]string{304: "NotModified", 400: "InvalidQuery", 405: "MethodNotAllowed", 500: "InternalError"}))}
	d.paths["/api/v1/tables"] = object{"get": operation(tagTables, "listTables", "List the tables",
		"Every published table with its versions.", []string{"IfNoneMatch"}, nil,
		answers(ok("The tables.", jsonMedia, schemaRef("Tables"), "ETag", "Vary"), map[int]string{304: "NotModified", 400: "InvalidQuery", 405: "MethodNotAllowed", 500: "InternalError"}))}
	id := list{ref("parameters", "TableID")}
	headerNames := []string{versions.HeaderName, "ETag", "Vary"}
	d.paths["/api/v1/tables/{id}"] = object{"parameters": id, "get": operation(tagTables, "getTable", "A table",
		"Its columns, its sources and its rows, at the version that the pins mean. A number of a calculation whose input takes a figure of the table can be sent as `{\"preset\": \"TABLE/ROW\"}`.",
		pinsCacheable, nil, answers(ok("The table.", jsonMedia, schemaRef("Table"), headerNames...), tableFailures))}
	d.paths["/api/v1/tables/{id}/rows.csv"] = object{"parameters": id, "get": operation(tagTables, "getTableRows", "Rows of a table",
		"The rows as they were published, as CSV. The source of a figure stands behind it in brackets, unless it is that of its column.",
		pinsCacheable, nil, answers(ok("The rows.", "text/csv", text, headerNames...), tableFailures))}

	index := d.page("showTables", "The tables for people", "A page of the tables; with `q` the rows of such names.", 400, 405, 429, 500)
	index["parameters"] = refs("parameters", "Question")
	d.paths["/tables"] = object{"get": index}
	page := d.page("showTable", "A table for people", "A page of the rows; with `row` one of them, with a picture where it has one.", 400, 404, 405, 409, 429, 500, 503)
	page["parameters"] = refs("parameters", append([]string{"Question", "Row"}, pins...)...)
	d.paths["/tables/{id}"] = object{"parameters": id, "get": page}
}
