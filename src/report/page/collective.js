// The program of the page of a collective on circuit switches: which algorithm wins at which size and switching time,
// how it compares with a packet network, and the plan of one size and time.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("results").textContent);
  const {digits, percent, count, plural, time, binary, bits, element, chart, refresh, section, palette, common, legend, table} = kit;
  const points = data.points;
  const sizes = [...new Set(points.map((p) => p.bytes))];
  const times = [...new Set(points.map((p) => p.switching_s))];
  const isMap = points.length > 1;
  const gain = (p) => (p.time_s > 0 ? p.packet_s / p.time_s : 1);
  const overBound = (p) => (p.lower_bound_s > 0 ? p.time_s / p.lower_bound_s : 1);
  const speed = (ratio) => (Math.abs(ratio - 1) < 0.0005 ? "as fast" : ratio > 1 ? `${digits(ratio, 3)} times as fast` : `${digits(1 / ratio, 3)} times slower`);
  let chosen = points[0];

  // --------------------------------------------------------- the answer first

  function answer() {
    const best = d3.greatest(points, gain);
    const faster = points.filter((p) => gain(p) > 1).length;
    const where = (p) => `${binary(p.bytes)} and a switching time of ${time(p.switching_s, 3)}`;
    return element(
      "p",
      {class: "answer", id: "answer"},
      !isMap
        ? `${binary(best.bytes)} take ${time(best.time_s)} on circuits, with ${best.algorithm} and ${plural(best.changes, "change")} of circuits: ${digits(overBound(best), 4)} of the lower bound. A packet network takes ${time(best.packet_s)}.`
        : faster
          ? `Circuits beat the packet network in ${count(faster)} of ${count(points.length)} cases, most at ${where(best)}: there they are `
          : "The packet network is at least as fast in all cases.",
      isMap && faster ? element("strong", {}, speed(gain(best))) : null,
      isMap && faster ? "." : null,
    );
  }

  function tiles() {
    const shown = [
      ["ranks", count(data.ranks)],
      ["a circuit", bits(data.rate_bytes_per_s)],
      ["latency of a circuit", time(data.latency_s)],
      ["the packet network's port", bits(data.packet_rate_bytes_per_s)],
      ["latency of a round there", time(data.packet_latency_s)],
      ["furthest above the bound", `${digits(d3.max(points, overBound), 3)} times`],
    ];
    return element(
      "ul",
      {class: "tiles", "aria-label": "The networks in numbers"},
      ...shown.map(([label, value]) =>
        element("li", {}, element("span", {class: "label"}, label), element("span", {class: "value"}, value)),
      ),
    );
  }

  // --------------------------------------------------------------------- maps

  const names = [...new Set(points.map((p) => p.algorithm))];
  const colorOf = new Map(names.map((name, i) => [name, palette[i % palette.length]]));
  const columns = [
    {name: "bytes", of: (p) => p.bytes},
    {name: "switching_s", of: (p) => p.switching_s},
    {name: "algorithm", of: (p) => p.algorithm},
    {name: "changes", of: (p) => p.changes},
    {name: "time_s", of: (p) => p.time_s},
    {name: "lower_bound_s", of: (p) => p.lower_bound_s},
    {name: "packet_algorithm", of: (p) => p.packet_algorithm},
    {name: "packet_s", of: (p) => p.packet_s},
  ];

  function map(text, fill, say, ink) {
    return chart(text, (width) => {
      const left = 64;
      const cell = (width - left - 24) / times.length;
      const svg = Plot.plot({
        ...common(width),
        height: (cell > 46 ? 70 : 90) + 30 * sizes.length,
        marginLeft: left,
        marginBottom: cell > 46 ? 42 : 62,
        color: {type: "identity"},
        x: {label: "switching time", domain: times, tickFormat: (v) => time(v, 3), tickRotate: cell > 46 ? 0 : -60, tickSize: 0},
        y: {label: "size", labelAnchor: "top", domain: [...sizes].reverse(), tickFormat: (v) => binary(v), tickSize: 0},
        marks: [
          Plot.cell(points, {
            x: "switching_s",
            y: "bytes",
            fill,
            inset: 0.5,
            title: (p) =>
              `${binary(p.bytes)}, ${time(p.switching_s, 3)}: ${p.algorithm}, ${plural(p.changes, "change")}, ${time(p.time_s)}, ${digits(overBound(p), 3)} of the bound; packet network ${time(p.packet_s)}`,
          }),
          Plot.text(points, {x: "switching_s", y: "bytes", text: (p) => say(p, cell), fontSize: 11, fill: ink}),
          Plot.cell([chosen], {x: "switching_s", y: "bytes", fill: "none", stroke: "var(--ink)", strokeWidth: 2, inset: 0.5}),
        ],
      });
      // The cells are the first rectangles, in the order of the points.
      svg.querySelectorAll("g[aria-label='cell']")[0]?.querySelectorAll("rect").forEach((rect, i) => {
        rect.style.cursor = "pointer";
        rect.addEventListener("click", () => choose(points[i]));
      });
      return svg;
    });
  }

  function winners() {
    return section(
      "winners",
      "Which algorithm wins where",
      "A number is how many times the circuits change.",
      [
        "Each cell is a size and a switching time; its colour is the algorithm with the shortest time on circuits. To the left changes are cheap. To the right they change less, until the starting ones stay up.",
        "Choose a cell to see its plan below.",
      ],
      [
        legend(names.map((name) => ({name, color: colorOf.get(name)}))),
        map(
          `The best algorithm at ${count(sizes.length)} sizes and ${count(times.length)} switching times.`,
          (p) => colorOf.get(p.algorithm),
          (p) => String(p.changes),
          "white",
        ),
      ],
      {name: "winners", columns, rows: points},
    );
  }

  // Blue: circuits are faster, up to twice; orange: the packet network is.
  function gainColor(p) {
    const share = Math.max(-1, Math.min(1, Math.log2(gain(p))));
    if (Math.abs(share) < 0.001) return "var(--line)";
    return share > 0 ? d3.interpolateBlues(0.15 + 0.6 * share) : d3.interpolateOranges(0.15 - 0.6 * share);
  }

  function gains() {
    return section(
      "gains",
      "Circuits and a packet network",
      "How many times as fast circuits are.",
      [
        "Blue: circuits are faster than the best algorithm on the packet network. Orange: the packet network is faster. The colour is deepest at twice as fast.",
        "The packet network is counted without contention within it, with one latency for all messages of a round. A real one is not faster than that.",
      ],
      [
        legend([
          {name: "circuits faster", color: d3.interpolateBlues(0.6)},
          {name: "packet network faster", color: d3.interpolateOranges(0.6)},
        ]),
        map(
          `Time on the packet network over time on circuits at ${count(sizes.length)} sizes and ${count(times.length)} switching times.`,
          gainColor,
          (p, cell) => (cell > 26 ? digits(gain(p), cell > 46 ? 3 : 2) : ""),
          (p) => (Math.abs(Math.log2(gain(p))) > 0.6 ? "white" : "black"),
        ),
      ],
      {name: "gains", columns, rows: points},
    );
  }

  // --------------------------------------------------------------- one answer

  let body;

  function choose(point) {
    chosen = point;
    body.replaceChildren(...detail());
    refresh();
  }

  function chooser() {
    const select = (id, label, values, show, value, find) => {
      const list = element("select", {id}, ...values.map((v, i) => element("option", {value: i}, show(v))));
      list.selectedIndex = values.indexOf(value);
      list.addEventListener("change", () => choose(points.find((p) => find(p, values[list.selectedIndex]))));
      return [element("label", {for: id}, `${label} `), list, " "];
    };
    return element(
      "p",
      {class: "says"},
      ...select("size", "Size", sizes, (v) => binary(v), chosen.bytes, (p, v) => p.bytes === v && p.switching_s === chosen.switching_s),
      ...select("switching", "Switching time", times, (v) => time(v, 3), chosen.switching_s, (p, v) => p.switching_s === v && p.bytes === chosen.bytes),
    );
  }

  function bars(ways) {
    const rows = chosen.algorithms.flatMap((a) => ways.map(({name, of, color}) => ({algorithm: a.algorithm, name, value: of(a), color})));
    const least = d3.min(rows, (r) => r.value);
    const most = d3.max(rows, (r) => r.value);
    const isLog = least > 0 && most / least > 30;
    const {scale, name: unit} = kit.timeScale(most);
    return chart(`The time of each algorithm at ${binary(chosen.bytes)} and ${time(chosen.switching_s, 3)}.`, (width) =>
      Plot.plot({
        ...common(width),
        height: 70 + 26 * chosen.algorithms.length,
        marginLeft: Math.min(170, 12 + 7 * d3.max(chosen.algorithms, (a) => a.algorithm.length)),
        color: {type: "identity"},
        x: {label: `time in ${unit}`, type: isLog ? "log" : "linear", grid: true, ticks: width < 500 ? 4 : 8, tickFormat: (v) => digits(v, 3), ...(isLog ? {} : {domain: [0, most / scale]})},
        y: {label: null, domain: chosen.algorithms.map((a) => a.algorithm)},
        marks: [
          Plot.ruleX([chosen.lower_bound_s / scale].filter((v) => v > 0), {stroke: "var(--ink)", strokeDasharray: "4,3"}),
          Plot.dot(rows, {
            x: (r) => r.value / scale,
            y: "algorithm",
            fill: "color",
            r: (r) => (r.name === "the best choice" ? 6 : 4),
            title: (r) => `${r.algorithm}, ${r.name}: ${time(r.value)}`,
          }),
        ],
      }),
    );
  }

  function detail() {
    const ways = [
      {name: "circuits never change", of: (a) => a.no_change_s, color: palette[1]},
      {name: "they change before every step", of: (a) => a.every_step_s, color: palette[2]},
      {name: "packet network", of: (a) => a.packet_s, color: "var(--faint)"},
      {name: "the best choice", of: (a) => a.best_s, color: palette[0]},
    ];
    const p = chosen;
    return [
      element(
        "p",
        {class: "says", role: "status", "aria-live": "polite"},
        `${binary(p.bytes)}, switching ${time(p.switching_s, 3)}: ${p.algorithm}, ${plural(p.changes, "change")}, ${time(p.time_s)}; the lower bound is ${time(p.lower_bound_s)}. The packet network takes ${time(p.packet_s)} with ${p.packet_algorithm}.`,
      ),
      table("The plan", [
        {name: "steps", of: (s) => (s.first_step === s.last_step ? s.first_step : `${s.first_step}–${s.last_step}`)},
        {name: "circuits", of: (s) => s.circuits},
        {name: "changed", of: (s) => (s.changed ? "yes" : "no")},
        {name: "hops", of: (s) => s.hops},
        {name: "time of the steps", of: (s) => time(s.time_s)},
      ], p.plan),
      legend([...ways.map(({name, color}) => ({name, color})), {name: "lower bound, dashed", color: "var(--ink)"}]),
      bars(ways),
    ];
  }

  function plan() {
    body = element("div", {id: "plan-body"}, ...detail());
    return section(
      "plan",
      isMap ? "The plan of one size and switching time" : "The plan, and all algorithms",
      "",
      [
        "A row of the table is a stretch of steps on the same circuits. r + 4 means that each rank has a circuit to the rank four after it; hops are the circuits that the longest message goes through.",
        "Below: each algorithm with circuits that never change, that change before every step, and with the best choice of all sequences; and on the packet network.",
      ],
      [isMap ? chooser() : null, body].filter(Boolean),
      isMap
        ? null
        : {
            name: "algorithms",
            columns: ["algorithm", "steps", "no_change_s", "every_step_s", "best_s", "changes", "packet_s"].map((name) => ({name, of: (a) => a[name]})),
            rows: chosen.algorithms,
          },
    );
  }

  function build() {
    document.getElementById("subtitle").textContent = `planned by Heliograph ${data.version}`;
    const main = document.getElementById("main");
    main.append(answer(), tiles());
    if (isMap) main.append(winners(), gains());
    main.append(plan());
  }

  kit.page(build);
})();
