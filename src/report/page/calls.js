// What the program's windows of messages reached, the dimensions of a training step, and which algorithm each collective
// call had.
"use strict";
const rateSections = (runs) => {
  const {digits, size, listSection} = kit;
  const shown = runs.filter((run) => run.bandwidth_bytes_per_s !== undefined);
  if (!shown.length) return [];
  return [
    listSection(
      "rates",
      "Bandwidth and messages per second",
      "What the windows of messages reach, without the answers to them.",
      [
        {name: "fabric", of: (run) => run.fabric},
        {name: "bandwidth", csv: "bandwidth_bytes_per_s", of: (run) => run.bandwidth_bytes_per_s, show: (v) => `${size(v)}/s`},
        {name: "messages per second", csv: "message_rate_per_s", of: (run) => run.message_rate_per_s, show: (v) => digits(v, 5)},
      ],
      shown,
    ),
  ];
};

const dimensionSections = (runs) => {
  const {time, size, count, percent, listSection, rankCount} = kit;
  const rows = runs.flatMap((run) =>
    (run.dimensions ?? [])
      .filter(({messages}) => messages > 0)
      .map((dimension) => ({
        ...dimension,
        fabric: run.fabric,
        mean_s: dimension.idle_s / rankCount(run),
        path_share: run.makespan_s > 0 && dimension.critical_path_s !== undefined ? dimension.critical_path_s / run.makespan_s : null,
      })),
  );
  if (!rows.length) return [];
  return [
    listSection(
      "dimensions",
      "Dimensions of parallelism",
      "The messages of each dimension, and how long a rank waits for them on average.",
      [
        {name: "dimension", of: (row) => row.name},
        {name: "fabric", of: (row) => row.fabric},
        {name: "messages", of: (row) => row.messages, show: count},
        {name: "bytes", of: (row) => row.bytes, show: (v) => size(v)},
        {name: "waiting of a rank", csv: "mean_idle_s", of: (row) => row.mean_s, show: (v) => time(v)},
        ...(rows.some((row) => row.path_share !== null) ? [{name: "of the path", csv: "path_share", of: (row) => row.path_share, show: percent}] : []),
      ],
      d3.sort(rows, (row) => rows.findIndex(({name}) => name === row.name)),
    ),
  ];
};

// The algorithms are the same on all fabrics.
const collectiveSections = (runs) => {
  const {binary, count, listSection} = kit;
  const calls = runs.find((run) => run.collectives?.length)?.collectives;
  if (!calls) return [];
  const bytes = (v) => (v === 0 ? "0 B" : binary(v));
  return [
    listSection(
      "collectives",
      "Algorithms of collective calls",
      "Which algorithm each call had, by the ranks of its communicator and its bytes.",
      [
        {name: "collective", csv: "operation", of: (call) => call.operation},
        {name: "algorithm", of: (call) => call.algorithm},
        {name: "ranks", of: (call) => call.ranks, show: count},
        {name: "from", csv: "from_bytes", number: true, of: (call) => call.from_bytes ?? null, show: bytes},
        {name: "to", csv: "to_bytes", number: true, of: (call) => call.to_bytes ?? null, show: bytes},
        {name: "calls", of: (call) => call.calls, show: count},
      ],
      calls,
    ),
  ];
};
