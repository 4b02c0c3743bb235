// Plots as PNG: the browser draws the SVG file, three times as large as on the page.
document.addEventListener("click", async (event) => {
  const button = event.target.closest?.('[data-action="png"]');
  if (!button) return;
  const image = new Image();
  image.src = button.dataset.svg;
  try {
    await image.decode();
  } catch {
    return tell("The plot was not saved, because the server is unreachable.");
  }
  const canvas = document.createElement("canvas");
  canvas.width = 3 * image.naturalWidth;
  canvas.height = 3 * image.naturalHeight;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await new Promise((done) => canvas.toBlob(done, "image/png")));
  link.download = button.dataset.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
});
