// GoRules in a server of Fastify, as a peer of the bench: scripts/bench --peers. It serves the beam of
// tools/bench/internal/beam on a free port, and prints the URL.
import { ZenEngine } from "@gorules/zen-engine";
import Fastify from "fastify";

const expression = (key, value) => ({ id: key, key, value });
const decision = new ZenEngine().createDecision({
  nodes: [
    { id: "in", type: "inputNode", name: "in", position: { x: 0, y: 0 } },
    {
      id: "middle",
      type: "expressionNode",
      name: "middle",
      position: { x: 1, y: 0 },
      content: {
        expressions: [
          expression("stiffness", "modulus * width * depth ^ 3 / 12"),
          expression("moment", "load * span ^ 2 / 8 + force * span / 4 + couple"),
          expression("reaction", "load * span / 2 + force / 2"),
          expression("stress", "axial / (width * depth) + 6 * $.moment / (width * depth ^ 2)"),
          expression("deflection", "(5 * load * span ^ 4 / 384 + force * span ^ 3 / 48 + couple * span ^ 2 / 8) / $.stiffness"),
        ],
      },
    },
    { id: "out", type: "outputNode", name: "out", position: { x: 2, y: 0 } },
  ],
  edges: [
    { id: "1", sourceId: "in", targetId: "middle", type: "edge" },
    { id: "2", sourceId: "middle", targetId: "out", type: "edge" },
  ],
});

const server = Fastify();
server.post("/v1/data/beam", async (request) => ({ result: (await decision.evaluate(request.body.input)).result }));
console.error(`gorules: serving ${await server.listen({ host: "127.0.0.1", port: 0 })}`);
