// Loads the page again after the next check. The inputs are in the address, so they stay.
"use strict";

const panel = document.getElementById("dev-panel");

async function wait() {
  for (;;) {
    try {
      const answer = await fetch("/dev/wait?after=" + panel.dataset.number);
      if (answer.ok && (await answer.text()) !== panel.dataset.number) {
        location.reload();
        return;
      }
      if (answer.ok) {
        continue;
      }
    } catch {} // slipstick dev has ended, or starts again
    await new Promise((done) => setTimeout(done, 500));
  }
}

wait();
