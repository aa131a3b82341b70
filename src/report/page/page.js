// The report's program: sections from the results that the page carries. Each chart has a sentence that says what it
// shows, a table of the same numbers, and a file of them to take away.
"use strict";
(() => {
  const {manifest, runs} = JSON.parse(document.getElementById("results").textContent);
  const meanings = JSON.parse(document.getElementById("meanings").textContent);
  const fabrics = runs.map((run) => run.fabric);
  const first = runs[0];
  const RANKS_WITH_BARS = 256; // beyond them one outline does
  const UNITS_SHOWN = 4096;
  const {
    digits,
    time,
    size,
    binary,
    count,
    percent,
    plural,
    timeScale,
    element,
    table,
    download,
    legend,
    chart,
    section,
    palette,
    common,
    labelWidth,
    upTo,
  } = kit;
  const fabricColor = new Map(fabrics.map((name, i) => [name, palette[i % palette.length]]));

  // Between bars, on either side of each, where they are wide enough to keep their colour.
  const gap = (bars, width) => (width / bars > 8 ? 0.5 : 0);

  // -------------------------------------------------------------------------------------------------- the answer first

  // Not a number where one of both takes no time: then there is nothing to compare.
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
            `${i ? asFactor(speedup(run), "", ", ") : "the base, "}idle ${percent(run.idle_fraction)}`,
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
        ? "What a message costs at its ends is as published for each fabric: some latencies include software and NICs, others do not (host.system gives all of them one model)."
        : "What a message costs at its ends comes from one model for all fabrics.";
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
        "A bar is the time until the last rank has ended, in the simulated world. Shorter is better.",
        `Speedups are over ${first.fabric}, the first fabric named. The program and what it computes are the same everywhere; only the network differs.`,
        ...(runs.length > 1 ? [hosts] : []),
      ],
      [drawing],
      {name: "time-by-fabric", columns, rows: runs},
    );
  }

  // ------------------------------------------------------------------------------------------------ where the time went

  const SHOWN_SHARE = 1e-3; // a part that no fabric has more of is in the table only

  const rankCount = (run) => (Array.isArray(run.ranks) ? run.ranks.length : run.ranks.count);
  const rankSum = (run, column) =>
    Array.isArray(run.ranks) ? d3.sum(run.ranks, (r) => r[column]) : run.ranks.count * run.ranks[column].mean;

  // Shares of all ranks' time until the last one ended.
  function shares(run) {
    const whole = rankCount(run) * run.makespan_s || 1;
    const computed = rankSum(run, "compute_s"),
      finish = rankSum(run, "finish_s"),
      idle = rankSum(run, "idle_s");
    const parts = [["computing", computed]];
    for (const [cause, s] of Object.entries(run.idle_by_cause_s)) parts.push([`waiting in ${cause}`, s]);
    parts.push(
      ["otherwise", finish - computed - idle],
      ["ended before the last", rankCount(run) * run.makespan_s - finish],
    );
    return parts
      .map(([part, s]) => ({fabric: run.fabric, part, s, share: s / whole}))
      .filter((p) => p.part === "computing" || p.share > 1e-6);
  }

  function whereTimeWent() {
    const rows = runs.flatMap(shares);
    const parts = [...new Set(rows.map((r) => r.part))];
    const order = (p) => (p === "computing" ? 0 : p === "otherwise" ? 2 : p === "ended before the last" ? 3 : 1);
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
            : p === "otherwise"
              ? "var(--c6)"
              : [1, 0, 2, 3, 4, 5, 7].map((i) => palette[i])[causes++ % 7],
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
        "A network can only shorten waiting. What stays on the ideal fabric is the program's own imbalance.",
        ...(visible.includes("ended before the last")
          ? ["Ranks that end early leave the rest of their bar pale."]
          : []),
      ],
      [legend(visible.map((p) => ({name: p, color: color.get(p)}))), drawing],
      {name: "where-time-went", columns, rows},
    );
  }

  function perRank() {
    const ranks = rankCount(first);
    if (!runs.every((run) => Array.isArray(run.ranks))) return quantiles(ranks);
    const parts = [
      ["computing", "compute_s", "var(--compute)"],
      ["waiting", "idle_s", "var(--c1)"],
    ];
    const rows = runs.flatMap((run) => run.ranks.map((r, rank) => ({fabric: run.fabric, rank, ...r})));
    const unit = timeScale(d3.max(runs, (run) => run.makespan_s));
    const stacked = runs.map((run) => [
      run,
      run.ranks.flatMap((r, rank) => {
        let from = 0;
        return parts.map(([part, column, color]) => ({
          rank,
          part,
          color,
          from,
          to: (from += r[column] / unit.scale),
        }));
      }),
    ]);
    const drawings_ = stacked.flatMap(([run, boxes]) => {
      const most = d3.greatest(run.ranks, (r) => r.idle_s);
      const text = `${run.fabric}: computing and waiting of each rank. Rank ${run.ranks.indexOf(most)} waits longest, ${time(most.idle_s)}.`;
      return [
        element("h3", {}, run.fabric),
        chart(text, (width) =>
          Plot.plot({
            ...common(width),
            marginLeft: 50,
            height: 190,
            x: {
              label: "rank",
              domain: [0, ranks],
              ticks: Math.min(ranks, width < 500 ? 4 : 10),
              tickFormat: "d",
              round: false,
            },
            y: {label: unit.name, grid: true, ticks: 4, domain: upTo(runs.map((r) => r.makespan_s / unit.scale))},
            color: {type: "identity"},
            marks: [
              ranks <= RANKS_WITH_BARS
                ? Plot.rect(boxes, {
                    x1: "rank",
                    x2: (b) => b.rank + 1,
                    y1: "from",
                    y2: "to",
                    fill: "color",
                    insetLeft: gap(ranks, width),
                    insetRight: gap(ranks, width),
                  })
                : Plot.areaY(boxes, {
                    x: "rank",
                    y1: "from",
                    y2: "to",
                    fill: "color",
                    z: "part",
                    curve: "step-after",
                  }),
              Plot.ruleY([0]),
            ],
          }),
        ),
      ];
    });
    const columns = [
      {name: "fabric", of: (r) => r.fabric},
      {name: "rank", of: (r) => r.rank},
      ...[
        ["ends", "finish_s"],
        ["computes", "compute_s"],
        ["waits", "idle_s"],
      ].map(([name, csv]) => ({name, csv, of: (r) => r[csv], show: (v) => time(v)})),
    ];
    return section(
      "per-rank",
      "Rank by rank",
      null,
      [
        "Each column is a rank, as high as the time until it ended.",
        "Columns of one height with much waiting in them say that ranks wait for each other; a few that compute longer than the rest say whom they wait for.",
      ],
      [legend(parts.map(([name, , color]) => ({name, color}))), ...drawings_],
      {name: "ranks", columns, rows},
    );
  }

  function quantiles(ranks) {
    const rows = runs.flatMap((run) =>
      ["finish_s", "compute_s", "idle_s"].map((column) => ({fabric: run.fabric, column, ...run.ranks[column]})),
    );
    const columns = [
      {name: "fabric", of: (r) => r.fabric},
      {name: "time", of: (r) => ({finish_s: "ends", compute_s: "computes", idle_s: "waits"})[r.column]},
      ...["min", "p05", "median", "mean", "p95", "max"].map((name) => ({
        name,
        csv: `${name}_s`,
        of: (r) => r[name],
        show: (v) => time(v),
      })),
    ];
    return section(
      "per-rank",
      "The ranks by their quantiles",
      `Of ${count(ranks)} ranks, too many to show one by one.`,
      [],
      [table("Quantiles of the ranks", columns, rows), download("rank-quantiles", columns, rows)],
      null,
    );
  }

  // ------------------------------------------------------------------------------------------------------ message sizes

  const CLASSES_SHOWN = 8; // at least: a lone class would fill the chart

  const sizeName = (from) => (from === 0 ? "0 B" : binary(from));

  function messageSizes() {
    const classes = first.message_sizes;
    if (!classes.length) return null;
    const pivot = runs.find((run) => run.fabric_stats.pivot_bytes > 0 && run.fabric_stats.pivot_bytes < 2 ** 60);
    const pivotBytes = pivot?.fabric_stats.pivot_bytes;
    const index = (bytes) => (bytes > 0 ? 1 + Math.log2(bytes) : 0); // a class is one wide
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
                  stroke: "var(--card)", // readable where a column is behind it
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
        "A column holds the messages from one power of two up to the next; first how many they are, then how many bytes they carry.",
        ...(pivot
          ? [
              "From the dashed line on, the hybrid's pivot, messages go through an FMU. If it is not set it lies where an FMU and the network take equally long, as long as nothing is in their way (Eq. 7).",
            ]
          : []),
      ],
      [
        element("h3", {}, "How many"),
        chart(`Histogram of message counts: ${words}.`, one("count", "% of messages", palette[0], total.count)),
        element("h3", {}, "How many bytes"),
        chart(`Histogram of message bytes: ${words}.`, one("bytes", "% of bytes", palette[2], total.bytes)),
      ],
      {name: "message-sizes", columns, rows: classes},
    );
  }

  // --------------------------------------------------------------------------------------------------------------- FMUs

  // How many accesses wait, and how many FMUs are connected, in the mean of each bin of time.
  function fmuProfile(run) {
    const {profile_bin_s: bin, waiting_profile_s: waiting, connected_profile_s: connected} = run.fabric_stats;
    if (!waiting?.length) return [];
    const {scale, name: unit} = timeScale(run.makespan_s);
    const points = waiting.map((sum, i) => {
      const from = i * bin;
      const to = from < run.makespan_s ? Math.min(from + bin, run.makespan_s) : from + bin; // the last one is cut short
      const mean = (value) => value / (to - from);
      return {from: from / scale, to: to / scale, waiting: mean(sum), connected: mean(connected[i])};
    });
    const longest = d3.greatest(points, (p) => p.waiting);
    const series = [
      {name: "accesses that wait", key: "waiting", color: "var(--c1)"},
      {name: "connected FMUs", key: "connected", color: fabricColor.get(run.fabric)},
    ];
    const step = (key) => points.flatMap((p) => [{x: p.from, y: p[key]}, {x: p.to, y: p[key]}]);
    return [
      element("h3", {}, `${run.fabric}: queues over time`),
      legend(series),
      chart(
        `${run.fabric}: in the mean of a ${time(bin)} bin up to ${digits(longest.waiting, 3)} accesses wait, at ${digits(longest.from, 4)} ${unit}; up to ${digits(d3.max(points, (p) => p.connected), 3)} FMUs are connected.`,
        (width) =>
          Plot.plot({
            ...common(width),
            marginLeft: 50,
            height: 185,
            x: {label: `time, ${unit}`, domain: [0, d3.max(points, (p) => p.to)], ticks: width < 500 ? 4 : 8},
            y: {label: "in the mean", grid: true, ticks: 3, domain: upTo(points.flatMap((p) => [p.waiting, p.connected]))},
            marks: [
              Plot.areaY(step("waiting"), {x: "x", y1: 0, y2: "y", fill: series[0].color, fillOpacity: 0.3}),
              ...series.map(({key, color}) => Plot.line(step(key), {x: "x", y: "y", stroke: color, strokeWidth: 1.5})),
              Plot.ruleY([0]),
            ],
          }),
      ),
    ];
  }

  function fmus() {
    const withFmus = runs.filter(
      (run) => Array.isArray(run.fabric_stats.busy_s) && run.fabric_stats.busy_s.length,
    );
    if (!withFmus.length) return null;
    const stats = (run) => run.fabric_stats;
    const shown = withFmus.filter((run) => stats(run).busy_s.length <= UNITS_SHOWN);
    const rows = withFmus.flatMap((run) =>
      stats(run).busy_s.map((busy, fmu) => ({
        fabric: run.fabric,
        fmu,
        busy,
        share: run.makespan_s ? busy / run.makespan_s : 0,
        writes: stats(run).writes[fmu],
      })),
    );
    const figures = shown.flatMap((run) => {
      const mine = rows.filter((r) => r.fabric === run.fabric);
      const bars = (label, of, color, tickFormat) => (width) =>
        Plot.plot({
          ...common(width),
          marginLeft: 50,
          height: 165,
          color: {type: "identity"},
          x: {
            label: "FMU",
            domain: [0, mine.length],
            tickFormat: "d",
            ticks: Math.min(mine.length, width < 500 ? 4 : 8),
          },
          y: {label, grid: true, ticks: 3, tickFormat, domain: upTo(mine.map(of))},
          marks: [
            Plot.rect(mine, {
              x1: "fmu",
              x2: (r) => r.fmu + 1,
              y1: 0,
              y2: of,
              fill: color,
              insetLeft: gap(mine.length, width),
              insetRight: gap(mine.length, width),
            }),
            Plot.ruleY([0]),
          ],
        });
      const [lowest, highest] = d3.extent(mine, (r) => r.share);
      const [fewest, most] = d3.extent(mine, (r) => r.writes);
      return [
        element("h3", {}, `${run.fabric}: busy share`),
        chart(
          `${run.fabric}: the busiest of ${mine.length} FMUs is connected ${percent(highest)} of the time, the least busy ${percent(lowest)}.`,
          bars("% of the time", (r) => 100 * r.share, fabricColor.get(run.fabric)),
        ),
        element("h3", {}, `${run.fabric}: messages written`),
        chart(
          `${run.fabric}: between ${count(fewest)} and ${count(most)} messages are written to an FMU.`,
          bars("messages", (r) => r.writes, "var(--c6)", "~s"),
        ),
        ...fmuProfile(run),
      ];
    });
    const facts = [
      ["FMUs", (s) => s.busy_s.length, count],
      ["accesses", (s) => s.accesses, count],
      ["switches", (s) => s.switch_count, count],
      ["coalesced accesses", (s) => s.coalesced_count, count],
      ["queue wait, mean", (s) => s.queue_wait_mean_s, (v) => time(v)],
      ["queue wait, max", (s) => s.queue_wait_max_s, (v) => time(v)],
      ["writes that waited for room", (s) => s.space_waits, count],
      ["peak of Q_data", (s) => s.q_data_bytes, (v) => size(v)],
      ["peak of Q_header, entries", (s) => s.q_header_entries, count],
    ].map(([name, of, show]) => ({
      name,
      values: Object.fromEntries(withFmus.map((run) => [run.fabric, show(of(stats(run)))])),
    }));
    const factColumns = [
      {name: "", of: (f) => f.name},
      ...withFmus.map((run) => ({name: run.fabric, number: true, of: (f) => f.values[run.fabric]})),
    ];
    const columns = [
      {name: "fabric", of: (r) => r.fabric},
      {name: "FMU", of: (r) => r.fmu},
      {name: "busy", csv: "busy_s", of: (r) => r.busy, show: (v) => time(v)},
      {name: "share", of: (r) => r.share, show: percent},
      {name: "writes", of: (r) => r.writes, show: count},
    ];
    return section(
      "fmus",
      "Flexible Memory Units",
      null,
      [
        "An FMU is busy while a node's controller is connected to it: switching, then writing or reading.",
        "Long queue waits with low busy shares say that accesses wait for a node's one controller rather than for FMUs; more FMUs do not help then. High shares say that they do.",
        "Over time: the queues of all FMUs together. A queue that stays long is a pool too small or a hot FMU; one that comes and goes is the program's own bursts.",
        "A coalesced access goes under the switch of another and saves T_switch. Q_data and Q_header are the rings in an FMU; their peaks are the memory that it needs.",
      ],
      [table("Statistics of the FMUs", factColumns, facts), ...figures],
      {name: "fmus", columns, rows: rows.slice(0, UNITS_SHOWN * withFmus.length)},
    );
  }

  // -------------------------------------------------------------------------------------------------------------- links

  // What a fabric counted for each link between switches: the first such series is what is drawn. Where it has those
  // of the nodes as well, they come first.
  function linkLoads() {
    const network = meanings.topology;
    if (!network) return [];
    const lengths = [network.links, network.links + 2 * network.nodes];
    return runs.flatMap((run) => {
      const found = Object.entries(run.fabric_stats).find(
        ([name, values]) => name.startsWith("link_") && Array.isArray(values) && lengths.includes(values.length),
      );
      if (!found) return [];
      const name = found[0];
      const values = found[1].slice(-network.links);
      const show = name.endsWith("_s") ? (v) => time(v) : name.endsWith("bytes") ? (v) => size(v) : count;
      return [{fabric: run.fabric, name, values, show, most: d3.max(values), mean: d3.mean(values)}];
    });
  }

  // The lines of the picture are as dark as the busier direction of each; the darkest is the busiest link of all.
  function drawnNetwork(load) {
    const {picture} = meanings.topology;
    const shade = (value) =>
      `color-mix(in srgb, ${fabricColor.get(load.fabric)} ${Math.round(100 * Math.sqrt(load.most ? value / load.most : 0))}%, var(--ended))`;
    const busier = (line) => d3.max(line.links, (link) => load.values[link]);
    return (width) =>
      kit.network(picture, width, (group) =>
        group
          .selectAll("path")
          .data(d3.sort(picture.lines, busier))
          .join("path")
          .attr("d", (line) => line.path)
          .style("stroke", (line) => shade(busier(line)))
          .attr("stroke-width", (line) => 2 + 4 * (load.most ? busier(line) / load.most : 0))
          .append("title")
          .text((line) => line.names.map((name, i) => `${name}: ${load.show(load.values[line.links[i]])}`).join("\n")),
      );
  }

  // Links from the busiest to the least busy.
  function sortedCurve(load) {
    const sorted = d3.sort(load.values, (a, b) => b - a);
    const step = Math.max(1, Math.floor(sorted.length / 1000));
    const points = sorted.map((value, i) => ({at: sorted.length > 1 ? (100 * i) / (sorted.length - 1) : 0, value}));
    const few = points.filter((_, i) => i % step === 0 || i === points.length - 1);
    return (width) =>
      Plot.plot({
        ...common(width),
        height: 190,
        marginLeft: 50,
        x: {label: "% of the links", domain: [0, 100]},
        y: {label: "% of the busiest", grid: true, ticks: 4, domain: [0, 100]},
        marks: [
          Plot.areaY(few, {x: "at", y: (p) => (load.most ? (100 * p.value) / load.most : 0), fill: fabricColor.get(load.fabric), fillOpacity: 0.25}),
          Plot.lineY(few, {x: "at", y: (p) => (load.most ? (100 * p.value) / load.most : 0), stroke: fabricColor.get(load.fabric), strokeWidth: 2}),
        ],
      });
  }

  function links() {
    const loads = linkLoads();
    if (!loads.length) return null;
    const {picture, text} = meanings.topology;
    const names = new Map((picture?.lines ?? []).flatMap((line) => line.links.map((link, i) => [link, line.names[i]])));
    const rows = loads
      .flatMap((load) => load.values.map((value, link) => ({load, link, value})))
      .slice(0, UNITS_SHOWN * loads.length);
    const columns = [
      {name: "fabric", of: (r) => r.load.fabric},
      {name: "link", of: (r) => names.get(r.link) ?? String(r.link)},
      {name: "statistic", of: (r) => r.load.name},
      {name: "value", number: true, of: (r) => r.value},
    ];
    return section(
      "links",
      `Links of ${text}`,
      null,
      [
        "A line is the pair of links between two switches, as thick and dark as the busier of them; at most as the busiest of all. Those between nodes and their switches are left out.",
        "Below, all links from the busiest on: a flat curve is a load spread evenly, a steep one a few links that all wait for.",
      ],
      loads.flatMap((load) => [
        element("h3", {}, `${load.fabric}: ${meanings.metrics[load.name].doc}`),
        element("p", {class: "says"}, `The busiest has ${load.show(load.most)}, ${load.mean ? digits(load.most / load.mean, 3) : 0} times the mean.`),
        ...(picture
          ? [chart(`${text} under ${load.fabric}: the busiest link has ${load.show(load.most)}, the mean is ${load.show(load.mean)}.`, drawnNetwork(load))]
          : []),
        chart(`All ${count(load.values.length)} links of ${load.fabric} in order of their load; the mean is ${percent(load.most ? load.mean / load.most : 0)} of the busiest.`, sortedCurve(load)),
      ]),
      {name: "links", columns, rows},
    );
  }

  // The buffers of segment switching.
  function buffers() {
    const withBuffers = runs.filter((run) => run.fabric_stats.buffer_reserved_s?.length);
    if (!withBuffers.length) return null;
    const rows = withBuffers.flatMap((run) =>
      run.fabric_stats.buffer_reserved_s.map((value, buffer) => ({fabric: run.fabric, buffer, value})),
    );
    const stored = withBuffers.flatMap((run) =>
      run.fabric_stats.times_stored.map((packets, times_) => ({fabric: run.fabric, times: times_, packets})),
    );
    const columns = [
      {name: "fabric", of: (r) => r.fabric},
      {name: "buffer", of: (r) => r.buffer},
      {name: "slot time", csv: "reserved_s", number: true, of: (r) => r.value, show: (v) => time(v)},
    ];
    return section(
      "buffers",
      "Buffers in the switches",
      null,
      [
        "How long the slots of each buffer were reserved, in sum. A packet is stored where its next link had no channel free; one that is stored often has met one busy link after another.",
      ],
      withBuffers.flatMap((run) => {
        const mine = rows.filter((r) => r.fabric === run.fabric);
        const {scale, name} = timeScale(d3.max(mine, (r) => r.value));
        const held = stored.filter((r) => r.fabric === run.fabric);
        return [
          element("h3", {}, `${run.fabric}: slot time by buffer`),
          chart(`${run.fabric}: ${plural(mine.length, "buffer")}, the busiest reserved for ${time(d3.max(mine, (r) => r.value))} of slot time.`, (width) =>
            Plot.plot({
              ...common(width),
              height: 165,
              marginLeft: 50,
              color: {type: "identity"},
              x: {label: "buffer", domain: [0, mine.length], tickFormat: "d", ticks: Math.min(mine.length, width < 500 ? 4 : 8)},
              y: {label: name, grid: true, ticks: 3, domain: upTo(mine.map((r) => r.value / scale))},
              marks: [
                Plot.rect(mine, {x1: "buffer", x2: (r) => r.buffer + 1, y1: 0, y2: (r) => r.value / scale, fill: fabricColor.get(run.fabric), insetLeft: gap(mine.length, width), insetRight: gap(mine.length, width)}),
                Plot.ruleY([0]),
              ],
            }),
          ),
          table(`${run.fabric}: how often packets were stored`, [
            {name: "times stored", of: (r) => r.times},
            {name: "packets", of: (r) => r.packets, show: count},
          ], held),
        ];
      }),
      {name: "buffers", columns, rows: rows.slice(0, UNITS_SHOWN * withBuffers.length)},
    );
  }

  // ------------------------------------------------------------------------------------------- everything else that is known

  function statistics() {
    const names = [...new Set(runs.flatMap((run) => Object.keys(run.fabric_stats)))];
    const rows = names
      .filter((name) => runs.some((run) => typeof run.fabric_stats[name] === "number"))
      .map((name) => ({name, ...meanings.metrics[name]}));
    if (!rows.length) return null;
    const shown = {seconds: (v) => time(v), bytes: (v) => size(v)};
    const columns = [
      {name: "statistic", of: (r) => r.name},
      ...runs.map((run) => ({name: run.fabric, of: (r) => run.fabric_stats[r.name]})),
      {name: "meaning", of: (r) => r.doc},
    ];
    const pretty = columns.map((c, i) =>
      i === 0 || i > runs.length
        ? c
        : {
            ...c,
            number: true,
            of: (r) => {
              const v = c.of(r);
              return typeof v !== "number"
                ? ""
                : (r.name.endsWith("_s") ? shown.seconds : (shown[r.unit] ?? count))(v);
            },
          },
    );
    return section(
      "statistics",
      "What the fabrics counted",
      null,
      [],
      [
        element(
          "details",
          {},
          element("summary", {}, plural(rows.length, "statistic")),
          table("Statistics of the fabrics", pretty, rows),
          download("fabric-statistics", columns, rows),
        ),
      ],
      null,
    );
  }

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
      "Everything that is needed to do it again: the same input gives the same page, byte for byte.",
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

  // ------------------------------------------------------------------------------------------------------------- the page

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
          whereTimeWent(),
          perRank(),
          messageSizes(),
          fmus(),
          links(),
          buffers(),
          statistics(),
          parameters(),
        ].filter((part) => part),
      );
    // A printer shows what is open.
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
