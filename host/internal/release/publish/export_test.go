package publish

// Nearest is nearest, for tests.
var Nearest = nearest

// Stages is stages.
var Stages = stages
