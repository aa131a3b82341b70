// What the program's windows of messages reached, and which algorithm each of its collective calls had.
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
