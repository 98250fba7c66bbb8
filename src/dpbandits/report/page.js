"use strict";
// Draws the charts one by one, copies commands, sorts tables.
(() => {
  const specs = JSON.parse(document.getElementById("specs").textContent);
  const ERRORS_ONLY = 1; // a level of Vega's logger: a chart without data has no extent
  const draw = async (chart) => {
    const [name, width] = [chart.dataset.chart, chart.clientWidth];
    const spec = structuredClone(specs[name]);
    spec.columns = Math.min(spec.concat.length, Math.max(1, Math.floor(width / 380)));
    spec.config.legend.columns = Math.max(1, Math.floor(width / 240));
    spec.config.view.continuousWidth = Math.min(560, width / spec.columns - 80);
    await vegaEmbed(chart, spec, {
      actions: { export: true, source: false, compiled: false, editor: false },
      bind: chart.parentElement.querySelector(".controls"), downloadFileName: name,
      logLevel: ERRORS_ONLY, mode: "vega-lite", renderer: "svg", tooltip: { theme: "custom" },
    });
    chart.querySelector("svg.marks").setAttribute("aria-hidden", "true"); // the numbers are in a table
  };
  const all = async () => {
    for (const chart of document.querySelectorAll("[data-chart]")) {
      await draw(chart);
      await new Promise((done) => { setTimeout(done); }); // between charts the page can be scrolled
    }
  };
  window.drawn = all(); // tests wait for it

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
  const compare = new Intl.Collator("en", { numeric: true }).compare;
  const numberOf = (row, column) => parseFloat(row.cells[column].textContent.replaceAll(",", ""));
  for (const head of document.querySelectorAll("thead th")) {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const [column, body] = [head.cellIndex, head.closest("table").tBodies[0]];
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      body.append(...[...body.rows].sort((a, b) => sign * (numberOf(a, column) - numberOf(b, column)
        || compare(a.cells[column].textContent, b.cells[column].textContent))));
    });
  }
  addEventListener("beforeprint", () => { for (const details of document.querySelectorAll("details:not(.chart *)")) details.open = true; });
})();
