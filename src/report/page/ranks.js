// How the ranks of a run spend their time: all of them together, then each.
"use strict";
const rankCount = (run) => (Array.isArray(run.ranks) ? run.ranks.length : run.ranks.count);

// The sections about ranks, in the order of the page.
const rankSections = (runs) => {
  const fabrics = runs.map((run) => run.fabric);
  const RANKS_WITH_BARS = 256; // for more ranks a single outline is enough
  const {time, count, percent, timeScale, table, download, element, legend, chart, section, hatchings} = kit;
  const {common, gap, labelWidth, upTo} = kit;

  const SHOWN_SHARE = 1e-3; // a part that is smaller than this on every fabric is in the table only

  const rankSum = (run, column) =>
    Array.isArray(run.ranks) ? d3.sum(run.ranks, (r) => r[column]) : run.ranks.count * run.ranks[column].mean;

  // Shares of the time of all ranks until the last one ends.
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

  function perRank() {
    const ranks = rankCount(runs[0]);
    if (!runs.every((run) => Array.isArray(run.ranks))) return quantiles(ranks);
    const parts = [
      ["computing", "compute_s", "var(--compute)"],
      ["waiting", "idle_s", hatchings[0]],
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
        "Columns of equal height with much waiting mean that ranks wait for each other. If a few ranks compute longer than the rest, the others wait for them.",
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

  return [whereTimeWent(), perRank()];
};
