// Where the computation goes: what was recorded of it with the trace, by rank and between call sites.
"use strict";
const burstSections = (bursts) => {
  if (!bursts) return [];
  const {time, count, percent, digits, timeScale, element, chart, section, legend, labelWidth, common, upTo, hatchings} = kit;
  const {ranks, between} = bursts;
  const SHOWN = 12;
  const NARROWEST = 6; // pixels of a column
  const WAITING = hatchings[0];
  const waited = (sum) => sum.lasted_s - sum.processor_s;
  const waiting = (sum) => (sum.lasted_s > 0 ? waited(sum) / sum.lasted_s : 0);
  const parts = [
    {name: "processor time", color: "var(--compute)", of: (sum) => sum.processor_s},
    {name: "waiting for a processor", color: WAITING, of: waited},
  ];
  const placeOf = (site) => site ?? "elsewhere";
  const nameOf = (row) => `${placeOf(row.after)} → ${placeOf(row.before)}`;

  // Ranks in columns of equal width, each with its mean.
  function columnsOf(most) {
    const columns = Math.min(ranks.length, Math.max(1, most));
    return d3.range(columns).flatMap((column) => {
      const [from, to] = [Math.floor((column * ranks.length) / columns), Math.floor(((column + 1) * ranks.length) / columns)];
      const some = ranks.slice(from, to);
      const name = to - from > 1 ? `ranks ${from} to ${to - 1}` : `rank ${from}`;
      let below = 0;
      return parts.map((part) => {
        const mean = d3.mean(some, part.of);
        below += mean;
        return {from, to, part, y1: below - mean, y2: below, title: `${name}: ${part.name} ${time(mean)}`};
      });
    });
  }

  function drawRanks(width) {
    const all = columnsOf(Math.floor((width - 80) / NARROWEST));
    const unit = timeScale(d3.max(all, (c) => c.y2));
    return Plot.plot({
      ...common(width),
      marginLeft: 60,
      height: 260,
      color: {type: "identity"},
      x: {label: "rank", domain: [-0.5, ranks.length - 0.5], ticks: Math.min(ranks.length, width < 500 ? 4 : 10), tickFormat: "d"},
      y: {label: `time of bursts (${unit.name})`, grid: true, ticks: 5, domain: upTo(all.map((c) => c.y2 / unit.scale)), nice: true},
      marks: [
        Plot.rect(all, {
          x1: (c) => c.from - 0.5,
          x2: (c) => c.to - 0.5,
          y1: (c) => c.y1 / unit.scale,
          y2: (c) => c.y2 / unit.scale,
          fill: (c) => c.part.color,
          insetLeft: width / ranks.length > 12 ? 2 : 0,
          insetRight: width / ranks.length > 12 ? 2 : 0,
          title: "title",
        }),
        Plot.ruleY([0]),
      ],
    });
  }

  function drawBetween(width) {
    const shown = between.slice(0, SHOWN);
    const names = shown.map(nameOf);
    const isNarrow = width < 560;
    const bars = shown.flatMap((row) => parts.map((part) => ({name: nameOf(row), part, s: part.of(row)})));
    const unit = timeScale(d3.max(shown, (row) => row.lasted_s));
    return Plot.plot({
      ...common(width),
      marginTop: 4,
      marginLeft: isNarrow ? 8 : Math.min(labelWidth(names), 320),
      marginRight: 56,
      height: 50 + (isNarrow ? 42 : 26) * shown.length,
      color: {type: "identity"},
      x: {label: `time of bursts, all ranks together (${unit.name})`, grid: true, ticks: width < 500 ? 3 : 6, domain: upTo(shown.map((row) => row.lasted_s / unit.scale))},
      y: {label: null, domain: names, ...(isNarrow ? {axis: null} : {})},
      marks: [
        Plot.barX(bars, {
          y: "name",
          x: (bar) => bar.s / unit.scale,
          z: (bar) => bar.part.name,
          order: parts.map((part) => part.name),
          fill: (bar) => bar.part.color,
          insetTop: isNarrow ? 20 : 3,
          insetBottom: 3,
          title: (bar) => `${bar.name}: ${bar.part.name} ${time(bar.s)}`,
        }),
        Plot.text(shown, {
          y: nameOf,
          x: (row) => row.lasted_s / unit.scale,
          dx: 6,
          dy: isNarrow ? 9 : 0,
          textAnchor: "start",
          text: (row) => percent(bursts.processor_s > 0 ? row.processor_s / bursts.processor_s : 0),
          fill: "currentColor",
        }),
        ...(isNarrow ? [Plot.text(shown, {y: nameOf, frameAnchor: "left", dy: -10, textAnchor: "start", text: nameOf, fill: "currentColor"})] : []),
      ],
    });
  }

  const numbers = [
    {name: "bursts", csv: "bursts", of: (row) => row.count, show: count},
    {name: "elapsed", csv: "lasted_s", of: (row) => row.lasted_s, show: (v) => time(v)},
    {name: "processor time", csv: "processor_s", of: (row) => row.processor_s, show: (v) => time(v)},
    {name: "waiting", csv: "waiting_share", of: waiting, show: percent},
    ...(bursts.instructions === undefined
      ? []
      : [
          {name: "instructions", csv: "instructions", of: (row) => row.instructions ?? null, show: (v) => (v === null ? "" : count(v))},
          {name: "per second", csv: "instructions_per_s", of: (row) => row.instructions_per_s ?? null, show: (v) => (v === null ? "" : `${digits(v / 1e9, 3)} · 10⁹`)},
        ]),
  ];
  const rate = bursts.instructions_per_s ? ` They executed ${digits(bursts.instructions_per_s / 1e9, 3)} · 10⁹ instructions per second of processor time.` : "";
  const worst = waiting(bursts) > 0 ? ` Rank ${bursts.worst_rank} waited most: ${percent(bursts.worst_waiting_fraction)} of its time.` : "";
  const says = `When the trace was recorded, ranks had a processor for ${percent(1 - waiting(bursts))} of the time of their computation.${worst}${rate}`;
  const keys = legend(parts);
  const byRank = ranks
    ? section(
        "bursts",
        "Where the computation goes, by rank",
        says,
        [
          "A burst is the computation between two calls. A column is how long the bursts of a rank lasted when the trace was recorded, and which part of that time the rank had a processor.",
          "A rank that waited shared its processor, slept, or waited for files. A replay computes for the processor time alone, as if each rank had a processor of its own.",
        ],
        [keys, chart(`Columns of ${ranks.length} ranks. ${says}`, drawRanks)],
        {name: "bursts-by-rank", columns: [{name: "rank", of: (row) => row.rank}, ...numbers], rows: ranks.map((row, rank) => ({...row, rank}))},
      )
    : section(
        "bursts",
        "Where the computation goes",
        says,
        ["A replay computes for the processor time alone, as if each rank had a processor of its own."],
        [],
        {name: "bursts", columns: numbers, rows: [bursts]},
      );
  if (!between) return [byRank];
  const words = between.slice(0, SHOWN).map((row) => `${nameOf(row)} ${time(row.processor_s)}`);
  return [
    byRank,
    section(
      "bursts-between",
      "Where in the source the computation goes",
      null,
      [
        "A bar is the computation from a call at one line of the source to the next call, at another or the same line: over all ranks, when the trace was recorded. The number is its part of all processor time.",
        "The beginning and the end of the program, and calls whose place is not known, are elsewhere.",
        ...(between.length > SHOWN ? [`The chart has ${SHOWN} of ${between.length} places, the table all.`] : []),
      ],
      [legend(parts), chart(`Bars. ${words.join("; ")}.`, drawBetween)],
      {
        name: "bursts-between",
        columns: [
          {name: "after", word: true, of: (row) => placeOf(row.after)},
          {name: "before", word: true, of: (row) => placeOf(row.before)},
          ...numbers,
        ],
        rows: between,
      },
    ),
  ];
};
