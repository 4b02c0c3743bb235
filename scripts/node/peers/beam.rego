# The beam of tools/bench/internal/beam, as a rule for the server of OPA: scripts/bench --peers.
package beam

area := input.width * input.depth

stiffness := (((input.modulus * area) * input.depth) * input.depth) / 12

square := input.span * input.span

moment := (((input.load * square) / 8) + ((input.force * input.span) / 4)) + input.couple

bent := (((5 * input.load) * square) * square) / 384

deflection := ((bent + (((input.force * square) * input.span) / 48)) + ((input.couple * square) / 8)) / stiffness

reaction := ((input.load * input.span) / 2) + (input.force / 2)

stress := (input.axial / area) + ((6 * moment) / (area * input.depth))
