package apidocs

// RoutesOf returns the Routes of a build with these files of Swagger UI.
var RoutesOf = routes
