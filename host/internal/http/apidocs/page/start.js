// Shows the OpenAPI document of this server, or with ?capability=ID the document of one capability.
// There is no validator, because it would send the document to another server.
const id = new URLSearchParams(location.search).get("capability");
SwaggerUIBundle({
  url: id ? "../api/v1/capabilities/" + encodeURIComponent(id) + "/openapi.json" : "../openapi.json",
  dom_id: "#reference",
  validatorUrl: null,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  onComplete: () => document.getElementById("servers")?.setAttribute("aria-label", "Server"), // which Swagger UI leaves without a name
});

// Swagger UI is dark if a class asks for it. Paper is always light.
const dark = matchMedia("screen and (prefers-color-scheme: dark)");
const darken = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", darken);
darken();
