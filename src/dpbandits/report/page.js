"use strict";
// Draws the charts one by one, copies commands, sorts tables.
(() => {
  const specs = JSON.parse(document.getElementById("specs").textContent);
  const ERRORS_ONLY = 1; // a level of Vega's logger: a chart without data has no extent
  const drawn = new Map();
  const fitted = (spec, width) => { // charts beside each other have no width of their container
    if (!spec.concat) return { ...spec, width: width - 160 };
    const columns = Math.min(spec.concat.length, Math.max(1, Math.floor(width / 380)));
    const own = Math.max(160, Math.min(560, width / columns - 90));
    const made = structuredClone(spec);
    made.columns = columns;
    for (const view of made.concat) [view.width, view.height] = [own, Math.max(220, 0.7 * own)];
    made.config.legend.columns = Math.max(1, Math.floor(width / 240));
    return made;
  };
  const embed = async (chart, width) => {
    const controls = chart.parentElement.querySelector(".controls");
    controls.replaceChildren();
    const actions = { export: true, source: false, compiled: false, editor: false };
    const options = {
      mode: "vega-lite", actions, bind: controls, renderer: "svg", tooltip: { theme: "custom" }, logLevel: ERRORS_ONLY,
      downloadFileName: chart.dataset.chart,
    };
    const { view } = await vegaEmbed(chart, fitted(specs[chart.dataset.chart], width), options);
    chart.querySelector("svg.marks").setAttribute("aria-hidden", "true"); // the numbers are in a table
    return view;
  };
  const draw = (chart) => { // again if it has another width
    const [width, known] = [chart.clientWidth, drawn.get(chart)];
    if (known?.width !== width) {
      const view = Promise.resolve(known?.view).then((before) => { before?.finalize(); return embed(chart, width); });
      drawn.set(chart, { view, width });
    }
    return drawn.get(chart).view;
  };
  const charts = [...document.querySelectorAll("[data-chart]")];
  const sizes = new ResizeObserver((entries) => { for (const { target } of entries) if (drawn.has(target)) draw(target); });
  const all = async (pause) => {
    for (const chart of charts) {
      await pause();
      await draw(chart);
      sizes.observe(chart);
    }
  };
  all(() => new Promise((done) => { setTimeout(done); })); // between charts the page can be scrolled

  for (const button of document.querySelectorAll(".copy")) {
    button.addEventListener("click", async () => {
      const code = button.parentElement.querySelector("code");
      try { await navigator.clipboard.writeText(code.textContent); } catch {
        getSelection().selectAllChildren(code);
        document.execCommand("copy");
      }
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
  }
  const numberOf = (text) => (text === "∞" ? Infinity : parseFloat(text.replaceAll(",", "")));
  const compare = (a, b) => {
    const [x, y] = [numberOf(a), numberOf(b)];
    return x - y || Number.isNaN(x) - Number.isNaN(y) || a.localeCompare(b, "en");
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.querySelectorAll("thead th")];
    heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => sign * compare(a.cells[column].textContent, b.cells[column].textContent));
      table.tBodies[0].append(...rows);
    }));
  }
  window.drawAll = () => all(() => {}); // for tests
  addEventListener("beforeprint", () => { for (const details of document.querySelectorAll("details:not(.chart *)")) details.open = true; });
})();
