// Shows the OpenAPI document of this server, or with ?capability=ID the document of one capability.
// There is no validator, because it would send the document to another server.
const id = new URLSearchParams(location.search).get("capability");
SwaggerUIBundle({
  url: id ? "api/v1/capabilities/" + encodeURIComponent(id) + "/openapi.json" : "openapi.json",
  dom_id: "#reference",
  validatorUrl: null,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
});
