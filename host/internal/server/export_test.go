package server

// Turn exports [Server.turn] for tests.
var Turn = (*Server).turn
