// Shows the OpenAPI document of this host. No validator is asked: it would be another host.
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  validatorUrl: null,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
});
