// The program of the page of tolerances: how the time depends on each parameter, and which parameter matters.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("results").textContent);
  const {digits, percent, count, plural, time, size, element, chart, section, palette, common, legend, timeScale, table} = kit;
  const SHARES_SHOWN = 12;
  const ROWS_LISTED = 5000;
  const LIMIT_COLORS = [palette[2], palette[1], palette[3]];
  const parameters = data.parameters;

  // x is in seconds of a time or a byte, so that exact curves consist of straight lines.
  const xOf = (p, value) => (p.kind === "rate" ? 1 / value : value);
  const valueText = (p, value) =>
    value === null || !isFinite(value) ? "without end" : p.kind === "rate" ? `${size(value, 6)}/s` : p.kind === "time" ? time(value, 6) : `${digits(value * 1e12, 6)} ps/B`;
  const xText = (p, x) => (p.kind === "rate" ? valueText(p, x ? 1 / x : Infinity) : valueText(p, x));
  const counted = (p) => (p.kind !== "time" ? "bytes" : p.of === "loggops.o" ? "overheads" : "messages");
  const limitsOf = (p) => Object.entries(p.tolerance).filter(([, value]) => value !== null);
  const change = (seconds, p) => seconds / p.makespan_s - 1;
  const signed = (share) => `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(3)} %`;

  // --------------------------------------------------------- the answer first

  const howKnown = (p) =>
    p.exact
      ? "Exact"
      : `Bracketed by ${plural(p.runs, "run")}${p.monotone ? "" : ", in which some worse values were faster"}`;

  function tells(p) {
    const slowest = limitsOf(p)[0];
    return [
      howKnown(p),
      `: with ${p.of} = ${valueText(p, p.base)} the program takes `,
      element("strong", {}, time(p.makespan_s, 6)),
      slowest ? `; it takes ${slowest[0].replace("%", " %")} longer at ` : "; no value of it makes the program 1 % slower",
      slowest ? element("strong", {}, valueText(p, slowest[1])) : "",
      ".",
    ];
  }

  function answer() {
    return element(
      "div",
      {class: "answer", id: "answer"},
      ...parameters.map((p) => element("p", {}, ...tells(p))),
      ...parameters
        .filter((p) => p.why_not_exact)
        .slice(0, 1)
        .map((p) => element("p", {class: "says"}, `Why not exact: ${p.why_not_exact}.`)),
      ...parameters
        .filter((p) => p.differing_runs?.length)
        .slice(0, 1)
        .map(({differing_runs: [run], ...p}) =>
          element(
            "p",
            {class: "says"},
            `This is the longest path, which leaves out when cores and NICs are busy: with ${p.of} = ${valueText(p, run.at)} a run takes ${time(run.run_s, 6)}, ${Math.abs(100 * (run.run_s / run.longest_path_s - 1)).toPrecision(2)} % ${run.run_s < run.longest_path_s ? "less" : "more"}.`,
          ),
        ),
    );
  }

  // ----------------------------------------------------------------- tornado

  const reach = (p) => Math.max(Math.abs(change(p.better_s, p)), Math.abs(change(p.worse_s, p)));

  function tornado() {
    const rows = d3.sort(parameters, (a, b) => reach(b) - reach(a));
    const names = rows.map((p) => p.of);
    const bars = rows.flatMap((p) => [
      {of: p.of, share: change(p.better_s, p), color: "var(--c2)", word: "better"},
      {of: p.of, share: change(p.worse_s, p), color: "var(--c1)", word: "worse"},
    ]);
    const most = Math.max(1e-9, d3.max(rows, reach)) * 100;
    const by = `${digits(100 * data.by, 4)} %`;
    return section(
      "tornado",
      "Which parameter matters",
      `The time with values ${by} better and ${by} worse; the parameter with the largest effect is first.`,
      [
        `A bar to the left is the time saved with a value that is ${by} better, a bar to the right the time lost with one that is ${by} worse.`,
        "If the bars of a parameter differ, its effect is not proportional.",
      ],
      [
        legend([
          {name: `${by} better`, color: "var(--c2)"},
          {name: `${by} worse`, color: "var(--c1)"},
        ]),
        chart(`${rows.map((p) => `${p.of}: ${signed(change(p.better_s, p))} to ${signed(change(p.worse_s, p))}`).join("; ")}.`, (width) => {
          const isNarrow = width < 560;
          return Plot.plot({
            ...common(width),
            marginLeft: isNarrow ? 8 : kit.labelWidth(names),
            height: 70 + (isNarrow ? 52 : 36) * rows.length,
            x: {label: "change of the time in %", domain: [-most, most], ticks: width < 500 ? 3 : 7, tickFormat: (v) => digits(v, 3), grid: true},
            y: {label: null, domain: names, ...(isNarrow ? {axis: null} : {})},
            color: {type: "identity"},
            marks: [
              Plot.barX(bars, {
                y: "of",
                x1: 0,
                x2: (b) => 100 * b.share,
                fill: "color",
                insetTop: isNarrow ? 22 : 4,
                insetBottom: 4,
                title: (b) => `${b.of}, ${by} ${b.word}: ${signed(b.share)}`,
              }),
              Plot.ruleX([0]),
              ...(isNarrow ? [Plot.text(rows, {y: "of", frameAnchor: "left", dy: -14, textAnchor: "start", text: "of", fill: "currentColor"})] : []),
            ],
          });
        }),
      ],
      {
        name: "tornado",
        columns: [
          {name: "parameter", of: (p) => p.of},
          {name: "better_s", of: (p) => p.better_s},
          {name: "makespan_s", of: (p) => p.makespan_s},
          {name: "worse_s", of: (p) => p.worse_s},
        ],
        rows,
      },
    );
  }

  // ------------------------------------------------------------------- curve

  function scaleOf(p, most) {
    if (p.kind === "time") return timeScale(most);
    return {scale: 1e-12, name: "ps/B"};
  }

  // The pieces, of which the first one begins at the lower end. A rate without end has no number.
  function piecesOf(p) {
    const begins = p.curve[0][0];
    const first = p.kind === "rate" ? (begins ? 1 / begins : null) : begins;
    return [{at: first, at_exact: "", slope: p.first_slope}, ...p.breakpoints];
  }

  // What is of interest: up to beyond the last limit.
  function shownUpTo(p) {
    const last = d3.max([2 * xOf(p, p.base), ...limitsOf(p).map(([, value]) => 1.15 * xOf(p, value))]);
    return Math.min(last || Infinity, d3.max(p.curve, (c) => c[0])) || d3.max(p.curve, (c) => c[0]);
  }

  // The curve within [0, end], cut off at the end of the picture.
  function cut(p, end) {
    const inside = p.curve.filter(([x]) => x <= end);
    const next = p.curve[inside.length];
    if (p.exact && next && inside.length) {
      const [x, y] = inside.at(-1);
      inside.push([end, y + ((next[1] - y) * (end - x)) / (next[0] - x)]);
    }
    return inside;
  }

  function curveSection(p, i) {
    const end = shownUpTo(p);
    const points = cut(p, end);
    const {scale, name} = scaleOf(p, end);
    const y = timeScale(d3.max(points, (c) => c[1]));
    const limits = limitsOf(p)
      .map(([word, value], k) => ({word: word.replace("%", " %"), x: xOf(p, value), value, color: LIMIT_COLORS[k]}))
      .filter((l) => l.x <= end);
    const marked = p.exact ? p.curve.slice(1, -1).filter(([x]) => x <= end) : points;
    const label = p.kind === "rate" ? `${p.of} as the time of a byte, ${name}` : `${p.of}, ${name}`;
    const gain = p.best_is_fastest_run
      ? `The fastest of the runs has ${valueText(p, p.no_gain_beyond)}: it takes ${time(p.best_s, 6)}.`
      : p.no_gain_beyond !== null && xOf(p, p.no_gain_beyond) > 0
        ? `Nothing is gained ${p.kind === "rate" ? "above" : "below"} ${valueText(p, p.no_gain_beyond)}, where the program takes ${time(p.best_s, 6)}.`
        : p.best_s < p.makespan_s
          ? `Each better value gains, down to ${time(p.best_s, 6)}.`
          : "The time does not depend on it here.";
    const [least, most] = d3.extent([...points.map((c) => c[1]), p.makespan_s]);
    const domain = most > least ? [least, most] : [0, 2 * most || 1];
    return section(
      `curve-${i}`,
      p.of,
      `${howKnown(p)}. ${gain}`,
      [
        p.exact
          ? "The line is the time of the longest path, for each value. It is straight between the dots, and each dot is a value at which another path becomes the longest."
          : "Each dot is a run. Between the dots the time may do anything; the lines only lead the eye.",
        "The vertical line is the value of this experiment. The coloured marks are the values at which the program takes 1, 2 and 5 % longer.",
        p.exact ? `The slope at the value is ${count(p.slope)} ${counted(p)} on the longest path.` : "",
      ].filter(Boolean),
      [
        legend([...limits.map((l) => ({name: `${l.word} longer: ${valueText(p, l.value)}`, color: l.color}))]),
        chart(`The time over ${p.of}: ${time(p.makespan_s, 6)} at ${valueText(p, p.base)}; ${limits.map((l) => `${l.word} longer at ${valueText(p, l.value)}`).join(", ")}.`, (width) =>
          Plot.plot({
            ...common(width),
            height: 360,
            marginLeft: 64,
            color: {type: "identity"},
            x: {label, domain: [0, end / scale], grid: true, ticks: width < 500 ? 4 : 8, tickFormat: (v) => digits(v, 4)},
            y: {label: `time in ${y.name}`, domain: domain.map((v) => v / y.scale), nice: true, grid: true, ticks: 6, tickFormat: (v) => digits(v, 5)},
            marks: [
              Plot.ruleX([xOf(p, p.base) / scale], {stroke: "var(--ink)", strokeDasharray: "4,3"}),
              Plot.line(points, {x: (c) => c[0] / scale, y: (c) => c[1] / y.scale, stroke: palette[0], strokeWidth: 2, strokeOpacity: p.exact ? 1 : 0.4}),
              Plot.dot(marked, {
                x: (c) => c[0] / scale,
                y: (c) => c[1] / y.scale,
                r: marked.length > 60 ? 1.5 : 3,
                fill: palette[0],
                title: (c) => `${xText(p, c[0])}: ${time(c[1], 8)}`,
              }),
              Plot.ruleX(limits, {x: (l) => l.x / scale, stroke: "color", strokeWidth: 1.5}),
              Plot.dot(limits, {
                x: (l) => l.x / scale,
                y: (l, k) => (p.makespan_s * (1 + parseFloat(l.word) / 100)) / y.scale,
                fill: "color",
                symbol: "diamond",
                r: 6,
                title: (l) => `${l.word} longer at ${valueText(p, l.value)}`,
              }),
            ],
          }),
        ),
      ],
      p.exact
        ? {
            name: "pieces",
            columns: [
              {name: "from", of: (b) => b.at},
              {name: "exactly", of: (b) => b.at_exact},
              {name: counted(p), of: (b) => b.slope},
            ],
            rows: piecesOf(p).slice(0, ROWS_LISTED),
          }
        : {
            name: "runs",
            columns: [
              {name: p.kind === "rate" ? "s_per_byte" : "value_s", of: (c) => c[0]},
              {name: "makespan_s", of: (c) => c[1]},
            ],
            rows: p.curve,
          },
    );
  }

  // ------------------------------------------------------------ longest path

  // The messages of the longest path, or where runs bracket the answer, those of the critical path of a run.
  const messagesOf = (p) => p.longest_path ?? p.critical_path;

  // What counts the parameter, by what it has in common: the largest part of the slope first. Messages of a critical path
  // have no part of a slope.
  function sharesOf(p, list, nameOf, word) {
    const amountOf = (row) => row.slope ?? row.messages;
    const whole = p.longest_path ? p.slope : messagesOf(p).messages;
    const shown = list.slice(0, SHARES_SHOWN).map((row) => ({...row, name: nameOf(row), amount: amountOf(row)}));
    const part = (row) => (whole ? row.amount / whole : 0);
    const rest = list.length - shown.length;
    const names = shown.map((row) => row.name);
    return element(
      "div",
      {},
      element("h3", {}, word),
      chart(`${word}: ${shown.map((row) => `${row.name} ${percent(part(row))}`).join(", ")}.`, (width) =>
        Plot.plot({
          ...common(width),
          marginTop: 4,
          marginLeft: Math.min(kit.labelWidth(names), 170),
          marginRight: 64,
          height: 46 + 24 * shown.length,
          x: {label: p.longest_path ? counted(p) : "messages", domain: kit.upTo(shown.map((row) => row.amount)), ticks: width < 500 ? 3 : 6, grid: true, tickFormat: "s"},
          y: {label: null, domain: names},
          marks: [
            Plot.barX(shown, {y: "name", x: "amount", fill: palette[0], insetTop: 2, insetBottom: 2, title: (row) => `${row.name}: ${plural(row.messages, "message")}, ${size(row.bytes)}`}),
            Plot.text(shown, {y: "name", x: "amount", dx: 6, textAnchor: "start", text: (row) => percent(part(row)), fill: "currentColor"}),
          ],
        }),
      ),
      rest > 0 ? element("p", {class: "says"}, `${count(rest)} more are in the JSON.`) : null,
    );
  }

  const sizeName = (row) => (row.from_bytes < 2 ? `${row.from_bytes} B` : `${kit.binary(row.from_bytes)} to ${kit.binary(2 * row.from_bytes)}`);
  const siteName = (row) => row.site ?? "elsewhere";

  // All lists as one table.
  const rowsOf = ({by_site, by_rank, by_call, by_size}) => [
    ...(by_site ?? []).map((row) => ({...row, by: "call site", name: siteName(row)})),
    ...by_rank.map((row) => ({...row, by: "rank", name: String(row.rank)})),
    ...by_call.map((row) => ({...row, by: "call", name: row.call})),
    ...by_size.map((row) => ({...row, by: "size", name: sizeName(row)})),
  ];

  function pathOf(p) {
    const path = messagesOf(p);
    const since = path.listed_from_s ? ` from ${time(path.listed_from_s)} on` : "";
    const messages = plural(path.messages, "message") + (path.between_nodes ? " between nodes" : "");
    const says = p.longest_path
      ? `${messages} on the longest path, with ${p.of} = ${valueText(p, p.base)}; the slope is ${count(p.slope)} ${counted(p)}.`
      : `${messages} on the critical path of a run${since}, with ${p.of} = ${valueText(p, p.base)}.`;
    return element(
      "div",
      {},
      element("p", {class: "says"}, says),
      ...(path.by_site ? [sharesOf(p, path.by_site, siteName, "By call site")] : []),
      sharesOf(p, path.by_rank, (row) => `rank ${row.rank}`, "By the rank that sends"),
      sharesOf(p, path.by_call, (row) => row.call, "By call"),
      sharesOf(p, path.by_size, sizeName, "By size"),
    );
  }

  function pathSection(exact) {
    const place = element("div", {}, pathOf(exact[0]));
    const choose = (name) => {
      place.replaceChildren(pathOf(exact.find((p) => p.of === name)));
      kit.refresh();
    };
    const isExact = exact[0].longest_path !== undefined;
    return section(
      "path",
      `The messages of the ${isExact ? "longest" : "critical"} path`,
      null,
      [
        "Only these messages make the program wait for the network: a faster message elsewhere gains nothing.",
        isExact
          ? "A bar is the part of the slope that messages have: how many of them are on the path, or how many of their bytes."
          : "A bar is how many of them are on the critical path of a run with this value. With other values the path may be another.",
        "If several paths are the longest, this is one of them.",
      ],
      [
        ...(exact.length > 1
          ? [element("div", {class: "switches"}, kit.radios("path-parameter", "Parameter", exact.map(({of}) => ({value: of, text: of})), exact[0].of, choose))]
          : []),
        place,
      ],
      {
        name: "messages",
        columns: [
          {name: "parameter", of: (row) => row.of},
          {name: "by", of: (row) => row.by},
          {name: "name", of: (row) => row.name},
          {name: "messages", of: (row) => row.messages},
          {name: "bytes", of: (row) => row.bytes},
          ...(isExact ? [{name: "slope", of: (row) => row.slope}] : []),
        ],
        rows: exact.flatMap((p) => rowsOf(messagesOf(p)).map((row) => ({...row, of: p.of}))),
      },
    );
  }

  function build() {
    document.getElementById("subtitle").textContent = `on ${data.fabric}, tolerance by Heliograph ${data.version}`;
    const main = document.getElementById("main");
    main.append(answer());
    if (data.by && parameters.length > 1) main.append(tornado());
    main.append(...parameters.map(curveSection));
    const exact = parameters.filter((p) => p.longest_path?.messages);
    const critical = parameters.find((p) => p.critical_path);
    if (exact.length) main.append(pathSection(exact));
    else if (critical) main.append(pathSection([critical]));
  }

  kit.page(build);
})();
