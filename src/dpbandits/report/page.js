"use strict";
// What the controls change is in parameters of the charts; other scales need a new specification.
(() => {
  const ERRORS_ONLY = 1; // a level of Vega's logger: charts whose data are hidden have no extent
  const json = (id) => JSON.parse(document.getElementById(id).textContent);
  const tokens = json("tokens");
  const specs = JSON.parse(document.getElementById("specs").textContent, (_, value) => tokens[value] ?? value);
  const about = json("about");
  const texts = json("data"); // CSV, by name
  const views = new Map(); // of the charts that have been drawn, by their element
  const say = (words) => { document.getElementById("said").textContent = words; };

  const unquoted = (text) => (text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text);
  const parts = (spec) => [spec, ...(spec.layer ?? [])];
  const filled = (spec, state) => {
    const made = structuredClone(spec);
    for (const part of parts(made)) {
      if (part.data?.name) part.data = { values: texts[part.data.name], format: part.data.format };
      for (const channel of ["x", "y"]) {
        const scale = part.encoding?.[channel]?.scale;
        const log = state[`log_${channel}`];
        if (scale?.type && log !== undefined && scale.type !== (log ? "log" : "linear")) {
          part.encoding[channel].scale = log ? { type: "log", nice: false } : { type: "linear", zero: channel === "y" };
        }
      }
    }
    if (state.game !== undefined) { // as many rows as the game has algorithms
      const cell = (row) => row.match(/^("(?:[^"]|"")*"|[^,]*),("(?:[^"]|"")*"|[^,]*),/);
      const rows = texts.map.split("\n").map(cell).filter((x) => x && unquoted(x[1]) === state.game);
      made.height = 22 * new Set(rows.map((x) => x[2])).size;
    }
    for (const parameter of made.params ?? []) parameter.value = state[parameter.name] ?? parameter.value;
    return made;
  };

  const stateOf = (chart) => {
    if (chart.dataset.study === "map") return { game: document.getElementById("game").value };
    const study = chart.closest(".study");
    const form = new FormData(study.querySelector("form"));
    const range = (name) => Number(form.get(name));
    return {
      panel: range("panel"),
      level: form.has("level") ? range("level") : Number(study.dataset.level),
      band: form.get("band") ?? "none",
      bounds: form.has("bounds"),
      log_x: form.has("log_x") && !(chart.dataset.kind === "ends" && study.dataset.linear),
      log_y: form.has("log_y"),
      hidden: [...study.querySelectorAll(".line[aria-pressed=false]")].map((x) => Number(x.dataset.line)),
    };
  };

  const draw = async (chart) => {
    const state = stateOf(chart);
    const { study, kind } = chart.dataset;
    const scales = `${state.log_x} ${state.log_y} ${state.game}`; // what needs a new specification
    const known = views.get(chart);
    if (known && known.scales === scales) {
      for (const [name, value] of Object.entries(state)) {
        if (known.names.has(name)) known.view.signal(name, value);
      }
      await known.view.runAsync();
    } else {
      const spec = filled(specs[study][kind], state);
      const place = document.createElement("div");
      const holder = chart.querySelector(".vega-embed");
      if (holder) { known.view.finalize(); holder.replaceWith(place); } else chart.replaceChildren(place);
      const options = { actions: false, renderer: "svg", mode: "vega-lite", tooltip: { theme: "custom" }, logLevel: ERRORS_ONLY };
      const { view } = await vegaEmbed(place, spec, options);
      chart.querySelector("svg").setAttribute("aria-hidden", "true"); // the chart has a name of its own
      views.set(chart, { view, scales, names: new Set((spec.params ?? []).map((x) => x.name)) });
    }
    chart.dataset.drawn = JSON.stringify(state);
  };
  const queue = new Map(); // one drawing of a chart at a time
  const redraw = (chart) => {
    const next = (queue.get(chart) ?? Promise.resolve()).then(() => draw(chart));
    queue.set(chart, next);
    return next;
  };

  const charts = [...document.querySelectorAll(".chart")];
  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) { near.unobserve(entry.target); redraw(entry.target); }
  }, { rootMargin: "400px" });
  charts.forEach((chart) => near.observe(chart));

  const placeOf = (study, kind) => {
    const { panel, level } = stateOf(study.querySelector(".chart"));
    const { panels, levels, axis } = about[study.id];
    const words = panels.length > 1 ? [panels[panel]] : [];
    if (kind !== "ends" && levels.length) words.push(`${axis} = ${levels[level]}`);
    return words.length ? `: ${words.join(", ")}` : "";
  };
  const boundsOf = (study) => {
    const line = study.querySelector(".bounds");
    const { panel, level, bounds } = stateOf(study.querySelector(".chart"));
    const names = new Set();
    if (bounds) {
      for (const row of (texts[`${study.id}-bounds`] ?? "").split("\n").slice(1, -1)) {
        const [p, l, , , , , label] = row.split(",");
        if (Number(p) === panel && (Number(l) === level || Number(l) < 0)) names.add(about[study.id].bounds[label]);
      }
    }
    line.hidden = !bounds;
    line.textContent = names.size ? `Thin lines: ${[...names].join("; ")}. Grey: only the slope is known. Black: of several lines.`
      : "No theorem with a number or a slope applies to what is shown.";
  };
  const limit = (study) => { // a level that the panel lacks gives way to the next one, or to the nearest
    const { level: chosen } = study.querySelector("form").elements;
    const { panel } = stateOf(study.querySelector(".chart"));
    const own = about[study.id].own[panel];
    if (!chosen || !own.length) return;
    const [value, before] = [Number(chosen.value), Number(study.dataset.level)];
    if (!own.includes(value)) {
      const ahead = own.filter((x) => (x - value) * (value - before) > 0);
      const by = (a, b) => Math.abs(a - value) - Math.abs(b - value);
      [chosen.value] = [...(ahead.length ? ahead : own)].sort(by);
    }
    study.dataset.level = chosen.value;
    for (const button of study.querySelectorAll("[type=radio][name=level]")) {
      button.disabled = !own.includes(Number(button.value));
    }
  };
  const changed = (study) => {
    limit(study);
    const form = study.querySelector("form");
    const range = form.querySelector("input[type=range]");
    if (range) {
      const text = about[study.id].levels[range.value];
      form.querySelector("output").textContent = text;
      range.setAttribute("aria-valuetext", text);
    }
    for (const figure of study.querySelectorAll("figure")) {
      const chart = figure.querySelector(".chart");
      figure.querySelector(".place").textContent = placeOf(study, chart.dataset.kind);
      if (views.has(chart) || queue.has(chart)) redraw(chart);
    }
    boundsOf(study);
  };
  for (const study of document.querySelectorAll(".study")) {
    const form = study.querySelector("form");
    if (!form) continue;
    limit(study);
    form.addEventListener("input", () => changed(study));
    form.addEventListener("submit", (event) => event.preventDefault());
    for (const button of study.querySelectorAll(".line")) {
      button.addEventListener("click", () => {
        button.setAttribute("aria-pressed", button.getAttribute("aria-pressed") !== "true");
        changed(study);
      });
    }
  }
  document.getElementById("game")?.addEventListener("change", (event) => {
    document.getElementById("map-caption").textContent = event.target.value;
    redraw(document.querySelector("[data-study=map]"));
  });

  const save = (name, content, type) => {
    const link = document.createElement("a");
    link.download = name;
    link.href = URL.createObjectURL(new Blob([content], { type }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    say(`${name} is downloaded`);
  };
  const csvOf = (study, kind) => {
    const { panels, levels, lines, axis } = about[study];
    const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const [head, ...rows] = texts[`${study}-${kind}`].trimEnd().split("\n");
    const named = rows.map((row) => {
      const [panel, level, line, ...numbers] = row.split(",");
      return [quoted(panels[panel]), level < 0 ? "" : quoted(levels[level]), quoted(lines[line]), ...numbers].join(",");
    });
    const names = head.split(",").slice(3);
    return [["setting", axis || "level", "line", ...names].join(","), ...named, ""].join("\n");
  };
  const withLegend = (chart) => {
    const { study, kind } = chart.dataset;
    const spec = filled(specs[study][kind], stateOf(chart));
    const { lines } = about[study];
    const legend = { title: null, orient: "bottom", columns: 2, labelLimit: 400, labelExpr: `${JSON.stringify(lines)}[datum.value]` };
    for (const part of parts(spec)) {
      for (const channel of ["color", "strokeDash"]) {
        if (part.encoding?.[channel]?.field) part.encoding[channel].legend = { ...legend, symbolType: "stroke", symbolOpacity: 1 };
      }
    }
    const title = chart.closest("figure").querySelector("figcaption").textContent;
    return { ...spec, width: 560, height: 360, background: "white", padding: 12, title: { text: title, fontSize: 13 } };
  };
  const download = async (chart, format) => {
    const { study, kind } = chart.dataset;
    const name = `${study}-${kind}`;
    if (format === "CSV") { save(`${name}.csv`, csvOf(study, kind), "text/csv"); return; }
    const options = { actions: false, renderer: "none", mode: "vega-lite", logLevel: ERRORS_ONLY };
    const { view } = await vegaEmbed(document.createElement("div"), withLegend(chart), options);
    if (format === "SVG") save(`${name}.svg`, await view.toSVG(), "image/svg+xml");
    else {
      const canvas = await view.toCanvas(2);
      canvas.toBlob((blob) => save(`${name}.png`, blob, "image/png"));
    }
  };
  for (const button of document.querySelectorAll("[data-format]")) {
    const chart = button.closest("figure").querySelector(".chart");
    button.addEventListener("click", () => download(chart, button.dataset.format));
  }
  for (const button of document.querySelectorAll(".copy")) {
    button.addEventListener("click", async () => {
      const code = button.parentElement.querySelector("code");
      try { await navigator.clipboard.writeText(code.textContent); } catch {
        getSelection().selectAllChildren(code);
        document.execCommand("copy");
      }
      button.textContent = "Copied";
      say("The command is copied");
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
  }

  const numberOf = (text) => {
    if (text === "∞") return Infinity;
    const found = text.replaceAll(",", "").match(/^-?\d+(\.\d+)?(e[+-]?\d+)?/);
    return found ? Number(found[0]) : null;
  };
  const compare = (a, b) => {
    const [x, y] = [numberOf(a), numberOf(b)];
    if (x !== null && y !== null) return x - y;
    return x !== null ? -1 : y !== null ? 1 : a.localeCompare(b, "en");
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.querySelectorAll("thead th")];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
        const rows = [...table.tBodies[0].rows];
        rows.sort((a, b) => sign * compare(a.cells[column].textContent, b.cells[column].textContent));
        table.tBodies[0].append(...rows);
      });
    });
  }
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  // for tests: draws every chart, also those that nobody has scrolled to
  window.report = { drawAll: () => Promise.all(charts.map(redraw)), views };
})();
