// The page of a run: sections from its results, with those of ranks.js and fabric.js. Each chart has a sentence that
// says what it shows, a table of the same numbers, and a file of them to save.
"use strict";
(() => {
  const {manifest, runs} = JSON.parse(document.getElementById("results").textContent);
  const meanings = JSON.parse(document.getElementById("meanings").textContent);
  const fabrics = runs.map((run) => run.fabric);
  const first = runs[0];
  const {digits, time, size, binary, count, percent, plural, timeScale, element, table, download, chart, section} = kit;
  const {common, labelWidth, upTo} = kit;
  const styles = kit.fabricStyles(meanings.fabrics);
  const fabricColor = new Map(fabrics.map((name) => [name, styles.get(name).color]));

  // --------------------------------------------------------- the answer first

  // Not a number if one of the times is zero: then there is no ratio.
  const speedup = (run) => (run.makespan_s > 0 && first.makespan_s > 0 ? first.makespan_s / run.makespan_s : NaN);
  const factor = (ratio) => (ratio < 0.1 ? digits(ratio, 3) : ratio.toFixed(3));
  const asFactor = (ratio, before, after) => (isFinite(ratio) ? `${before}${factor(ratio)}×${after}` : "");
  const comparison = (ratio) => (Math.abs(ratio - 1) < 5e-4 ? "as fast as" : `${factor(ratio)} times as fast as`);

  function answer() {
    const best = d3.least(runs, (run) => run.makespan_s);
    const others = runs.filter((run) => run !== first);
    const line = element("p", {class: "answer", id: "answer"});
    if (others.length === 0 || !runs.every((run) => run.makespan_s > 0)) {
      const each = runs.map((run) => `${time(run.makespan_s, 5)} on ${run.fabric}`);
      line.append(`${manifest.program} takes ${each.join(", ")}.`);
      return line;
    }
    others.sort((a, b) => a.makespan_s - b.makespan_s);
    others.forEach((run, i) => {
      const ratio = speedup(run);
      const said = element(
        "strong",
        {class: ratio >= 1.0005 ? "good" : ratio < 0.9995 ? "bad" : ""},
        comparison(ratio),
      );
      line.append(
        i ? (i === others.length - 1 ? ", and " : ", ") : "",
        run.fabric,
        " is ",
        said,
        " ",
        first.fabric,
      );
    });
    line.append(`. The shortest time is ${time(best.makespan_s, 5)}, on ${best.fabric}.`);
    return line;
  }

  const tiles = () =>
    element(
      "ul",
      {class: "tiles", "aria-label": "Time by fabric"},
      ...runs.map((run, i) =>
        element(
          "li",
          {},
          element("span", {class: "label"}, run.fabric),
          element("span", {class: "value"}, time(run.makespan_s, 5)),
          element(
            "span",
            {class: "more"},
            `${i ? asFactor(speedup(run), "", ", ") : "the baseline, "}idle ${percent(run.idle_fraction)}`,
          ),
        ),
      ),
    );

  function times() {
    const columns = [
      {name: "fabric", of: (run) => run.fabric},
      {name: "time", csv: "makespan_s", of: (run) => run.makespan_s, show: (v) => time(v, 6)},
      {name: "speedup", of: speedup, show: (v) => asFactor(v, "", "")},
      {name: "idle", csv: "idle_fraction", of: (run) => run.idle_fraction, show: percent},
    ];
    const text = `Bars of the time on each fabric. ${runs.map((r) => `${r.fabric}: ${time(r.makespan_s, 5)}`).join("; ")}.`;
    const hosts =
      first.software_fraction === undefined
        ? "The costs of hosts are as published for each fabric: some latencies include software and NICs, others do not. With host.system, all fabrics use one host model."
        : "All fabrics use one host model.";
    const unit = timeScale(d3.max(runs, (run) => run.makespan_s));
    const drawing = chart(text, (width) =>
      Plot.plot({
        ...common(width),
        marginLeft: labelWidth(fabrics),
        marginRight: 150,
        height: 52 + 36 * runs.length,
        marginTop: 4,
        x: {
          label: `time (${unit.name})`,
          grid: true,
          ticks: width < 500 ? 3 : 6,
          domain: upTo(runs.map((run) => run.makespan_s / unit.scale)),
        },
        y: {label: null, domain: fabrics},
        marks: [
          Plot.barX(runs, {
            y: "fabric",
            x: (r) => r.makespan_s / unit.scale,
            fill: (r) => fabricColor.get(r.fabric),
            insetTop: 3,
            insetBottom: 3,
          }),
          Plot.text(runs, {
            y: "fabric",
            x: (r) => r.makespan_s / unit.scale,
            textAnchor: "start",
            dx: 6,
            text: (r, i) => time(r.makespan_s, 5) + (i ? asFactor(speedup(r), " (", ")") : ""),
          }),
          Plot.ruleX([0]),
        ],
        color: {type: "identity"},
      }),
    );
    return section(
      "time",
      "Time by fabric",
      null,
      [
        "A bar is the virtual time at which the last rank ends. Shorter is better.",
        `Speedups are over ${first.fabric}, the first fabric named. The program and what it computes are the same everywhere; only the network differs.`,
        ...(runs.length > 1 ? [hosts] : []),
      ],
      [drawing],
      {name: "time-by-fabric", columns, rows: runs},
    );
  }

  // ------------------------------------------------------------ message sizes

  const CLASSES_SHOWN = 8; // the least width; a single class would fill the chart

  const sizeName = (from) => (from === 0 ? "0 B" : binary(from));

  function messageSizes() {
    const classes = first.message_sizes;
    if (!classes.length) return null;
    const pivot = runs.find((run) => run.fabric_stats.pivot_bytes > 0 && run.fabric_stats.pivot_bytes < 2 ** 60);
    const pivotBytes = pivot?.fabric_stats.pivot_bytes;
    const index = (bytes) => (bytes > 0 ? 1 + Math.log2(bytes) : 0); // a class has width one
    let last =
      d3.max([...classes.map((c) => index(c.from_bytes)), pivotBytes ? Math.floor(index(pivotBytes)) : 0]) + 1;
    let begin = Math.min(index(classes[0].from_bytes), pivotBytes ? Math.floor(index(pivotBytes)) : Infinity);
    for (; last - begin < CLASSES_SHOWN; last++) begin = Math.max(begin - 1, 0);
    const total = first.messages;
    const one = (column, label, color, whole) => (width) =>
      Plot.plot({
        ...common(width),
        marginLeft: 50,
        height: 200,
        color: {type: "identity"},
        x: {
          label: "message size",
          domain: [begin, last],
          ticks: d3.range(begin, last + 1, Math.ceil((last - begin) / (width < 500 ? 4 : 9))),
          tickFormat: (i) => sizeName(i > 0 ? 2 ** (i - 1) : 0),
        },
        y: {
          label,
          grid: true,
          ticks: 4,
          domain: upTo(classes.map((c) => (whole ? (100 * c[column]) / whole : 0))),
        },
        marks: [
          Plot.rect(classes, {
            x1: (c) => index(c.from_bytes),
            x2: (c) => index(c.from_bytes) + 1,
            y1: 0,
            y2: (c) => (whole ? (100 * c[column]) / whole : 0),
            fill: color,
            insetLeft: 1,
            insetRight: 1,
            title: (c) => `from ${sizeName(c.from_bytes)}: ${count(c.count)} messages, ${size(c.bytes)}`,
          }),
          Plot.ruleY([0]),
          ...(pivotBytes
            ? [
                Plot.ruleX([index(pivotBytes)], {stroke: "currentColor", strokeDasharray: "4 3"}),
                Plot.text([index(pivotBytes)], {
                  x: (d) => d,
                  text: () => `pivot ${size(pivotBytes, 5)}`,
                  frameAnchor: "top",
                  dy: -2,
                  fill: "currentColor",
                  stroke: "var(--card)", // readable in front of a column
                  strokeWidth: 4,
                  textAnchor: index(pivotBytes) > (begin + last) / 2 ? "end" : "start",
                  dx: index(pivotBytes) > (begin + last) / 2 ? -5 : 5,
                }),
              ]
            : []),
        ],
      });
    const words = classes
      .map((c) => `from ${sizeName(c.from_bytes)} ${count(c.count)} messages with ${size(c.bytes)}`)
      .join("; ");
    const within = pivot ? total.count - pivot.fabric_stats.fmu_messages - pivot.fabric_stats.network_messages : 0;
    const split = pivot
      ? ` hybrid sends ${count(pivot.fabric_stats.fmu_messages)} of them through FMUs and ${count(pivot.fabric_stats.network_messages)} by the network${within ? `; ${count(within)} stay within a node` : ""}.`
      : "";
    const columns = [
      {name: "from", csv: "from_bytes", of: (c) => c.from_bytes, show: sizeName},
      {name: "messages", csv: "count", of: (c) => c.count, show: count},
      {name: "bytes", of: (c) => c.bytes, show: count},
    ];
    return section(
      "sizes",
      "Message sizes",
      `${plural(total.count, "message")} carry ${size(total.bytes)}, ${size(total.mean_bytes)} on average.${split}`,
      [
        "A column holds the messages with sizes from one power of two up to the next: their number in the first chart, their bytes in the second.",
        ...(pivot
          ? [
              "The dashed line is the pivot of hybrid: messages from this size on go through an FMU. If the pivot is not set, it is the size for which an FMU and the network take equally long without contention (Eq. 7).",
            ]
          : []),
      ],
      [
        element("h3", {}, "How many"),
        chart(`Histogram of message counts: ${words}.`, one("count", "% of messages", "var(--faint)", total.count)),
        element("h3", {}, "How many bytes"),
        chart(`Histogram of message bytes: ${words}.`, one("bytes", "% of bytes", "var(--faint)", total.bytes)),
      ],
      {name: "message-sizes", columns, rows: classes},
    );
  }

  // ------------------------------------------------------------- what was run

  function parameters() {
    const rows = meanings.parameters;
    const columns = [
      {name: "parameter", of: (p) => p.name},
      {name: "value", of: (p) => p.value ?? ""},
      {name: "from", of: (p) => p.origin},
      {name: "meaning", of: (p) => p.doc},
    ];
    const isSet = (p) => p.origin !== "default";
    const whole = table("All parameters", columns, rows);
    whole.classList.add("parameters");
    const lines = [...whole.querySelectorAll("tbody tr")];
    lines.forEach((line, i) => line.classList.toggle("set", isSet(rows[i])));
    const filter = element("input", {
      type: "search",
      placeholder: "part of a name",
      "aria-label": "Show parameters whose name contains",
    });
    filter.addEventListener("input", () =>
      lines.forEach((line, i) => {
        line.hidden = !rows[i].name.includes(filter.value.trim());
      }),
    );
    const origin = [
      ["program", manifest.program],
      ["version", manifest.version],
      ["seed", String(manifest.seed)],
      ...manifest.inputs.map((input) => ["input", `${input.path} (xxh3 ${input.xxh3})`]),
      ...rows.filter(isSet).map((p) => [p.name, `${p.value ?? ""} (${p.origin})`]),
    ].map(([name, value]) => ({name, value}));
    return section(
      "manifest",
      "What was run",
      "Everything that is needed to repeat the run. The same input gives the same page, byte for byte.",
      [],
      [
        table(
          "What was run",
          [
            {name: "", of: (r) => r.name},
            {name: "", of: (r) => r.value},
          ],
          origin,
        ),
        element(
          "details",
          {id: "parameters"},
          element("summary", {}, `All ${rows.length} parameters (those that were set stand out)`),
          filter,
          whole,
          download("parameters", columns, rows),
        ),
      ],
      null,
    );
  }

  // ----------------------------------------------------------------- the page

  function build() {
    document.getElementById("subtitle").textContent =
      `${plural(rankCount(first), "rank")}, ${plural(first.messages.count, "message")}, ${size(first.messages.bytes)} in all, over ${fabrics.join(", ")}`;
    document
      .getElementById("main")
      .append(
        ...[
          answer(),
          tiles(),
          times(),
          ...rankSections(runs),
          messageSizes(),
          ...fabricSections(runs, meanings, fabricColor),
          parameters(),
        ].filter((part) => part),
      );
    // A printer prints open details only.
    let opened = [];
    addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll("main details:not([open])")].filter((d) => d.id === "parameters");
      opened.forEach((d) => {
        d.open = true;
      });
    });
    addEventListener("afterprint", () =>
      opened.forEach((d) => {
        d.open = false;
      }),
    );
  }

  kit.page(build);
})();
