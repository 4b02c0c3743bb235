package apidocs

// RoutesOf are the Routes of a build with these files of Swagger UI.
var RoutesOf = routes
