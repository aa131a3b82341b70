// The program of the page of a sweep: the fastest runs, time and speedup by each parameter that was varied, all
// numbers.
"use strict";
(() => {
  const sweep = JSON.parse(document.getElementById("results").textContent);
  const {digits, time, size, count, percent, plural, timeScale, element, table, legend, chart, section, common, labelWidth, upTo} = kit;
  const unique = (values) => [...new Set(values)];
  const {groups} = sweep;
  const fabrics = unique(groups.map((g) => g.fabric));
  const styles = kit.fabricStyles(sweep.fabrics);
  const fabricColor = new Map(fabrics.map((name) => [name, styles.get(name).color]));
  const compared = groups.some((g) => g.speedup);
  const repeated = groups.some((g) => g.runs > 1);
  const MAPS_AT_MOST = 6;

  // An axis. The program is one too, if there are several programs. Numbers are in ascending order; other values keep
  // the order of the sweep.
  const values = (name) => {
    const found = unique(groups.map((g) => g.settings[name]));
    return found.every((value) => /^[0-9.]+$/.test(value)) ? found.sort((a, b) => a - b) : found;
  };
  const programs = unique(groups.map((g) => g.program));
  const axes = sweep.axes
    .filter((name) => name !== "workload" && name !== "trace" && values(name).length > 1)
    .map((name) => ({name, of: (g) => g.settings[name], domain: values(name)}));
  if (programs.length > 1) axes.unshift({name: "program", of: (g) => g.program, domain: programs});

  const factor = (ratio) => (ratio < 0.1 || ratio >= 100 ? digits(ratio, 3) : ratio.toFixed(3));
  const baselineName = Object.entries(sweep.baseline)
    .map(([name, value]) => (name === "fabric" ? value : `${name} ${value}`))
    .join(", ");
  const label = (g) => [g.fabric, ...axes.filter((axis) => axis.name !== "program").map((axis) => `${axis.name} ${axis.of(g)}`)].join(", ");

  // The value of a group: a mean, and half the width of its interval.
  const measures = {
    time: {title: "Time", name: "time", of: (g) => g.makespan_s, show: (v) => time(v, 5)},
    speedup: {title: "Speedup", name: `speedup over ${baselineName}`, of: (g) => g.speedup, show: (v) => `${factor(v)}×`},
  };

  // --------------------------------------------------------- the answer first

  function answer() {
    const line = element("p", {class: "answer", id: "answer"});
    for (const program of programs) {
      const fastest = d3.least(groups.filter((g) => g.program === program), (g) => g.makespan_s.mean);
      line.append(
        programs.length > 1 ? `The shortest time of ${program} is ` : "The shortest time is ",
        element("strong", {}, time(fastest.makespan_s.mean, 5)),
        `, on ${label(fastest)}. `,
      );
    }
    if (!compared) return line;
    const others = fabrics
      .map((fabric) => ({fabric, ratios: groups.filter((g) => g.fabric === fabric && g.speedup).map((g) => g.speedup.mean)}))
      .filter(({fabric, ratios}) => ratios.length && !(fabric === sweep.baseline.fabric && Object.keys(sweep.baseline).length === 1));
    const hosts = sweep.fixed["host.system"] === null && others.length ? " The costs of hosts are as published for each fabric." : "";
    others.forEach(({fabric, ratios}, i) => {
      const [least, most] = d3.extent(ratios);
      const range = most - least < 5e-4 ? factor(most) : `${factor(least)} to ${factor(most)}`;
      const same = Math.max(Math.abs(least - 1), Math.abs(most - 1)) < 5e-4;
      line.append(
        i ? (i === others.length - 1 ? ", and " : ", ") : "",
        fabric,
        " is ",
        element("strong", {class: least >= 1.0005 ? "good" : most < 0.9995 ? "bad" : ""}, same ? "as fast as" : `${range} times as fast as`),
        ` ${baselineName}`,
      );
    });
    if (others.length) line.append(`.${hosts}`);
    return line;
  }

  const tiles = () =>
    element(
      "ul",
      {class: "tiles", "aria-label": "The sweep"},
      ...[
        ["runs", count(sweep.runs)],
        ["points", count(groups.length)],
        ["fabrics", fabrics.join(", ")],
        ...axes.map((axis) => [axis.name, plural(axis.domain.length, "value")]),
      ].map(([name, value]) =>
        element("li", {}, element("span", {class: "label"}, name), element("span", {class: "value"}, value)),
      ),
    );

  // --------------------------------------------------------- by one parameter

  // For each fabric and value of the axis: the median over all other settings, and the range of values.
  function profile(axis, measure) {
    const points = [];
    for (const fabric of fabrics)
      for (const value of axis.domain) {
        const found = groups.filter((g) => g.fabric === fabric && axis.of(g) === value && measure.of(g));
        if (!found.length) continue;
        const ends = found.map((g) => measure.of(g));
        points.push({
          fabric,
          value,
          count: found.length,
          middle: d3.median(ends, (e) => e.mean),
          low: d3.min(ends, (e) => e.mean - e.half_width),
          high: d3.max(ends, (e) => e.mean + e.half_width),
        });
      }
    return points;
  }

  // Each fabric is drawn wider than those after it, which lie on top. So all are visible if results are equal.
  const later = (i) => 1.5 * Math.min(fabrics.length - 1 - i, 4);

  // The steps are even, since values may be sizes, times or words.
  function drawProfile(axis, measure, points, width) {
    const unit = measure === measures.time ? timeScale(d3.max(points, (p) => p.high)) : {scale: 1, name: "×"};
    const scaled = points.map((p) => ({...p, middle: p.middle / unit.scale, low: p.low / unit.scale, high: p.high / unit.scale}));
    const narrow = (width - 80) / axis.domain.length < 7 * d3.max(axis.domain, (v) => v.length) + 8;
    const spread = scaled.some((p) => p.high > p.low);
    const least = d3.min(scaled, (p) => p.low), most = d3.max(scaled, (p) => p.high);
    const log = least > 0 && most / least > 30;
    return Plot.plot({
      ...common(width),
      height: narrow ? 320 : 280,
      marginLeft: 60,
      marginBottom: narrow ? 40 + 6 * d3.max(axis.domain, (v) => v.length) : 42,
      color: {type: "identity"},
      r: {type: "identity"},
      symbol: {type: "identity"},
      x: {type: "point", domain: axis.domain, label: axis.name, padding: 0.3, tickRotate: narrow ? -60 : 0},
      y: {
        label: measure === measures.time ? `time (${unit.name})` : "speedup",
        grid: true,
        ticks: 5,
        tickFormat: (y) => digits(y, 3),
        ...(log ? {type: "log"} : {domain: upTo(scaled.map((p) => p.high)), nice: true}),
      },
      marks: [
        ...(measure === measures.speedup ? [Plot.ruleY([1], {stroke: "currentColor", strokeDasharray: "4 3"})] : []),
        ...(spread ? [Plot.ruleX(scaled, {x: "value", y1: "low", y2: "high", stroke: (p) => fabricColor.get(p.fabric), strokeWidth: 3, strokeOpacity: 0.35})] : []),
        ...fabrics.map((fabric, i) =>
          Plot.line(scaled.filter((p) => p.fabric === fabric), {
            x: "value",
            y: "middle",
            stroke: fabricColor.get(fabric),
            strokeDasharray: styles.get(fabric).dash,
            strokeWidth: 2 + later(i),
          }),
        ),
        Plot.dot(scaled, {
          x: "value",
          y: "middle",
          r: (p) => 3.5 + later(fabrics.indexOf(p.fabric)),
          sort: null,
          fill: (p) => fabricColor.get(p.fabric),
          stroke: (p) => fabricColor.get(p.fabric),
          symbol: (p) => kit.symbolOf(styles.get(p.fabric)),
          title: (p) => `${p.fabric}, ${axis.name} ${p.value}: ${measure.show(p.middle * unit.scale)}`,
        }),
      ],
    });
  }

  function byAxis(axis, i, measure) {
    const points = profile(axis, measure);
    if (points.length === 0) return null;
    const least = d3.least(points, (p) => p.middle), most = d3.greatest(points, (p) => p.middle);
    const words = `${measure.title} by ${axis.name}: from ${measure.show(least.middle)} (${least.fabric}, ${least.value}) to ${measure.show(most.middle)} (${most.fabric}, ${most.value}).`;
    const others = points.some((p) => p.count > 1);
    const columns = [
      {name: "fabric", of: (p) => p.fabric},
      {name: axis.name, of: (p) => p.value},
      {name: measure.name, csv: measure === measures.time ? "makespan_s" : "speedup", number: true, of: (p) => p.middle, show: measure.show},
      {name: "least", number: true, of: (p) => p.low, show: measure.show},
      {name: "most", number: true, of: (p) => p.high, show: measure.show},
    ];
    const id = `${measure === measures.time ? "time" : "speedup"}-by-${i}`;
    return section(
      id,
      `${measure.title} by ${axis.name}`,
      null,
      [
        others
          ? "Each point is the median of all runs with this value. The broad line behind it goes from the least to the greatest of them."
          : repeated
            ? "Each point is the mean over the seeds. The broad line behind it is the 95 % confidence interval."
            : "Each point is one run.",
        "The distances between values are even.",
        ...(measure === measures.speedup ? [`Points above the dashed line at 1 are faster than ${baselineName} with the same parameters.`] : []),
      ],
      [
        ...(fabrics.length > 1 ? [legend(fabrics.map((name) => ({name, style: styles.get(name)})))] : []),
        chart(words, (width) => drawProfile(axis, measure, points, width)),
      ],
      {name: id, columns, rows: points},
    );
  }

  // -------------------------------------------------------- by two parameters

  function cells(fabric, across, down, measure) {
    const found = [];
    for (const y of down.domain)
      for (const x of across.domain) {
        const here = groups.filter((g) => g.fabric === fabric && across.of(g) === x && down.of(g) === y && measure.of(g));
        if (here.length) found.push({fabric, x, y, value: d3.median(here, (g) => measure.of(g).mean)});
      }
    return found;
  }

  // Times go from pale (short) to dark (long). Speedups have colours around 1: blue is faster, orange is slower.
  function shader(measure, all) {
    const mix = (color, share) => `color-mix(in srgb, ${color} ${Math.round(8 + 62 * share)}%, var(--card))`;
    if (measure === measures.time) {
      const [least, most] = d3.extent(all.filter((c) => c.value > 0), (c) => Math.log(c.value));
      return (v) => mix("var(--c2)", v > 0 ? (most > least ? (Math.log(v) - least) / (most - least) : 0.5) : 0);
    }
    const far = d3.max(all, (c) => Math.abs(Math.log2(c.value))) || 1;
    return (v) => mix(v >= 1 ? "var(--c0)" : "var(--c1)", Math.abs(Math.log2(v)) / far);
  }

  function drawMap(across, down, measure, found, shade, width) {
    const left = labelWidth(down.domain);
    const cell = (width - left - 24) / across.domain.length;
    const narrow = cell < 7 * d3.max(across.domain, (v) => v.length) + 6;
    return Plot.plot({
      ...common(width),
      height: (narrow ? 60 + 6 * d3.max(across.domain, (v) => v.length) : 72) + 28 * down.domain.length,
      marginLeft: left,
      marginBottom: narrow ? 34 + 6 * d3.max(across.domain, (v) => v.length) : 42,
      color: {type: "identity"},
      x: {type: "band", domain: across.domain, label: across.name, tickRotate: narrow ? -60 : 0},
      y: {type: "band", domain: down.domain, label: down.name, labelAnchor: "top", labelArrow: "none"},
      marks: [
        Plot.cell(found, {
          x: "x",
          y: "y",
          fill: (c) => shade(c.value),
          inset: 0.5,
          title: (c) => `${c.fabric}, ${across.name} ${c.x}, ${down.name} ${c.y}: ${measure.show(c.value)}`,
        }),
        ...(cell > 66 ? [Plot.text(found, {x: "x", y: "y", text: (c) => measure.show(c.value), fontSize: 10, fill: "currentColor"})] : []),
      ],
    });
  }

  function byPair(across, down, i, measure) {
    const panels = fabrics.map((fabric) => ({fabric, found: cells(fabric, across, down, measure)})).filter((p) => p.found.length);
    const all = panels.flatMap((p) => p.found);
    if (!all.length) return null;
    const shade = shader(measure, all);
    const columns = [
      {name: "fabric", of: (c) => c.fabric},
      {name: across.name, of: (c) => c.x},
      {name: down.name, of: (c) => c.y},
      {name: measure.name, csv: measure === measures.time ? "makespan_s" : "speedup", number: true, of: (c) => c.value, show: measure.show},
    ];
    return section(
      `map-${i}`,
      `${measure.title} by ${across.name} and ${down.name}`,
      null,
      [
        measure === measures.time
          ? "Darker is longer, on a logarithmic scale that all fabrics share."
          : `Blue is faster than ${baselineName}, orange is slower. A stronger colour is a larger difference.`,
        ...(axes.length > 2 ? ["If other parameters were varied too, a cell is the median of its runs."] : []),
      ],
      panels.flatMap(({fabric, found}) => {
        const [least, most] = d3.extent(found, (c) => c.value);
        const words = `${measure.title} of ${fabric} by ${across.name} and ${down.name}: from ${measure.show(least)} to ${measure.show(most)}.`;
        return [
          ...(panels.length > 1 ? [element("h3", {}, fabric)] : []),
          chart(words, (width) => drawMap(across, down, measure, found, shade, width)),
        ];
      }),
      {name: `map-${i}`, columns, rows: all},
    );
  }

  const pairs = () => axes.flatMap((across, i) => axes.slice(i + 1).map((down) => [across, down])).slice(0, MAPS_AT_MOST);

  // --------------------------------------------- without anything but fabrics

  function byFabric() {
    const unit = timeScale(d3.max(groups, (g) => g.makespan_s.mean));
    const words = `Bars of the time on each fabric. ${groups.map((g) => `${g.fabric}: ${time(g.makespan_s.mean, 5)}`).join("; ")}.`;
    const drawing = chart(words, (width) =>
      Plot.plot({
        ...common(width),
        marginLeft: labelWidth(fabrics),
        marginRight: 90,
        height: 52 + 36 * groups.length,
        color: {type: "identity"},
        x: {label: `time (${unit.name})`, grid: true, domain: upTo(groups.map((g) => g.makespan_s.mean / unit.scale))},
        y: {label: null, domain: fabrics},
        marks: [
          Plot.barX(groups, {y: "fabric", x: (g) => g.makespan_s.mean / unit.scale, fill: (g) => fabricColor.get(g.fabric), inset: 3}),
          Plot.text(groups, {y: "fabric", x: (g) => g.makespan_s.mean / unit.scale, textAnchor: "start", dx: 6, text: (g) => time(g.makespan_s.mean, 5)}),
        ],
      }),
    );
    return section("time-by-fabric", "Time by fabric", null, ["Shorter is better."], [drawing], null);
  }

  // ------------------------------------------------------------------ numbers

  function numbers() {
    const metrics = unique(groups.flatMap((g) => Object.keys(g.metrics)));
    const interval = (name, csv, of, show) => [
      {name, csv, number: true, of: (g) => of(g)?.mean ?? null, show},
      ...(repeated ? [{name: "±", csv: `${csv}_half_width`, number: true, of: (g) => of(g)?.half_width ?? null, show}] : []),
    ];
    const columns = [
      {name: "fabric", of: (g) => g.fabric},
      ...(programs.length > 1 ? [{name: "program", of: (g) => g.program}] : []),
      ...axes.filter((axis) => axis.name !== "program").map((axis) => ({name: axis.name, of: axis.of})),
      ...(repeated ? [{name: "runs", of: (g) => g.runs}] : []),
      ...interval("time", "makespan_s", (g) => g.makespan_s, (v) => time(v, 5)),
      ...(compared ? interval("speedup", "speedup", (g) => g.speedup, factor) : []),
      {name: "idle", csv: "idle_fraction", of: (g) => g.idle_fraction, show: percent},
      {name: "messages", of: (g) => g.messages, show: count},
      {name: "bytes", of: (g) => g.bytes, show: size},
      ...metrics.map((name) => ({name, number: true, of: (g) => g.metrics[name] ?? null, show: (v) => digits(v, 5)})),
      {name: "first id", csv: "id", of: (g) => g.id},
    ];
    return section(
      "numbers",
      "All points",
      repeated
        ? "Times and speedups are means over the seeds, with half the width of their 95 % confidence intervals. All other numbers are those of the first seed's run."
        : null,
      [],
      [table("All points", columns, groups), kit.download("points", columns, groups)],
      null,
    );
  }

  function manifest() {
    const rows = Object.entries(sweep.fixed).filter(([, value]) => value !== null);
    return section(
      "manifest",
      "What was run",
      `Heliograph ${sweep.version}. Varied: ${["fabric", ...sweep.axes, ...(repeated ? ["seed"] : [])].join(", ")}. All other parameters were the same in all runs. helio rerun RESULTS.db#ID repeats one of them.`,
      [],
      [
        element(
          "details",
          {},
          element("summary", {}, `${plural(rows.length, "parameter")} that all runs share`),
          table("Parameters that all runs share", [{name: "parameter", of: (r) => r[0]}, {name: "value", of: (r) => r[1]}], rows),
        ),
      ],
      null,
    );
  }

  // ----------------------------------------------------------------- the page

  function build() {
    document.getElementById("subtitle").textContent =
      `${plural(sweep.runs, "run")} on ${fabrics.join(", ")}, simulated by Heliograph ${sweep.version}`;
    const measure = compared ? measures.speedup : measures.time;
    const charts = axes.length
      ? [
          ...axes.flatMap((axis, i) => [
            ...(compared ? [byAxis(axis, i, measures.speedup)] : []),
            byAxis(axis, i, measures.time),
          ]),
          ...pairs().map(([across, down], i) => byPair(across, down, i, measure)),
        ]
      : [byFabric()];
    document.getElementById("main").append(...[answer(), tiles(), ...charts, numbers(), manifest()].filter((part) => part));
  }

  kit.page(build);
})();
