// The page that compares two results, A and B: their times, what their critical paths consist of, their ranks, and what
// was different when they were made.
"use strict";
(() => {
  const {a, b, comparison} = JSON.parse(document.getElementById("results").textContent);
  const meanings = JSON.parse(document.getElementById("meanings").textContent);
  const {time, percent, plural, element, table, download, legend, chart, section, common, labelWidth, upTo} = kit;
  const styles = kit.fabricStyles(meanings.fabrics);
  const sides = [
    {id: "A", name: a.name, ...a.result},
    {id: "B", name: b.name, ...b.result},
  ];
  const isBound = (fabric) => styles.get(fabric).is_bound;

  // The runs that are compared, those of bounds last.
  const runOf = (side, {fabric}) => side.runs.find((run) => run.fabric === fabric);
  const pairs = d3.sort(
    comparison.runs
      .filter(({first, second}) => first && second)
      .map(({first, second, compared, text}) => ({
        name: first.fabric === second.fabric ? first.fabric : `${first.fabric} and ${second.fabric}`,
        runs: [runOf(sides[0], first), runOf(sides[1], second)],
        compared,
        text,
      })),
    (pair) => isBound(pair.runs[0].fabric),
  );
  const alone = comparison.runs.filter(({first, second}) => !first || !second).map(({first, second}) => (first ? `only A has ${first.fabric}` : `only B has ${second.fabric}`));
  const ratioOf = ({runs: [first, second]}) => (first.makespan_s > 0 && second.makespan_s > 0 ? first.makespan_s / second.makespan_s : NaN);

  // --------------------------------------------------------- the answer first

  function answer() {
    const [first, ...more] = pairs.map(({text}) => text);
    return [
      element("p", {class: "answer", id: "answer"}, first ?? "A and B have no fabric in common."),
      ...(more.length ? [element("ul", {class: "insights", id: "insights"}, ...more.map((text) => element("li", {}, text)))] : []),
    ];
  }

  const who = () =>
    element(
      "dl",
      {class: "networks"},
      ...sides.flatMap(({id, name, manifest}) => [
        element("dt", {}, element("span", {}, id)),
        element("dd", {}, `${manifest.program}, machine ${manifest.parameters.machine ?? "not recorded"}, from ${name}`),
      ]),
    );

  // -------------------------------------------------------------------- times

  // A is solid, B has a pattern over the same colour.
  const ofB = (i) => `fabric-b-${i}`;
  function patterns() {
    document.body.append(
      kit.drawing(
        "svg",
        {width: 0, height: 0, style: "position: absolute", "aria-hidden": "true"},
        ...pairs.map((pair, i) => kit.pattern(ofB(i), styles.get(pair.runs[1].fabric).color, "M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4", "var(--card)")),
      ),
    );
  }

  function times() {
    const bars = pairs.flatMap((pair, i) =>
      pair.runs.map((run, k) => ({
        pair: pair.name + (isBound(run.fabric) ? " (a bound)" : ""),
        side: sides[k].id,
        makespan_s: run.makespan_s,
        fill: k ? `url(#${ofB(i)})` : styles.get(run.fabric).color,
        said: time(run.makespan_s, 5) + (k && pair.compared ? `, ${pair.compared}` : ""),
      })),
    );
    const names = [...new Set(bars.map((bar) => bar.pair))];
    const unit = kit.timeScale(d3.max(bars, (bar) => bar.makespan_s));
    const words = `Two bars for each fabric. ${bars.map((bar) => `${bar.pair}, ${bar.side}: ${bar.said}`).join("; ")}.`;
    const draw = (width) => {
      const isNarrow = width < 560;
      return Plot.plot({
        ...common(width),
        marginTop: 4,
        marginLeft: isNarrow ? 24 : labelWidth(names) + 24,
        marginRight: isNarrow ? 12 : 170,
        height: 50 + (isNarrow ? 100 : 66) * names.length,
        color: {type: "identity"},
        x: {label: `time (${unit.name})`, grid: true, ticks: width < 500 ? 3 : 6, domain: upTo(bars.map((bar) => bar.makespan_s / unit.scale))},
        fy: {label: null, domain: names, padding: 0.15, ...(isNarrow ? {axis: null} : {axis: "left"})},
        y: {label: null, domain: ["A", "B"], padding: 0},
        marks: [
          Plot.barX(bars, {fy: "pair", y: "side", x: (bar) => bar.makespan_s / unit.scale, fill: "fill", insetTop: isNarrow ? 18 : 2, insetBottom: 2}),
          Plot.text(bars, {
            fy: "pair",
            y: "side",
            textAnchor: "start",
            stroke: "var(--card)",
            strokeWidth: 4,
            fill: "currentColor",
            ...(isNarrow
              ? {frameAnchor: "left", dy: -12, text: (bar) => `${bar.pair}: ${bar.said}`}
              : {x: (bar) => bar.makespan_s / unit.scale, dx: 6, text: "said"}),
          }),
          Plot.ruleX([0]),
        ],
      });
    };
    const columns = [
      {name: "fabric", of: (pair) => pair.name},
      {name: "A", csv: "a_makespan_s", number: true, of: (pair) => pair.runs[0].makespan_s, show: (v) => time(v, 6)},
      {name: "B", csv: "b_makespan_s", number: true, of: (pair) => pair.runs[1].makespan_s, show: (v) => time(v, 6)},
      {name: "A / B", csv: "ratio", number: true, of: (pair) => (isFinite(ratioOf(pair)) ? ratioOf(pair) : null), show: (v) => v.toFixed(3)},
      {name: "idle of A", csv: "a_idle_fraction", number: true, of: (pair) => pair.runs[0].idle_fraction, show: percent},
      {name: "idle of B", csv: "b_idle_fraction", number: true, of: (pair) => pair.runs[1].idle_fraction, show: percent},
    ];
    return section(
      "time",
      "Time by fabric",
      null,
      ["The solid bar is A, the hatched one B. Shorter is better.", "The words say how fast B is, compared with A."],
      [chart(words, draw)],
      {name: "times", columns, rows: pairs},
    );
  }

  // ------------------------------------------------------------ critical paths

  function paths() {
    const found = pairs.filter(({runs}) => runs.every((run) => run.critical_path));
    if (!found.length) return null;
    const kinds = kit.pathKinds.filter(({id}) => found.some(({runs}) => runs.some((run) => run.critical_path[id] > 0)));
    const parts = found.flatMap((pair) =>
      pair.runs.flatMap((run, k) => kinds.map(({id, name, fill}) => ({pair: pair.name, side: sides[k].id, name, fill, s: run.critical_path[id]}))),
    );
    const unit = kit.timeScale(d3.max(found, ({runs}) => d3.max(runs, (run) => run.makespan_s)));
    const names = found.map((pair) => pair.name);
    const words = found
      .flatMap((pair) =>
        pair.runs.map(
          (run, k) => `${pair.name}, ${sides[k].id}: ${kinds.map(({id, name}) => `${name} ${time(run.critical_path[id])}`).join(", ")}`,
        ),
      )
      .join("; ");
    const draw = (width) =>
      Plot.plot({
        ...common(width),
        marginTop: 4,
        marginLeft: width < 560 ? 24 : labelWidth(names) + 24,
        height: 50 + (width < 560 ? 84 : 62) * names.length,
        color: {type: "identity"},
        x: {label: `time on the critical path (${unit.name})`, grid: true, ticks: width < 500 ? 3 : 6},
        fy: {label: null, domain: names, padding: 0.15, ...(width < 560 ? {axis: null} : {axis: "left"})},
        y: {label: null, domain: ["A", "B"], padding: 0},
        marks: [
          Plot.barX(
            parts,
            Plot.stackX({
              fy: "pair",
              y: "side",
              x: (p) => p.s / unit.scale,
              z: "name",
              order: kinds.map((kind) => kind.name),
              fill: "fill",
              insetTop: width < 560 ? 10 : 2,
              insetBottom: 2,
              title: (p) => `${p.pair}, ${p.side}: ${p.name} ${time(p.s)}`,
            }),
          ),
          ...(width < 560 ? [Plot.text(names, {fy: (name) => name, y: () => "A", text: (name) => name, frameAnchor: "left", textAnchor: "start", dy: -14})] : []),
          Plot.ruleX([0]),
        ],
      });
    const columns = [
      {name: "fabric", of: (p) => p.pair},
      {name: "side", of: (p) => p.side},
      {name: "kind", of: (p) => p.name},
      {name: "time", csv: "time_s", number: true, of: (p) => p.s, show: (v) => time(v)},
    ];
    return section(
      "paths",
      "What the critical paths consist of",
      null,
      ["The critical path is the chain of causes that ends with the last rank. Its parts add up to the time. A kind of time that differs between A and B is what makes the difference."],
      [legend(kinds.map(({name, fill}) => ({name, color: fill}))), chart(`The parts of the critical paths. ${words}.`, draw)],
      {name: "paths", columns, rows: parts},
    );
  }

  // -------------------------------------------------------------- what differs

  function differences() {
    const rows = comparison.settings;
    const columns = [
      {name: "", of: (row) => row.name},
      {name: "A", of: (row) => row.first},
      {name: "B", of: (row) => row.second},
    ];
    return section(
      "differs",
      "What differs",
      [
        rows.length ? `${plural(rows.length, "difference")} in what was run. All else is the same.` : "The program and all parameters are the same.",
        ...(alone.length ? [`Of the fabrics, ${alone.join(", ")}.`] : []),
      ].join(" "),
      [],
      rows.length ? [table("What differs", columns, rows), download("differences", columns, rows)] : [],
      null,
    );
  }

  // -------------------------------------------------------------------- ranks

  function ranks() {
    const found = pairs.filter(({runs}) => runs.every((run) => Array.isArray(run.ranks)));
    if (!found.length) return null;
    const MOST_BINS = 256;
    let pair = found[0];
    const curves = () =>
      pair.runs.map((run, k) => {
        const bins = Math.min(run.ranks.length, MOST_BINS);
        return d3.range(bins).map((bin) => {
          const [from, to] = [Math.floor((bin * run.ranks.length) / bins), Math.floor(((bin + 1) * run.ranks.length) / bins)];
          return {side: sides[k].id, at: (from + to - 1) / 2, s: d3.mean(run.ranks.slice(from, to), (r) => r.idle_s)};
        });
      });
    const draw = (width) => {
      const all = curves();
      const unit = kit.timeScale(d3.max(all.flat(), (p) => p.s));
      return Plot.plot({
        ...common(width),
        marginLeft: 60,
        height: 230,
        color: {type: "identity"},
        x: {label: "rank", ticks: Math.min(d3.max(all, (c) => c.length), width < 500 ? 4 : 10), tickFormat: "d", inset: 8},
        y: {label: `waiting (${unit.name})`, grid: true, ticks: 5, domain: upTo(all.flat().map((p) => p.s / unit.scale)), nice: true},
        marks: [
          ...all.map((points, k) =>
            Plot.line(points, {x: "at", y: (p) => p.s / unit.scale, stroke: styles.get(pair.runs[k].fabric).color, strokeWidth: 2, strokeDasharray: k ? "6 4" : null}),
          ),
          Plot.ruleY([0]),
        ],
      });
    };
    const figure = chart("", draw);
    const key = element("div", {});
    const update = () => {
      figure.setAttribute(
        "aria-label",
        `Waiting of each rank on ${pair.name}. ${pair.runs.map((run, k) => `${sides[k].id}: mean ${time(d3.mean(run.ranks, (r) => r.idle_s))}`).join("; ")}.`,
      );
      key.replaceChildren(
        legend(pair.runs.map((run, k) => ({name: sides[k].id, style: {...styles.get(run.fabric), dash: k ? "6 4" : "", marker: k ? "square" : "circle"}}))),
      );
      kit.refresh();
    };
    update();
    const columns = [
      {name: "fabric", of: (r) => r.fabric},
      {name: "side", of: (r) => r.side},
      {name: "rank", of: (r) => r.rank},
      {name: "ends", csv: "finish_s", of: (r) => r.finish_s, show: (v) => time(v)},
      {name: "waits", csv: "idle_s", of: (r) => r.idle_s, show: (v) => time(v)},
    ];
    return section(
      "per-rank",
      "Waiting of each rank",
      null,
      ["The solid line is A, the dashed one B. Where many ranks share a point, it is their mean."],
      [
        ...(found.length > 1
          ? [
              element(
                "div",
                {class: "switches"},
                kit.radios("rank-pair", "Fabric", found.map(({name}) => ({value: name, text: name})), pair.name, (name) => {
                  pair = found.find((one) => one.name === name);
                  update();
                }),
              ),
            ]
          : []),
        key,
        figure,
      ],
      {
        name: "ranks",
        columns,
        rows: found.flatMap(({runs}) => runs.flatMap((run, k) => run.ranks.map((r, rank) => ({fabric: run.fabric, side: sides[k].id, rank, ...r})))),
      },
    );
  }

  function build() {
    document.getElementById("subtitle").textContent = "Two results compared";
    patterns();
    document
      .getElementById("main")
      .append(...[...answer(), who(), ...(pairs.length ? [times(), paths()] : []), differences(), ...(pairs.length ? [ranks()] : [])].filter((part) => part));
  }

  kit.page(build);
})();
