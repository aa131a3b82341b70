// The jobs of the program: how long each takes among the others, and alone.
"use strict";
const jobSections = (runs, styles) => {
  const {time, count, percent, chart, section, legend, namedBars, upTo} = kit;
  const shown = runs.filter((run) => run.jobs?.length);
  if (!shown.length) return [];

  const SHOWN = 24;
  const names = shown[0].jobs.map((job) => job.name);
  const drawnNames = names.slice(0, SHOWN);
  const rows = shown.flatMap((run) => run.jobs.map((job) => ({...job, fabric: run.fabric})));
  const drawn = rows.filter((row) => drawnNames.includes(row.name));
  const ranAlone = rows.some((row) => row.alone_s !== undefined);
  const {queue} = shown[0];
  const color = (fabric) => styles.get(fabric).color;
  const factor = (ratio) => (ratio === undefined ? "" : `${ratio.toFixed(3)}×`);
  const saysOf = (row) =>
    `${time(row.time_s)} on ${row.fabric}${row.alone_s === undefined ? "" : `, alone ${time(row.alone_s)}`}`;
  const words = drawnNames.map((name) => `${name}: ${drawn.filter((row) => row.name === name).map(saysOf).join("; ")}`);
  const longest = (row) => Math.max(row.time_s, row.alone_s ?? 0);
  const {scale, name: unit} = kit.timeScale(d3.max(drawn, longest));
  const draw = namedBars({
    names: drawnNames,
    fabrics: shown.map((run) => run.fabric),
    rows: drawn,
    at: (row) => row.time_s / scale,
    label: `time (${unit})`,
    domain: upTo(drawn.map((row) => longest(row) / scale)),
    styles,
    title: (row) => `${row.name}: ${saysOf(row)}`,
    marks: [
      Plot.tickX(
        drawn.filter((row) => row.alone_s !== undefined),
        {fy: "name", y: "fabric", x: (row) => row.alone_s / scale, stroke: "currentColor", strokeWidth: 2},
      ),
    ],
  });
  const columns = [
    {name: "job", word: true, of: (row) => row.name},
    {name: "fabric", of: (row) => row.fabric},
    {name: "ranks", of: (row) => row.ranks, show: count},
    ...(queue
      ? [
          {name: "submitted", csv: "submitted_s", of: (row) => row.submitted_s, show: (v) => time(v)},
          {name: "waited", csv: "waited_s", of: (row) => row.waited_s, show: (v) => time(v)},
        ]
      : []),
    {name: "start", csv: "start_s", of: (row) => row.start_s, show: (v) => time(v)},
    {name: "time", csv: "time_s", of: (row) => row.time_s, show: (v) => time(v, 5)},
    ...(ranAlone
      ? [
          {name: "alone", csv: "alone_s", of: (row) => row.alone_s, show: (v) => time(v, 5)},
          {name: "slowdown", of: (row) => row.slowdown, show: factor},
        ]
      : []),
  ];
  const worst = d3.greatest(rows.filter((row) => row.slowdown !== undefined), (row) => row.slowdown);
  const answer = worst
    ? worst.slowdown < 1.0005
      ? "No job is slower than alone."
      : `${worst.name} suffers most: on ${worst.fabric} it takes ${factor(worst.slowdown)} as long as alone.`
    : null;
  return [
    section(
      "jobs",
      "Jobs",
      answer,
      [
        "A bar is the time from the start of a job to the end of its last rank, with the other jobs on the machine.",
        ...(ranAlone ? ["The mark is the time of the same job in the same places without the others."] : []),
        ...shown.filter((run) => run.queue).map((run) => `On ${run.fabric} the jobs use ${percent(run.queue.utilisation)} of ${count(run.queue.nodes)} nodes, and wait ${time(run.queue.mean_wait_s)} on average.`),
        ...(names.length > SHOWN ? [`The chart has the first ${SHOWN} of ${names.length} jobs, the table all.`] : []),
      ],
      [
        ...(shown.length > 1 ? [legend(shown.map(({fabric}) => ({name: fabric, color: color(fabric)})))] : []),
        chart(`Bars. ${words.join(". ")}.`, draw),
      ],
      {name: "jobs", columns, rows},
    ),
  ];
};
