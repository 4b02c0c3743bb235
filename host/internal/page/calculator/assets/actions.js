// Buttons below a result: copy it, create a snapshot, print it.

document.documentElement.classList.add("scripted");

const calculation = () => document.getElementById("calculatorx-result")?.textContent.trim() ?? "";

// showOutcome shows the outcome of an action below the buttons.
function showOutcome(...parts) {
  const outcome = document.querySelector("[data-outcome]");
  if (!outcome) return;
  outcome.hidden = false;
  outcome.replaceChildren(...parts);
  const line = document.getElementById("status");
  if (line) line.textContent = outcome.textContent;
}

// copy puts the text on the clipboard. If that fails, it shows the text for copying by hand.
async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.readOnly = true;
    area.rows = 4;
    area.value = text;
    area.setAttribute("aria-label", "Text to copy");
    showOutcome("Copy it from here:", area);
    area.select();
    return;
  }
  const before = button.textContent;
  button.textContent = "Copied";
  const line = document.getElementById("status");
  if (line) line.textContent = "Copied";
  setTimeout(() => { button.textContent = before; }, 1500);
}

const quoted = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

// asked returns the request of the sheet: the inputs as entered, and the version that computed.
function asked() {
  const answer = JSON.parse(calculation());
  const { inputs } = JSON.parse(document.getElementById("slipstick-read").textContent); // as text, because JavaScript would change its numbers
  return { version: answer.calculation_version, capability: answer.capability_id, inputs };
}

const texts = {
  "copy": (button) => button.dataset.text,
  "copy-link": () => location.href,
  "copy-json": () => calculation(),
  "copy-curl": () => {
    const { version, inputs } = asked();
    return "curl -s " + quoted(endpoint("/api/v1/calc/" + form.dataset.tool)) + " -H 'Content-Type: application/json'" +
      " -H 'Service-Spec-Version: " + version + "' -d " + quoted(inputs);
  },
  "copy-mcp": () => {
    const { version, capability, inputs } = asked();
    return '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_calculation","arguments":{"capability_id":' +
      JSON.stringify(capability) + ',"inputs":' + inputs + ',"calculation_version":' + JSON.stringify(version) + "}}}";
  },
};

// keptUntil returns how long the service keeps a snapshot.
function keptUntil(time) {
  if (!time) return ". The link contains the complete result and does not expire.";
  return ". It is available until " + new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" }) + ".";
}

// createSnapshot creates a snapshot of the result without leaving the page.
async function createSnapshot(button) {
  const { version, inputs } = asked();
  button.disabled = true;
  try {
    const response = await fetch(endpoint("/api/v1/share"), {
      method: "POST", headers: { "Content-Type": "application/json" },
      body: '{"tool_id":' + JSON.stringify(form.dataset.tool) + ',"inputs":' + inputs + ',"calculation_version":' + JSON.stringify(version) + "}",
    });
    const record = await response.json();
    if (!response.ok) return showOutcome("The snapshot was not created: " + (record.detail ?? "the server failed") + ".");
    const link = document.createElement("a");
    link.href = endpoint(record.links.snapshot);
    link.textContent = link.href;
    showOutcome("Snapshot created: ", link, keptUntil(record.expires_at));
  } catch {
    showOutcome("The snapshot was not created, because the server is unreachable.");
  } finally {
    button.disabled = false;
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-action]");
  if (!button) return;
  const action = button.dataset.action;
  if (action === "snapshot") {
    event.preventDefault();
    createSnapshot(button);
  } else if (action === "print") {
    window.print();
  } else if (texts[action]) {
    copy(texts[action](button), button);
  }
});
