// Shows the start of the next check, and loads the page again after it. The inputs are in the address, so they stay.
"use strict";

const panel = document.getElementById("dev-panel");

async function wait() {
  for (;;) {
    try {
      const answer = await fetch("/dev/wait?after=" + encodeURIComponent(panel.dataset.state));
      const state = answer.ok ? await answer.text() : panel.dataset.state;
      if (parseInt(state) !== parseInt(panel.dataset.state)) {
        location.reload();
        return;
      }
      if (state !== panel.dataset.state) {
        panel.dataset.state = state;
        panel.className = "dev-panel checking";
        panel.querySelector("[role=status]").textContent = "The engine is being checked.";
      }
      if (answer.ok) {
        continue;
      }
    } catch {} // slipstick dev has ended, or starts again
    await new Promise((done) => setTimeout(done, 500));
  }
}

wait();
