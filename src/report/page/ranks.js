// How the ranks of a run spend their time: all of them together, then each.
"use strict";
// The sections about ranks, in the order of the page.
const rankSections = (runs, styles) => {
  const fabrics = runs.map((run) => run.fabric);
  const {time, count, percent, timeScale, element, legend, chart, section, hatchings} = kit;
  const {common, labelWidth, upTo, rankCount} = kit;

  const SHOWN_SHARE = 1e-3; // a part that is smaller than this on every fabric is in the table only

  const rankSum = (run, column) =>
    Array.isArray(run.ranks) ? d3.sum(run.ranks, (r) => r[column]) : run.ranks.count * run.ranks[column].mean;

  const rest = runs[0].software_fraction === undefined ? "otherwise" : "working for messages";

  // Shares of the time of all ranks until the last one ends.
  function shares(run) {
    const whole = rankCount(run) * run.makespan_s || 1;
    const computed = rankSum(run, "compute_s"),
      finish = rankSum(run, "finish_s"),
      idle = rankSum(run, "idle_s");
    const parts = [["computing", computed]];
    for (const [cause, s] of Object.entries(run.idle_by_cause_s)) parts.push([`waiting in ${cause}`, s]);
    parts.push(
      [rest, finish - computed - idle],
      ["ended before the last", rankCount(run) * run.makespan_s - finish],
    );
    return parts
      .map(([part, s]) => ({fabric: run.fabric, part, s, share: s / whole}))
      .filter((p) => p.part === "computing" || p.share > 1e-6);
  }

  function whereTimeWent() {
    const rows = runs.flatMap(shares);
    const parts = [...new Set(rows.map((r) => r.part))];
    const order = (p) => (p === "computing" ? 0 : p === rest ? 2 : p === "ended before the last" ? 3 : 1);
    parts.sort((a, b) => order(a) - order(b));
    const visible = parts.filter((part) => rows.some((r) => r.part === part && r.share >= SHOWN_SHARE));
    let causes = 0;
    const color = new Map(
      parts.map((p) => [
        p,
        p === "computing"
          ? "var(--compute)"
          : p === "ended before the last"
            ? "var(--ended)"
            : p === rest
              ? "url(#dotted)"
              : hatchings[causes++ % hatchings.length],
      ]),
    );
    const text = `Stacked bars. ${runs
      .map(
        (run) =>
          `${run.fabric}: ${shares(run)
            .map((p) => `${p.part} ${percent(p.share)}`)
            .join(", ")}`,
      )
      .join("; ")}.`;
    const drawing = chart(text, (width) =>
      Plot.plot({
        ...common(width),
        marginLeft: labelWidth(fabrics),
        height: 52 + 36 * runs.length,
        marginTop: 4,
        x: {label: "share of all ranks' time (%)", domain: [0, 100], grid: true},
        y: {label: null, domain: fabrics},
        marks: [
          Plot.barX(rows, {
            y: "fabric",
            x: (r) => 100 * r.share,
            fill: (r) => color.get(r.part),
            order: parts,
            z: "part",
            insetTop: 3,
            insetBottom: 3,
            title: (r) => `${r.fabric}: ${r.part}, ${percent(r.share)}`,
          }),
        ],
        color: {type: "identity"},
      }),
    );
    const columns = [
      {name: "fabric", of: (r) => r.fabric},
      {name: "part", of: (r) => r.part},
      {name: "of all ranks", csv: "sum_over_ranks_s", of: (r) => r.s, show: (v) => time(v)},
      {name: "share", of: (r) => r.share, show: percent},
    ];
    return section(
      "ranks-time",
      "Where the ranks' time went",
      null,
      [
        "Waiting is the time in which a rank was blocked in a call: p2p for sends, receives and their waits, else the collective.",
        "A network can only shorten waiting. The waiting that remains on the ideal fabric comes from the program's imbalance.",
        ...(visible.includes("ended before the last")
          ? ["The pale part is the time after a rank has ended, until the last one ends."]
          : []),
      ],
      [legend(visible.map((p) => ({name: p, color: color.get(p)}))), drawing],
      {name: "where-time-went", columns, rows},
    );
  }

  // ------------------------------------------------------------ rank by rank

  const measures = [
    {id: "idle_s", name: "waiting", verb: "waits"},
    {id: "compute_s", name: "computing", verb: "computes"},
    {id: "finish_s", name: "until it ends", verb: "ends at"},
  ];
  const listed = runs.every((run) => Array.isArray(run.ranks));
  const FOLDED_FROM = 17; // ranks; fewer are told apart as points of a line
  const MOST_BINS = 192;

  // The ranks in bins of equal size, each with its least, mean and greatest value.
  function binned(run, measure, most) {
    const ranks = rankCount(run);
    const bins = Math.min(ranks, most);
    return d3.range(bins).map((bin) => {
      const [from, to] = [Math.floor((bin * ranks) / bins), Math.floor(((bin + 1) * ranks) / bins)];
      const values = run.ranks.slice(from, to).map((r) => r[measure.id]);
      return {fabric: run.fabric, from, to, mean: d3.mean(values), low: d3.min(values), high: d3.max(values)};
    });
  }
  const binName = ({from, to}) => (to - from > 1 ? `ranks ${from} to ${to - 1}` : `rank ${from}`);

  // All fabrics in one chart. A line is a fabric's mean of each bin; an area goes from the least to the greatest.
  function drawOverlay(measure, width) {
    const all = runs.flatMap((run) => binned(run, measure, width));
    const unit = timeScale(d3.max(all, (b) => b.high));
    const few = rankCount(runs[0]) <= 32;
    const at = (b) => (b.from + b.to - 1) / 2;
    return Plot.plot({
      ...common(width),
      marginLeft: 60,
      height: 260,
      x: {label: "rank", ticks: Math.min(rankCount(runs[0]), width < 500 ? 4 : 10), tickFormat: "d", inset: 8},
      y: {label: `${measure.name} (${unit.name})`, grid: true, ticks: 5, domain: upTo(all.map((b) => b.high / unit.scale)), nice: true},
      color: {type: "identity"},
      symbol: {type: "identity"},
      marks: [
        ...(all.some((b) => b.to - b.from > 1)
          ? runs.map((run) =>
              Plot.areaY(
                all.filter((b) => b.fabric === run.fabric),
                {x: at, y1: (b) => b.low / unit.scale, y2: (b) => b.high / unit.scale, fill: styles.get(run.fabric).color, fillOpacity: 0.15},
              ),
            )
          : []),
        ...runs.map((run) =>
          Plot.line(
            all.filter((b) => b.fabric === run.fabric),
            {x: at, y: (b) => b.mean / unit.scale, stroke: styles.get(run.fabric).color, strokeWidth: 2, strokeDasharray: styles.get(run.fabric).dash},
          ),
        ),
        ...(few
          ? [
              Plot.dot(all, {
                x: at,
                y: (b) => b.mean / unit.scale,
                fill: (b) => styles.get(b.fabric).color,
                stroke: (b) => styles.get(b.fabric).color,
                symbol: (b) => kit.symbolOf(styles.get(b.fabric)),
                title: (b) => `${b.fabric}, ${binName(b)} ${measure.verb} ${time(b.mean)}`,
              }),
            ]
          : []),
        Plot.ruleY([0]),
      ],
    });
  }

  const longest = (measure) => d3.max(runs, (run) => (run.makespan_s ? d3.max(run.ranks, (r) => r[measure.id]) / run.makespan_s : 0)) || 1;

  // A row for each fabric. The darker, the larger the share of the fabric's time.
  function drawMap(measure, width) {
    const all = runs.flatMap((run) =>
      binned(run, measure, Math.min(MOST_BINS, Math.floor(width / 4))).map((b) => ({...b, share: run.makespan_s ? b.mean / run.makespan_s : 0})),
    );
    const most = longest(measure);
    return Plot.plot({
      ...common(width),
      marginLeft: labelWidth(fabrics),
      marginTop: 4,
      height: 46 + 30 * runs.length,
      x: {label: "rank", domain: [0, rankCount(runs[0])], ticks: width < 500 ? 4 : 10, tickFormat: "d"},
      y: {label: null, domain: fabrics},
      color: {type: "identity"},
      marks: [
        Plot.barX(all, {
          y: "fabric",
          x1: "from",
          x2: "to",
          fill: (b) => shade(b.share / most),
          insetTop: 1,
          insetBottom: 1,
          shapeRendering: "crispEdges",
          title: (b) => `${b.fabric}, ${binName(b)} ${measure.verb} ${time(b.mean)}, ${percent(b.share)} of the fabric's time`,
        }),
      ],
    });
  }
  const shade = (share) => `color-mix(in oklab, var(--link) ${Math.round(100 * share)}%, var(--ended))`;

  // The ranks of a fabric by the size of their value.
  function quantilesOf(run, measure) {
    if (!Array.isArray(run.ranks)) return {fabric: run.fabric, ...run.ranks[measure.id]};
    const sorted = Float64Array.from(run.ranks, (r) => r[measure.id]).sort();
    const at = (share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
    return {fabric: run.fabric, min: sorted[0], p05: at(0.05), median: at(0.5), mean: d3.mean(sorted), p95: at(0.95), max: sorted.at(-1)};
  }

  function drawQuantiles(measure, width) {
    const all = runs.map((run) => quantilesOf(run, measure));
    const unit = timeScale(d3.max(all, (q) => q.max));
    const at = (name) => (q) => q[name] / unit.scale;
    const color = (q) => styles.get(q.fabric).color;
    return Plot.plot({
      ...common(width),
      marginLeft: labelWidth(fabrics),
      marginTop: 4,
      height: 46 + 34 * runs.length,
      x: {label: `${measure.name} (${unit.name})`, grid: true, ticks: width < 500 ? 3 : 6, domain: upTo(all.map(at("max")))},
      y: {label: null, domain: fabrics},
      color: {type: "identity"},
      marks: [
        Plot.ruleY(all, {y: "fabric", x1: at("min"), x2: at("max"), stroke: color}),
        Plot.barX(all, {y: "fabric", x1: at("p05"), x2: at("p95"), fill: color, fillOpacity: 0.35, insetTop: 6, insetBottom: 6}),
        Plot.tickX(all, {
          y: "fabric",
          x: at("median"),
          stroke: color,
          strokeWidth: 3,
          title: (q) => `${q.fabric}: least ${time(q.min)}, 5 % ${time(q.p05)}, median ${time(q.median)}, 95 % ${time(q.p95)}, greatest ${time(q.max)}`,
        }),
      ],
    });
  }

  const views = [
    {id: "lines", name: "lines, one on the other", draw: drawOverlay, how: "A line is a fabric. Lines that lie on each other mean that the ranks do the same on both."},
    {id: "map", name: "heat map", draw: drawMap, how: "A row is a fabric and a column a rank, or several ranks. The darker, the larger the share of this fabric's time.", scale: true},
    {id: "quantiles", name: "quantiles", draw: drawQuantiles, how: "The broad bar goes from the 5 % of ranks with the least to the 5 % with the most, the thin line over all ranks. The thick tick is the median."},
  ].filter(({id}) => listed || id === "quantiles");

  function said(run, measure) {
    const q = quantilesOf(run, measure);
    return `${run.fabric}: from ${time(q.min)} to ${time(q.max)}, median ${time(q.median)}`;
  }

  function perRank() {
    const ranks = rankCount(runs[0]);
    let measure = measures[0];
    let view = views.find(({id}) => id === (ranks < FOLDED_FROM ? "lines" : "map")) ?? views[0];
    const how = element("p", {});
    const figure = chart("", (width) => view.draw(measure, width));
    const keys = legend(runs.map((run) => ({name: run.fabric, style: styles.get(run.fabric)})));
    const update = () => {
      figure.setAttribute("aria-label", `${measure.name} of each rank, as ${view.name}. ${runs.map((run) => said(run, measure)).join("; ")}.`);
      how.textContent = view.how + (view.scale ? ` The darkest is ${percent(longest(measure))}.` : "");
      keys.hidden = view.id !== "lines";
      kit.refresh();
    };
    const controls = element(
      "div",
      {class: "switches"},
      kit.radios("rank-measure", "Time", measures.map(({id, name}) => ({value: id, text: name})), measure.id, (id) => {
        measure = measures.find((m) => m.id === id);
        update();
      }),
      ...(views.length > 1
        ? [
            kit.radios("rank-view", "As", views.map(({id, name}) => ({value: id, text: name})), view.id, (id) => {
              view = views.find((v) => v.id === id);
              update();
            }),
          ]
        : []),
    );
    update();
    const made = section(
      "per-rank",
      "Rank by rank",
      listed ? null : `Of ${count(ranks)} ranks, too many to list.`,
      [
        "",
        "If all ranks wait alike, they wait for the network or for each other. If a few ranks wait less than the rest, the others wait for them.",
      ],
      [controls, keys, figure],
      rankData(),
    );
    made.querySelector(".how p").replaceWith(how);
    return made;
  }

  // The table and the file: each rank, or quantiles of ranks that are not listed.
  function rankData() {
    if (listed)
      return {
        name: "ranks",
        columns: [
          {name: "fabric", of: (r) => r.fabric},
          {name: "rank", of: (r) => r.rank},
          ...[
            ["ends", "finish_s"],
            ["computes", "compute_s"],
            ["waits", "idle_s"],
          ].map(([name, csv]) => ({name, csv, of: (r) => r[csv], show: (v) => time(v)})),
        ],
        rows: runs.flatMap((run) => run.ranks.map((r, rank) => ({fabric: run.fabric, rank, ...r}))),
      };
    return {
      name: "rank-quantiles",
      columns: [
        {name: "fabric", of: (r) => r.fabric},
        {name: "time", of: (r) => r.verb},
        ...["min", "p05", "median", "mean", "p95", "max"].map((name) => ({name, csv: `${name}_s`, of: (r) => r[name], show: (v) => time(v)})),
      ],
      rows: runs.flatMap((run) => measures.map((measure) => ({...quantilesOf(run, measure), verb: measure.verb}))),
    };
  }

  return [whereTimeWent(), perRank()];
};
