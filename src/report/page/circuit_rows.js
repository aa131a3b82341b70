// What ports or links do over time: a row for each of them, and its duty cycle.
//
// A row is {name, bars, setups, carrying, changing}: the circuits that it carries, those before which it is set up, and
// how long it does either.
"use strict";
const circuitRows = (data, colorOf) => {
  const {count, percent, time, chart, palette, common, upTo} = kit;
  const delta = data.switching_s;
  const {scale: timeUnit, name: timeName} = kit.timeScale(data.until_s || 1);

  // Rows of these names, from pieces that name those they carry on (`on`) and those that are set up (`setup`).
  function rowsOf(pieces, on, setup, nameOf) {
    const rows = new Map();
    const row = (key) => {
      if (!rows.has(key)) rows.set(key, {key, name: nameOf(key), bars: [], setups: []});
      return rows.get(key);
    };
    for (const piece of pieces) {
      for (const key of on(piece)) row(key).bars.push(piece);
      for (const key of setup(piece)) row(key).setups.push(piece);
    }
    for (const one of rows.values()) {
      one.carrying = d3.sum(one.bars, (p) => Math.min(p.end, data.until_s) - p.start);
      one.changing = one.setups.length * delta;
    }
    return [...rows.values()];
  }

  // The rows over time, those of more than `most` left out. shown: the rows in their order; labels(row): the axis.
  function timeline(label, shown, all, labels) {
    const at = new Map(shown.map((row, i) => [row, i]));
    const boxes = (of) => shown.flatMap((row) => row[of].map((piece) => ({row: at.get(row), piece})));
    const bars = boxes("bars");
    const setups = delta ? boxes("setups") : [];
    const inset = shown.length > 100 ? 0 : 0.5;
    const middles = d3.range(0, shown.length, Math.max(1, d3.tickStep(0, shown.length, 16))).map((row) => row + 0.5);
    return chart(
      `${label}s: ${count(bars.length)} circuits on ${count(shown.length)} of ${count(all)} with bytes.`,
      (width) =>
        Plot.plot({
          ...common(width),
          height: 64 + Math.max(3, Math.min(16, 800 / shown.length)) * shown.length,
          marginLeft: labels ? 44 : 16,
          color: {type: "identity"},
          x: {label: `time in ${timeName}`, domain: [0, data.until_s / timeUnit], ticks: width < 500 ? 5 : 10},
          y: {
            label,
            domain: [0, shown.length],
            reverse: true,
            ...(labels ? {ticks: middles, tickFormat: (i) => labels(shown[Math.floor(i)])} : {axis: null}),
          },
          marks: [
            Plot.frame({stroke: "var(--line)"}),
            Plot.rect(setups, {
              x1: ({piece}) => (piece.start - delta) / timeUnit,
              x2: ({piece}) => piece.start / timeUnit,
              y1: "row",
              y2: ({row}) => row + 1,
              fill: "var(--compute)",
              insetTop: inset,
              insetBottom: inset,
            }),
            Plot.rect(bars, {
              x1: ({piece}) => piece.start / timeUnit,
              x2: ({piece}) => Math.min(piece.end, data.until_s) / timeUnit,
              y1: "row",
              y2: ({row}) => row + 1,
              fill: ({piece, row}) => colorOf(piece, shown[row]),
              fillOpacity: ({piece}) => (piece.via === undefined ? 1 : 0.55),
              insetTop: inset,
              insetBottom: inset,
              title: ({piece, row}) => `${shown[row].name}: ${piece.says}, ${time(piece.start, 6)} to ${time(piece.end, 6)}`,
            }),
          ],
        }),
    );
  }

  // Which part of the makespan each row carries and is set up, the busiest first.
  function duty(label, rows) {
    const share = (s) => (100 * s) / data.until_s;
    const sorted = d3.sort(rows, (a, b) => b.carrying - a.carrying || b.changing - a.changing);
    const boxes = sorted.map((row, i) => ({row, i, carrying: share(row.carrying), busy: share(row.carrying + row.changing)}));
    const mean = d3.mean(rows, (row) => row.carrying) / data.until_s;
    const title = ({row}) =>
      `${row.name}: ${percent(row.carrying / data.until_s)} carrying, ${percent(row.changing / data.until_s)} set-ups`;
    return chart(
      `The duty cycle of ${count(rows.length)} ${label}s: the busiest carries ${percent(sorted[0].carrying / data.until_s)} of the time, the least busy ${percent(sorted.at(-1).carrying / data.until_s)}, and ${percent(mean)} on average.`,
      (width) =>
        Plot.plot({
          ...common(width),
          height: 190,
          marginLeft: 50,
          x: {label: `${label}s, the busiest first`, domain: [0, sorted.length], tickFormat: "d", ticks: Math.min(sorted.length, width < 500 ? 6 : 12)},
          y: {label: "% of the time", grid: true, ticks: 4, domain: upTo([100])},
          marks: [
            Plot.rect(boxes, {x1: "i", x2: ({i}) => i + 1, y1: 0, y2: "carrying", fill: palette[0], insetLeft: kit.gap(boxes.length, width), title}),
            Plot.rect(boxes, {x1: "i", x2: ({i}) => i + 1, y1: "carrying", y2: "busy", fill: "var(--compute)", insetLeft: kit.gap(boxes.length, width), title}),
            Plot.ruleY([0]),
          ],
        }),
    );
  }

  return {timeUnit, timeName, rowsOf, timeline, duty};
};
