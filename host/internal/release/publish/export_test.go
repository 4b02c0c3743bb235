package publish

// Nearest is nearest, for tests.
var Nearest = nearest
