// The page of a run: sections from its results, with those of ranks.js and fabric.js. Each chart has a sentence that
// says what it shows, a table of the same numbers, and a file of them to save.
"use strict";
(() => {
  const {manifest, runs, insight, bursts} = JSON.parse(document.getElementById("results").textContent);
  const meanings = JSON.parse(document.getElementById("meanings").textContent);
  const fabrics = runs.map((run) => run.fabric);
  const first = runs[0];
  const {digits, time, size, binary, count, percent, plural, element, table, download, chart, section} = kit;
  const {common, upTo, rankCount} = kit;
  const styles = kit.fabricStyles(meanings.fabrics);
  const fabricColor = new Map(fabrics.map((name) => [name, styles.get(name).color]));

  // --------------------------------------------------------- the answer first

  // A bound is no network, so nothing is compared with it, unless there is nothing else.
  const isBound = (run) => styles.get(run.fabric).is_bound;
  const networks = runs.every(isBound) ? runs : runs.filter((run) => !isBound(run));
  const bounds = runs.filter((run) => !networks.includes(run));
  const base = networks[0];

  // Not a number if one of the times is zero: then there is no ratio.
  const speedup = (run) => (run.makespan_s > 0 && base.makespan_s > 0 ? base.makespan_s / run.makespan_s : NaN);
  const factor = (ratio) => (!isFinite(ratio) ? "" : `${ratio < 0.1 ? digits(ratio, 3) : ratio.toFixed(3)}×`);
  const strong = (words) => element("strong", {class: kit.moodOf(words)}, words);

  // What the results mean: the first sentence large, the others below it.
  function answer() {
    const [first, ...more] = insight?.sentences ?? [];
    if (!first) return [comparison()];
    return [
      element("p", {class: "answer", id: "answer"}, first.text),
      ...(more.length ? [element("ul", {class: "insights", id: "insights"}, ...more.map(({text}) => element("li", {}, text)))] : []),
    ];
  }

  // Without an insight: the fastest network, how it compares with the first one, and how far it is from the bound.
  function comparison() {
    const line = element("p", {class: "answer", id: "answer"});
    const best = d3.least(networks, (run) => run.makespan_s);
    if (networks.length === 1) line.append(`${manifest.program} takes ${time(base.makespan_s, 5)} on ${base.fabric}.`);
    else if (best === base) {
      const next = d3.least(networks.slice(1), (run) => run.makespan_s);
      line.append(`${base.fabric} is the fastest of ${networks.length} networks, with ${time(base.makespan_s, 5)}.`);
      if (next.compared) line.append(" The next, ", next.fabric, ", is ", strong(next.compared), ".");
    } else {
      line.append(`${best.fabric} is the fastest of ${networks.length} networks, with ${time(best.makespan_s, 5)}`);
      if (best.compared) line.append(": ", strong(best.compared), ` ${kit.than(best.compared)} ${base.fabric}`);
      line.append(".");
    }
    for (const bound of bounds) {
      const share = best.makespan_s > 0 ? 1 - bound.makespan_s / best.makespan_s : NaN;
      if (bound.makespan_s > 0 && share > 0) line.append(` No network can save more than ${percent(share)} of that: ${bound.fabric} takes ${time(bound.makespan_s, 5)}.`);
    }
    return line;
  }

  // ------------------------------------------------------------- the networks

  const perSecond = (rate) => (rate === null ? "no limit of rate" : `${size(rate)}/s (${kit.bits(rate)}) per node`);
  function factsOf({rate_bytes_per_s: rate, message_rate_bytes_per_s: alone, latency_s, includes, notes}) {
    return [
      perSecond(rate) + (alone && rate && alone < rate * 0.999 ? `, ${kit.bits(alone)} for one message` : ""),
      `latency ${time(latency_s)}${includes.length ? `: ${includes.join(", ")}` : ""}`,
      ...notes,
    ].join("; ");
  }

  // What each network is, and why it may not compare with the first one. Networks that are the same share a line.
  const saidOf = (run) => {
    const {network} = run;
    if (!network) return {said: "It does not say what it is.", marks: []};
    return {
      said: isBound(run) && network.notes.length ? `${[...network.notes, ...network.includes].join("; ")}.` : `${factsOf(network)}.`,
      marks: [
        ...(network.differs.length ? [`Not compared fairly with ${base.fabric}: ${network.differs.join("; ")}.`] : []),
        ...(network.ignores.length ? [`It ignores ${network.ignores.join(", ")}.`] : []),
      ],
    };
  };
  function factsOfAll() {
    if (!runs.some((run) => run.network)) return [];
    const alike = d3.groups([...networks, ...bounds], (run) => JSON.stringify(saidOf(run)));
    const term = ({fabric}) => element("span", {}, kit.lineSwatch(styles.get(fabric)), fabric);
    return [
      element(
        "dl",
        {class: "networks", id: "networks"},
        ...alike.flatMap(([, some]) => {
          const {said, marks} = saidOf(some[0]);
          return [element("dt", {}, ...some.map(term)), element("dd", {}, said, ...marks.map((mark) => element("strong", {class: "mark"}, mark)))];
        }),
      ),
    ];
  }

  function times() {
    const columns = [
      {name: "fabric", of: (run) => run.fabric},
      {name: "time", csv: "makespan_s", of: (run) => run.makespan_s, show: (v) => time(v, 6)},
      {name: "speedup", of: speedup, show: factor},
      {name: "idle", csv: "idle_fraction", of: (run) => run.idle_fraction, show: percent},
    ];
    const say = (run) => [time(run.makespan_s, 5), run.compared].filter((part) => part).join(", ") + (run.network?.differs.length ? " ⚠" : "");
    const {machine} = manifest.parameters;
    const isFair = runs.every((run) => run.network && !run.network.differs.length);
    const hosts = isFair
      ? `All have the same rate, and the same parts in their latencies${machine === "as-published" ? "" : `: those of the machine ${machine}`}.`
      : `${machine === "as-published" ? "Each has the numbers of its paper" : `The machine is ${machine}`}. ⚠ marks those that do not compare fairly with ${base.fabric}; the reason stands below the bars.`;
    return section(
      "time",
      "Time by fabric",
      null,
      [
        "A bar is the virtual time at which the last rank ends. Shorter is better.",
        ...(bounds.length ? ["The dashed line is a bound: no network is faster."] : []),
        ...(networks.length > 1 ? [`Each network is compared with ${base.fabric}, the first. The program and what it computes are the same everywhere.`] : []),
        ...(networks.length > 1 && machine ? [hosts] : []),
      ],
      [kit.timeBars(runs, styles, say), ...factsOfAll()],
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
      `${plural(rankCount(first), "rank")}, ${plural(first.messages.count, "message")}, ${size(first.messages.bytes)} in all, over ${fabrics.join(", ")}; machine ${manifest.parameters.machine ?? "as published"}`;
    document
      .getElementById("main")
      .append(
        ...[
          ...answer(),
          times(),
          ...rateSections(networks),
          ...dimensionSections(networks),
          ...jobSections([...networks, ...bounds], styles),
          ...pathSections(networks, styles),
          ...slackSections(networks, styles),
          ...siteSections(networks, styles),
          ...rankSections([...networks, ...bounds], styles),
          ...burstSections(bursts),
          ...collectiveSections(runs),
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
