package apidocs

// HandlerOf is the Handler of a build with these files of Swagger UI.
var HandlerOf = handler
