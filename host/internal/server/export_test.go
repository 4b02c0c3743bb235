package server

// Turn exports (*Server).turn.
var Turn = (*Server).turn
