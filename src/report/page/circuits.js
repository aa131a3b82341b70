// The program of the page of circuits with a price for switching: what each port does when, which circuits are up at a
// time and what they have carried, and the makespan over the switching time.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("results").textContent);
  const {digits, percent, count, plural, time, size, bits, element, chart, refresh, section, palette, common, legend} = kit;
  const PORTS_SHOWN = 64; // if there are more, the busiest
  const ROWS_LISTED = 4096;
  const STEPS = 400; // of the slider
  const isCurve = Boolean(data.curve);
  const delta = data.switching_s;

  const entries = (data.entries ?? []).map(([source, destination, bytes]) => ({source, destination, bytes, pieces: []}));
  const pieces = (data.pieces ?? []).map(([crossbar, entry, start, end]) => ({crossbar, ...entries[entry], entry: entries[entry], start, end}));

  // A circuit that both of its ports had last is up already and needs no set-up.
  const lastOf = new Map();
  for (const piece of pieces) {
    const sender = `s${piece.crossbar},${piece.source}`;
    const receiver = `r${piece.crossbar},${piece.destination}`;
    piece.isUp = lastOf.get(sender) === piece.entry && lastOf.get(receiver) === piece.entry;
    lastOf.set(sender, piece.entry).set(receiver, piece.entry);
    piece.entry.pieces.push(piece);
  }
  for (const entry of entries) entry.total = d3.sum(entry.pieces, (p) => p.end - p.start);
  const name = (c) => `${c.source} → ${c.destination}`;
  const partly = data.pieces_left_out ? ` The first ${count(pieces.length)} circuits of ${count(pieces.length + data.pieces_left_out)}.` : "";

  // --------------------------------------------------------- the answer first

  function answer() {
    if (isCurve)
      return element("p", {class: "answer", id: "answer"}, `How long the bytes of ${data.demand} take on optical switches, by their switching time.`);
    const above = data.makespan_s / data.lower_bound_s - 1;
    return element(
      "p",
      {class: "answer", id: "answer"},
      `The bytes of ${data.demand} take `,
      element("strong", {}, time(data.makespan_s, 6)),
      ` on ${data.switches === 1 ? "an optical switch" : `${count(data.switches)} optical switches`} with circuits of ${bits(data.rate_bytes_per_s)} and a switching time of ${time(delta)}`,
      data.optimal
        ? ". This is proven optimal: no schedule is shorter."
        : `. The lower bound is ${time(data.lower_bound_s, 6)}; the schedule is ${percent(above)} above it.`,
      data.advice ? ` Note: ${data.advice}.` : "",
    );
  }

  function tiles() {
    const ports = data.senders * data.switches * data.makespan_s;
    const setups = pieces.filter((p) => !p.isUp).length;
    const whole = !data.pieces_left_out;
    const shown = isCurve
      ? [["switching times", count(data.curve.length)]]
      : [
          ["makespan", time(data.makespan_s, 6)],
          ["lower bound", time(data.lower_bound_s, 6)],
          ["configurations", count(data.configurations)],
          ["circuits", count(pieces.length + data.pieces_left_out)],
          ...(whole
            ? [
                ["of the senders' time, carrying", percent(d3.sum(pieces, (p) => p.end - p.start) / ports)],
                ["of the senders' time, set-ups", percent((setups * delta) / ports)],
              ]
            : []),
          ["algorithm", data.made_by === data.algorithm ? data.algorithm : `${data.algorithm}, here ${data.made_by}`],
        ];
    return element(
      "ul",
      {class: "tiles", "aria-label": "The schedule in numbers"},
      ...shown.map(([label, value]) =>
        element("li", {}, element("span", {class: "label"}, label), element("span", {class: "value"}, value)),
      ),
    );
  }

  // ---------------------------------------------------------------- timeline

  const unitOf = (most) => [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"], [1e-12, "ps"]].find(([scale]) => most >= scale) ?? [1, "s"];
  const [timeUnit, timeName] = unitOf(data.makespan_s ?? 1);

  function rowsOf(side, other, label) {
    const load = d3.rollup(pieces, (some) => d3.sum(some, (p) => p.end - p.start), (p) => p[side]);
    const busiest = d3.sort(load.keys(), (a, b) => load.get(b) - load.get(a) || a - b).slice(0, PORTS_SHOWN);
    const row = new Map(d3.sort(busiest).flatMap((port, i) => d3.range(data.switches).map((k) => [`${port},${k}`, i * data.switches + k])));
    const rows = row.size;
    const bars = pieces.filter((p) => row.has(`${p[side]},${p.crossbar}`));
    const at = (p) => row.get(`${p[side]},${p.crossbar}`);
    return chart(
      `${label}: ${count(bars.length)} circuits of ${count(busiest.length)} of ${count(load.size)} ports with bytes.`,
      (width) =>
        Plot.plot({
          ...common(width),
          height: 64 + Math.max(3, Math.min(16, 800 / rows)) * rows,
          marginLeft: 44,
          color: {type: "identity"},
          x: {label: `time in ${timeName}`, domain: [0, data.makespan_s / timeUnit], ticks: width < 500 ? 5 : 10},
          y: {label, domain: [0, rows], reverse: true, ticks: Math.min(16, rows), tickFormat: (i) => d3.sort(busiest)[Math.floor(i / data.switches)] ?? ""},
          marks: [
            Plot.frame({stroke: "var(--line)"}),
            Plot.rect(bars.filter((p) => !p.isUp), {
              x1: (p) => (p.start - delta) / timeUnit,
              x2: (p) => p.start / timeUnit,
              y1: at,
              y2: (p) => at(p) + 1,
              fill: "var(--compute)",
              insetTop: 0.5,
              insetBottom: 0.5,
            }),
            Plot.rect(bars, {
              x1: (p) => p.start / timeUnit,
              x2: (p) => p.end / timeUnit,
              y1: at,
              y2: (p) => at(p) + 1,
              fill: (p) => palette[p[other] % palette.length],
              insetTop: 0.5,
              insetBottom: 0.5,
              title: (p) => `${name(p)}${data.switches > 1 ? ` on switch ${p.crossbar}` : ""}: ${time(p.start, 6)} to ${time(p.end, 6)}`,
            }),
          ],
        }),
    );
  }

  function timeline() {
    const columns = [
      {name: "switch", of: (p) => p.crossbar},
      {name: "start_s", of: (p) => p.start},
      {name: "end_s", of: (p) => p.end},
      {name: "src", of: (p) => p.source},
      {name: "dst", of: (p) => p.destination},
    ];
    return section(
      "timeline",
      "What each port does",
      `Senders above, receivers below.${partly}`,
      [
        "A row is a port, or one for each of its switches. A coloured bar is a circuit that carries; the colour stands for the port at its other end. Grey is a set-up, and empty is idle.",
        "A port whose row has no empty place is what the port bound counts: no schedule ends before it.",
      ],
      [
        legend([{name: "carrying; colours stand for the other port", color: palette[0]}, {name: "set-up", color: "var(--compute)"}]),
        rowsOf("source", "destination", "sender"),
        rowsOf("destination", "source", "receiver"),
      ],
      {name: "circuits", columns, rows: pieces.slice(0, ROWS_LISTED)},
    );
  }

  // -------------------------------------------------------------------- film

  // How much of an entry is carried at a time, from 0 to 1.
  const carried = (entry, now) => (entry.total ? d3.sum(entry.pieces, (p) => Math.max(0, Math.min(now, p.end) - p.start)) / entry.total : 0);

  function film() {
    let step = STEPS / 2;
    const moment = () => (data.makespan_s * step) / STEPS;
    const said = element("p", {class: "says", id: "time-says", role: "status", "aria-live": "polite"});
    const input = element("input", {type: "range", id: "time", min: 0, max: STEPS, step: 1, value: step});
    const upAt = (now) => pieces.filter((p) => p.start <= now && now < p.end);
    const update = () => {
      const up = upAt(moment());
      const setups = pieces.filter((p) => !p.isUp && p.start - delta <= moment() && moment() < p.start).length;
      const share = d3.sum(entries, (e) => carried(e, moment()) * e.bytes) / d3.sum(entries, (e) => e.bytes);
      said.textContent = `${time(moment())}: ${plural(up.length, "circuit")} up, ${count(setups)} being set up, ${percent(share)} of the bytes carried`;
      input.setAttribute("aria-valuetext", time(moment()));
    };
    input.addEventListener("input", () => {
      step = Number(input.value);
      update();
      refresh();
    });
    update();
    const senders = d3.sort(new Set(entries.map((e) => e.source)));
    const receivers = d3.sort(new Set(entries.map((e) => e.destination)));
    const most = d3.max(entries, (e) => e.bytes);
    const matrix = (label, marks) =>
      chart(label, (width) =>
        Plot.plot({
          ...common(width),
          height: Math.min(640, 70 + (Math.min(width, 640) * senders.length) / Math.max(4, receivers.length)),
          width: Math.min(width, 700),
          marginLeft: 44,
          x: {label: "receiver", domain: receivers, tickFormat: receivers.length > 40 ? () => "" : "d", tickSize: 0},
          y: {label: "sender", domain: senders, tickFormat: senders.length > 40 ? () => "" : "d", tickSize: 0},
          color: {type: "identity"},
          marks: marks(),
        }),
      );
    const cell = (fill) =>
      Plot.cell(entries, {x: "destination", y: "source", fill, inset: 0.5, title: (e) => `${name(e)}: ${size(e.bytes)}, ${percent(carried(e, moment()))} carried`});
    return section(
      "film",
      "What is carried when",
      `All ${count(entries.length)} pairs with bytes.${partly}`,
      [
        "The first picture is the demand: the darker a cell, the more bytes. In the second picture a cell fills as its bytes are carried, and a frame marks the circuits that are up at the time of the slider. In each row and column of a switch at most one is up.",
      ],
      [
        matrix(`The demand of ${count(entries.length)} pairs; the largest has ${size(most)}.`, () => [
          cell((e) => d3.interpolateBlues(0.12 + 0.85 * Math.sqrt(e.bytes / most))),
        ]),
        element("div", {class: "slider"}, element("label", {for: "time"}, "Time"), input),
        said,
        matrix("What is carried at the time that the slider names, and which circuits are up.", () => [
          cell((e) => d3.interpolateGreens(0.08 + 0.8 * carried(e, moment()))),
          Plot.cell(upAt(moment()), {x: "destination", y: "source", fill: "none", stroke: "var(--ink)", strokeWidth: 2, inset: 0.5}),
        ]),
      ],
      {
        name: "demand",
        columns: [
          {name: "src", of: (e) => e.source},
          {name: "dst", of: (e) => e.destination},
          {name: "bytes", of: (e) => e.bytes},
        ],
        rows: d3.sort(entries, (a, b) => b.bytes - a.bytes).slice(0, ROWS_LISTED),
      },
    );
  }

  // ------------------------------------------------------------------- curve

  function curve() {
    const names = Object.keys(data.curve[0].makespan_s);
    const points = data.curve.flatMap((row) => names.map((algorithm) => ({algorithm, x: row.switching_s, y: row.makespan_s[algorithm], bound: row.lower_bound_s})));
    const isLog = data.curve.every((row) => row.switching_s > 0);
    const colorOf = new Map(names.map((algorithm, i) => [algorithm, palette[i % palette.length]]));
    const [scale, unit] = unitOf(d3.max(points, (p) => p.y));
    const [xScale, xUnit] = unitOf(d3.max(points, (p) => p.x) || 1);
    return section(
      "curve",
      "Makespan over switching time",
      `${plural(names.length, "algorithm")}, ${data.switches === 1 ? "one switch" : `${count(data.switches)} switches`}, ${data.switch}.`,
      [
        "The dashed line is the lower bound: no schedule ends below it. Where best lies on the line, its schedules are optimal.",
        "The bound grows by the switching time for each circuit of the busiest port. Where it has grown well above its beginning, fewer circuits per port would help more than a faster link.",
      ],
      [
        legend([...names.map((algorithm) => ({name: algorithm, color: colorOf.get(algorithm)})), {name: "lower bound, dashed", color: "var(--ink)"}]),
        chart(`The makespan of ${names.join(", ")} at ${plural(data.curve.length, "switching time")}.`, (width) =>
          Plot.plot({
            ...common(width),
            height: 420,
            marginLeft: 60,
            color: {type: "identity"},
            x: {label: `switching time in ${xUnit}`, type: isLog ? "log" : "linear", grid: true, tickFormat: (v) => digits(v, 3)},
            y: {label: `makespan in ${unit}`, type: "log", grid: true, tickFormat: (v) => digits(v, 3)},
            marks: [
              Plot.line(points, {x: (p) => p.x / xScale, y: (p) => p.y / scale, z: "algorithm", stroke: (p) => colorOf.get(p.algorithm), strokeWidth: 2}),
              Plot.dot(points, {
                x: (p) => p.x / xScale,
                y: (p) => p.y / scale,
                fill: (p) => colorOf.get(p.algorithm),
                title: (p) => `${p.algorithm}, switching ${time(p.x)}: ${time(p.y, 6)}, ${percent(p.y / p.bound - 1)} above the bound`,
              }),
              Plot.line(data.curve, {x: (r) => r.switching_s / xScale, y: (r) => r.lower_bound_s / scale, stroke: "var(--ink)", strokeDasharray: "4,3"}),
            ],
          }),
        ),
      ],
      {
        name: "curve",
        columns: [
          {name: "switching_s", of: (r) => r.switching_s},
          {name: "lower_bound_s", of: (r) => r.lower_bound_s},
          ...names.map((algorithm) => ({name: algorithm, of: (r) => r.makespan_s[algorithm]})),
        ],
        rows: data.curve,
      },
    );
  }

  function build() {
    document.getElementById("subtitle").textContent = `circuits scheduled by Heliograph ${data.version}`;
    const main = document.getElementById("main");
    main.append(answer(), tiles());
    if (isCurve) main.append(curve());
    else main.append(timeline(), film());
  }

  kit.page(build);
})();
