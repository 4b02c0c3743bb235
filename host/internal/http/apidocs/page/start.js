// Shows the OpenAPI document of this host. No validator is asked: it would be another host.
// With ?capability=ID it is the document of one capability, which a large library has.
const id = new URLSearchParams(location.search).get("capability");
SwaggerUIBundle({
  url: id ? "api/v1/capabilities/" + encodeURIComponent(id) + "/openapi.json" : "openapi.json",
  dom_id: "#reference",
  validatorUrl: null,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
});
