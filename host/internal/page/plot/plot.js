// Shows the numbers of a plot at the pointer or, with the arrow keys, along its curves.
// It shows only points that the engine computed, and none between them.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const states = new WeakMap();

  const numbers = (text) => (text ? text.trim().split(/\s+/).map(Number) : []);
  const say = (x) => String(Number(x.toPrecision(5))).replace("-", "\u2212");
  const quantity = (x, unit) => say(x) + (unit.startsWith("10") ? " \u00d7 " : unit && "\u00a0") + unit;

  function curvesOf(svg) {
    const [x0, kx, y0, ky] = numbers(svg.dataset.map);
    const along = (axis) => (svg.dataset.log?.includes(axis) ? Math.log10 : (v) => v);
    const [onX, onY] = [along("x"), along("y")];
    return [...svg.querySelectorAll("path[data-x]")].map((path) => {
      const x = numbers(path.dataset.x);
      const y = numbers(path.dataset.y);
      return {
        label: path.dataset.label, x, y,
        px: x.map((v) => x0 + kx * onX(v)), py: y.map((v) => y0 + ky * onY(v)),
        ordered: x.every((v, i) => i === 0 || v >= x[i - 1]),
      };
    }).filter((c) => c.x.length > 0);
  }

  // prepare adds the elements and listeners to a plot, once.
  function prepare(svg) {
    if (states.has(svg)) return;
    const curves = curvesOf(svg);
    if (curves.length === 0) return;
    const hair = document.createElementNS(SVG, "g");
    hair.setAttribute("class", "hair");
    hair.setAttribute("visibility", "hidden");
    const line = document.createElementNS(SVG, "path");
    hair.append(line);
    svg.append(hair);
    const out = document.createElement("p");
    out.className = "plot-value";
    out.setAttribute("aria-live", "polite");
    svg.after(out);
    const all = curves.flatMap((c) => c.py);
    states.set(svg, { curves, hair, line, out, dots: [], lead: 0, at: 0, top: Math.min(...all) - 6, bottom: Math.max(...all) + 6 });
    svg.setAttribute("tabindex", "0");
    svg.setAttribute("role", "slider");
    svg.setAttribute("aria-valuemin", "0");
    svg.setAttribute("aria-valuemax", String(curves[0].x.length - 1));
    svg.setAttribute("aria-valuenow", "0");
    svg.setAttribute("aria-valuetext", "use the arrow keys to read numbers");
  }

  // nearest returns the point of a curve nearest to a place. If the curve only continues to the right, the distance is
  // along x; otherwise it is the distance on the page.
  function nearest(curve, px, py) {
    let best = 0;
    let least = Infinity;
    for (let i = 0; i < curve.px.length; i++) {
      const dx = Math.abs(curve.px[i] - px);
      const dy = Math.abs(curve.py[i] - py);
      const d = curve.ordered ? dx + dy * 1e-6 : Math.hypot(dx, dy);
      if (d < least) [best, least] = [i, d];
    }
    return best;
  }

  function show(svg, lead, at, spoken) {
    const s = states.get(svg);
    const first = s.curves[lead];
    const d = svg.dataset;
    const marks = s.curves.map((c, k) => {
      const i = k === lead ? at : nearest(c, first.px[at], first.py[at]);
      return { c, i, same: k === lead || (c.ordered && first.ordered && Math.abs(c.px[i] - first.px[at]) < 1) };
    }).filter((m) => m.same);
    Object.assign(s, { lead, at });
    s.line.setAttribute("d", `M${first.px[at]} ${s.top}V${s.bottom}`);
    while (s.dots.length < marks.length) {
      const dot = document.createElementNS(SVG, "circle");
      dot.setAttribute("r", "4");
      s.dots.push(dot);
      s.hair.append(dot);
    }
    s.dots.forEach((dot, k) => {
      const m = marks[k];
      dot.setAttribute("visibility", m ? "inherit" : "hidden");
      if (!m) return;
      dot.setAttribute("cx", m.c.px[m.i]);
      dot.setAttribute("cy", m.c.py[m.i]);
    });
    const named = s.curves.length > 1;
    const text = `${d.xname}: ${quantity(first.x[at], d.xunit)}; ` +
      marks.map((m) => `${named ? m.c.label : d.yname}: ${quantity(m.c.y[m.i], d.yunit)}`).join("; ");
    s.hair.setAttribute("visibility", "visible");
    s.out.setAttribute("aria-live", spoken ? "off" : "polite"); // screen readers read a slider without it
    s.out.textContent = text;
    svg.setAttribute("aria-valuenow", String(at));
    svg.setAttribute("aria-valuemax", String(first.x.length - 1));
    svg.setAttribute("aria-valuetext", text);
  }

  function point(event) {
    const svg = event.target.closest?.("svg.plot");
    const s = svg && states.get(svg);
    if (!s) return;
    const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const found = s.curves.map((c, k) => {
      const at = nearest(c, p.x, p.y);
      return { k, at, far: Math.hypot(c.px[at] - p.x, c.py[at] - p.y) };
    }).sort((a, b) => a.far - b.far)[0];
    show(svg, found.k, found.at, false);
  }

  const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity };

  function key(event) {
    const s = states.get(event.target);
    const step = steps[event.key];
    if (!s || !step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const last = s.curves[s.lead].x.length - 1;
    const by = s.out.textContent === "" ? 0 : step; // the first key shows the current point
    show(event.target, s.lead, Math.min(last, Math.max(0, s.at + by)), true);
  }

  function start(root) {
    root.querySelectorAll("svg.plot[data-map]").forEach(prepare);
  }

  for (const name of ["pointermove", "pointerdown"]) document.addEventListener(name, point, { passive: true });
  document.addEventListener("keydown", key);
  new MutationObserver(() => start(document)).observe(document.documentElement, { childList: true, subtree: true });
  start(document);
})();
