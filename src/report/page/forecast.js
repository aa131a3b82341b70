// The program of the page of `helio calibrate --check`: measured times of a program beside their forecasts, in all, by phase
// and by kind of call.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("results").textContent);
  const {digits, plural, time, element, chart, section, listSection, guardsSection, palette, common, legend, timeScale, table} = kit;
  const MEASURED = {name: "measured", color: palette[0]};
  const FORECAST = {name: "forecast", color: palette[1]};
  const CAPTURED = {name: "captured", color: palette[2]};
  const seconds = (value) => time(value);
  const percent = (value) => (Math.abs(value) < 5e-3 ? "0 %" : `${value > 0 ? "+" : ""}${digits(value, 3)} %`);
  const interval = ({low, high}, show) => `${show(low)} to ${show(high)}`;
  const withInterval = (value, show) => `${show(value.value)} (${interval(value, show)})`;
  const has_comparison = Boolean(data.measured_s);

  // --------------------------------------------------------- the answer first

  function verdict() {
    const off = data.error_percent;
    const amount = element("strong", {}, `${digits(Math.abs(off.value), 3)} %`);
    const words = off.low <= 0 && off.high >= 0 ? [" by ", amount, ", but the interval includes 0 %"] : [" by ", amount];
    return element(
      "p",
      {},
      `The forecast is too ${off.value < 0 ? "short" : "long"}`,
      ...words,
      ` (${interval(off, percent)}): the program takes ${withInterval(data.measured_s, seconds)}, and its forecast is ${withInterval(data.forecast_s, seconds)}.`,
    );
  }

  function worst() {
    const kind = data.kinds.length ? data.kinds.reduce((a, b) => (Math.abs(b.off_percent.value) > Math.abs(a.off_percent.value) ? b : a)) : null;
    return kind ? element("p", {}, `The forecast is furthest off in ${kind.in}: ${percent(kind.off_percent.value)} of the whole time.`) : null;
  }

  function answer() {
    const failed = data.guards.filter((guard) => !guard.passed);
    return element(
      "div",
      {class: "answer", id: "answer"},
      ...(data.sound ? [] : [element("p", {class: "notice failed", role: "alert"}, `Not sound: ${failed.map((guard) => `${guard.name}: ${guard.reason}`).join("; ")}.`)]),
      ...(has_comparison ? [verdict(), worst()] : [element("p", {}, "The forecast cannot be judged, so that there is no comparison. Run again on a quiet machine.")]).filter(Boolean),
      ...(has_comparison ? [element("p", {class: "says"}, data.runs.length < 6 ? "In brackets is the range of the runs." : "In brackets are 95 % intervals of the median.")] : []),
    );
  }

  // ---------------------------------------------------- measured and forecast

  // Two bars with their intervals for each row. On a narrow screen the name stands above them.
  function pairsChart(rows, words) {
    const y = timeScale(d3.max(rows, (row) => Math.max(row.measured_s.high, row.forecast_s.high)));
    const bars = rows.flatMap((row) => [
      {name: row.name, which: MEASURED, value: row.measured_s},
      {name: row.name, which: FORECAST, value: row.forecast_s},
    ]);
    const title = (bar) => `${bar.name}, ${bar.which.name}: ${withInterval(bar.value, seconds)}`;
    return chart(words, (width) => {
      const is_narrow = width < 560;
      const place = {fy: "name", y: (bar) => bar.which.name};
      return Plot.plot({
        ...common(width),
        marginLeft: is_narrow ? 8 : kit.labelWidth(rows.map((row) => row.name)),
        marginRight: 24,
        height: 60 + (is_narrow ? 66 : 46) * rows.length,
        x: {label: `time of a rank, ${y.name}`, zero: true, grid: true, ticks: 5, tickFormat: (v) => digits(v, 3)},
        y: {axis: null, domain: [...(is_narrow ? [""] : []), MEASURED.name, FORECAST.name], padding: 0.1},
        fy: {label: null, domain: rows.map((row) => row.name), padding: 0.2, axis: is_narrow ? null : "left"},
        marks: [
          Plot.barX(bars, {...place, x: (bar) => bar.value.value / y.scale, fill: (bar) => bar.which.color, title}),
          Plot.ruleY(bars, {...place, x1: (bar) => bar.value.low / y.scale, x2: (bar) => bar.value.high / y.scale, stroke: "var(--ink)", strokeWidth: 1.5}),
          ...(is_narrow ? [Plot.text(rows, {fy: "name", y: () => "", frameAnchor: "left", textAnchor: "start", text: "name", fill: "currentColor"})] : []),
          Plot.ruleX([0]),
        ],
      });
    });
  }

  const pairColumns = (first, third) => [
    {name: first, of: (row) => row.name},
    ...["measured_s", "forecast_s", third].flatMap((key) => [
      {name: key, of: (row) => row[key].value},
      {name: `${key}_low`, of: (row) => row[key].low},
      {name: `${key}_high`, of: (row) => row[key].high},
    ]),
  ];
  const pairWords = (rows) => `${rows.map((row) => `${row.name}: measured ${seconds(row.measured_s.value)}, forecast ${seconds(row.forecast_s.value)}`).join("; ")}.`;
  const shownTable = (title, first, rows, third, name) =>
    table(title, [
      {name: first, of: (row) => row.name},
      {name: "measured", number: true, of: (row) => seconds(row.measured_s.value)},
      {name: "forecast", number: true, of: (row) => seconds(row.forecast_s.value)},
      {name, number: true, of: (row) => percent(row[third].value)},
      {name: "interval", number: true, of: (row) => interval(row[third], percent)},
    ], rows);

  function pairsSection(id, title, says, how, first, rows, third, name) {
    return section(id, title, says, how, [legend([MEASURED, FORECAST]), pairsChart(rows, pairWords(rows)), shownTable(title, first, rows, third, name)], {
      name: id,
      columns: pairColumns(first, third),
      rows,
    });
  }

  function phasesSection() {
    const rows = data.phases.map((phase) => ({...phase, name: `phase ${phase.phase}`}));
    return pairsSection(
      "phases",
      "Each phase",
      "What a rank spends in each phase of MPI_Pcontrol, on average.",
      ["The bar is the median of the runs, and the thin line its interval.", "The error is how much longer the forecast of the phase is than the phase."],
      "phase",
      rows,
      "error_percent",
      "error",
    );
  }

  function kindsSection() {
    const rows = data.kinds.map((kind) => ({...kind, name: kind.in}));
    return pairsSection(
      "kinds",
      "Where the time goes",
      "What a rank spends on computation, on point-to-point calls with all waits (p2p), and on each collective, on average.",
      ["The times are those of the executions under helio capture.", "The last columns say how much longer the forecast of the kind is, as a share of the whole time: they add up to about the whole error."],
      "in",
      rows,
      "off_percent",
      "off, of all",
    );
  }

  // -------------------------------------------------------------------- runs

  function runsSection() {
    const series = [
      {...MEASURED, of: (run) => run.measured_s},
      {...FORECAST, of: (run) => run.forecast_s},
      {...CAPTURED, of: (run) => run.captured_s},
    ];
    const dots = data.runs.flatMap((run, i) => series.map((which) => ({run: i + 1, which, value: which.of(run)})));
    const y = timeScale(d3.max(dots, (dot) => dot.value));
    const words = `${data.runs.map((run, i) => `run ${i + 1}: measured ${seconds(run.measured_s)}, forecast ${seconds(run.forecast_s)}, captured ${seconds(run.captured_s)}`).join("; ")}.`;
    return section(
      "runs",
      "Each run",
      "The whole time of the program, of the slowest rank.",
      [
        "Each run executes the program without Heliograph, for the measured time, and under helio capture, for the trace that is replayed.",
        "The dashed lines are the medians of what was measured and of the forecasts.",
        "If captured times are much longer than measured ones, recording has changed the program.",
      ],
      [
        legend(series),
        chart(words, (width) =>
          Plot.plot({
            ...common(width),
            height: 90 + 30 * series.length,
            marginLeft: 64,
            marginRight: 24,
            x: {label: `time, ${y.name}`, grid: true, nice: true, ticks: 5, tickFormat: (v) => digits(v, 4), inset: 10},
            y: {label: null, domain: series.map((which) => which.name)},
            marks: [
              Plot.ruleX([data.measured_s, data.forecast_s], {x: (value) => value.value / y.scale, stroke: (_, i) => [MEASURED, FORECAST][i].color, strokeDasharray: "5,4"}),
              Plot.dot(dots, {y: (dot) => dot.which.name, x: (dot) => dot.value / y.scale, r: 4, fill: (dot) => dot.which.color, fillOpacity: 0.8, title: (dot) => `run ${dot.run}, ${dot.which.name}: ${seconds(dot.value)}`}),
            ],
          }),
        ),
      ],
      {
        name: "runs",
        columns: [{name: "run", of: (run) => run.run}, ...series.map((which) => ({name: `${which.name}_s`, of: which.of}))],
        rows: data.runs.map((run, i) => ({...run, run: i + 1})),
      },
    );
  }

  // ------------------------------------------------------ machine and guards

  function build() {
    document.getElementById("subtitle").textContent = `${plural(data.ranks, "rank")}, ${data.ranks_per_node} on a node; checked by Heliograph ${data.version}`;
    const main = document.getElementById("main");
    main.append(answer());
    if (has_comparison) main.append(runsSection(), ...(data.phases.length ? [phasesSection()] : []), kindsSection());
    main.append(
      listSection(
        "machine",
        "What was compared",
        "The program, and the machine and the network of its forecast.",
        [
          {name: "what", of: ([name]) => name},
          {name: "value", prose: true, of: ([, value]) => value},
        ],
        [
          ["program", data.program],
          ["machine", data.machine],
          ["network", data.fabric],
        ],
      ),
      guardsSection("A guard that fails says that the times are not those of this program alone.", data.guards),
    );
  }

  kit.page(build);
})();
