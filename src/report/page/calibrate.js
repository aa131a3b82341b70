// The program of the page of a calibration: times of messages by size beside the lines that were fitted to them, and what
// else was measured.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("results").textContent);
  const {digits, count, plural, time, size, binary, element, chart, section, listSection, guardsSection, palette, common, legend, timeScale, table} = kit;
  const NS = 1e-9;
  const LINE_POINTS = 160;
  const PLACES = {between: "Between two nodes", within: "Within a node"};
  const KINDS = {
    send: {name: "MPI_Send", color: palette[0]},
    receive: {name: "MPI_Recv of what has arrived", color: palette[1]},
    gap: {name: "gap between messages of a window", color: palette[2]},
  };
  const places = Object.keys(PLACES).filter((place) => data[place]);
  const interval = ({low, high}, show) => `${show(low)} to ${show(high)}`;
  const ns = (value) => time(value * NS);
  const rate = (value) => `${size(value)}/s`;
  const withInterval = (value, show) => [element("strong", {}, show(value.value)), ` (${interval(value, show)})`];

  // --------------------------------------------------------- the answer first

  function tells(place) {
    const messages = data[place];
    return element(
      "p",
      {},
      `${PLACES[place]}: a message of no bytes takes `,
      ...withInterval(messages.latency_ns, ns),
      ...(messages.bytes_per_s ? ["; large ones move at ", ...withInterval(messages.bytes_per_s, rate)] : []),
      ".",
    );
  }

  function answer() {
    const failed = data.guards.filter((guard) => !guard.passed);
    return element(
      "div",
      {class: "answer", id: "answer"},
      ...(data.sound ? [] : [element("p", {class: "notice failed", role: "alert"}, `Not sound: ${failed.map((guard) => `${guard.name}: ${guard.reason}`).join("; ")}.`)]),
      ...places.map(tells),
      element("p", {class: "says"}, "In brackets are 95 % intervals."),
    );
  }

  // -------------------------------------------------------- lines and medians

  const pieceAt = (messages, bytes) => messages.pieces.find((piece) => bytes <= piece.to_bytes) ?? messages.pieces.at(-1);
  const fitted = (messages, bytes) => {
    const piece = pieceAt(messages, bytes);
    return piece.at_zero_ns.value + piece.ns_per_byte.value * bytes;
  };
  // What the parameters of the machine say: one latency, one rate, and the control messages of a rendezvous.
  const machine = (messages, bytes) =>
    messages.latency_ns.value + (bytes * 1e9) / messages.bytes_per_s.value + (bytes > (messages.eager_bytes ?? Infinity) ? messages.handshake_ns : 0);

  // The axis is logarithmic, and 0 stands one step before the smallest size.
  const axisOf = (sizes) => {
    const least = d3.min(sizes, (s) => s.bytes || Infinity);
    const zero = least / 4;
    return {at: (bytes) => bytes || zero, domain: [sizes[0].bytes ? least : zero, d3.max(sizes, (s) => s.bytes)], name: (at) => (at <= zero ? "0 B" : binary(at))};
  };
  const ticksOf = ([low, high], width) => {
    const powers = d3.range(0, 41, width < 500 ? 8 : 4).map((k) => 2 ** k);
    return powers.filter((p) => p >= low && p <= high);
  };

  function lineOf(messages, axis, what) {
    const [low, high] = axis.domain.map(Math.log2);
    return d3.range(LINE_POINTS).map((i) => {
      const bytes = 2 ** (low + ((high - low) * i) / (LINE_POINTS - 1));
      return {bytes, ns: what(messages, bytes)};
    });
  }

  // One line for each piece, as the pieces do not meet.
  const piecesOf = (messages, axis) =>
    messages.pieces.map((piece) =>
      [Math.max(piece.from_bytes, axis.domain[0]), piece.to_bytes].flatMap((from, i, ends) =>
        i ? [] : d3.range(41).map((k) => from * (ends[1] / from) ** (k / 40)),
      ).map((bytes) => ({bytes, ns: piece.at_zero_ns.value + piece.ns_per_byte.value * bytes})),
    );

  function timesChart(place, messages) {
    const axis = axisOf(messages.sizes);
    const has_machine = Boolean(messages.bytes_per_s);
    const y = timeScale(d3.max(messages.sizes, (s) => s.half_ns.value) * NS);
    const up = (value) => (value * NS) / y.scale;
    const words = `Half a round trip by size: ${messages.sizes.map((s) => `${binary(s.bytes)} ${ns(s.half_ns.value)}`).join(", ")}.`;
    return chart(words, (width) =>
      Plot.plot({
        ...common(width),
        height: 360,
        marginLeft: 64,
        x: {type: "log", base: 2, label: "size of the message", domain: axis.domain, ticks: ticksOf(axis.domain, width), tickFormat: binary, grid: true},
        y: {type: "log", label: `half a round trip, ${y.name}`, grid: true, tickFormat: (v) => digits(v, 3), ticks: 5},
        marks: [
          ...(has_machine ? [Plot.line(lineOf(messages, axis, machine), {x: "bytes", y: (p) => up(p.ns), stroke: palette[1], strokeDasharray: "6,4", strokeWidth: 1.5})] : []),
          ...piecesOf(messages, axis).map((piece) => Plot.line(piece, {x: "bytes", y: (p) => up(p.ns), stroke: palette[0], strokeWidth: 2})),
          Plot.ruleX(messages.sizes, {x: (s) => axis.at(s.bytes), y1: (s) => up(s.half_ns.low), y2: (s) => up(s.half_ns.high), stroke: "var(--ink)", strokeWidth: 1.2}),
          Plot.dot(messages.sizes, {
            x: (s) => axis.at(s.bytes),
            y: (s) => up(s.half_ns.value),
            r: 3,
            fill: "var(--ink)",
            title: (s) => `${binary(s.bytes)}: ${ns(s.half_ns.value)} (${interval(s.half_ns, ns)})`,
          }),
          ...(messages.eager_bytes ? [Plot.ruleX([messages.eager_bytes], {stroke: palette[3], strokeDasharray: "2,3"})] : []),
        ],
      }),
    );
  }

  function differenceChart(messages) {
    const axis = axisOf(messages.sizes);
    const rows = messages.sizes.map((s) => ({
      bytes: s.bytes,
      fit: (100 * (fitted(messages, s.bytes) - s.half_ns.value)) / s.half_ns.value,
      machine: messages.bytes_per_s ? (100 * (machine(messages, s.bytes) - s.half_ns.value)) / s.half_ns.value : null,
    }));
    const words = `How far the lines are from the medians: ${rows.map((r) => `${binary(r.bytes)} ${digits(r.fit, 2)} %${r.machine === null ? "" : `, machine ${digits(r.machine, 2)} %`}`).join("; ")}.`;
    return chart(words, (width) =>
      Plot.plot({
        ...common(width),
        height: 200,
        marginLeft: 64,
        x: {type: "log", base: 2, label: "size of the message", domain: axis.domain, ticks: ticksOf(axis.domain, width), tickFormat: binary, grid: true},
        y: {label: "line minus median, %", grid: true, ticks: 5},
        marks: [
          Plot.ruleY([0]),
          ...(rows[0].machine === null ? [] : [Plot.line(rows, {x: (r) => axis.at(r.bytes), y: "machine", stroke: palette[1], strokeDasharray: "6,4", marker: "dot"})]),
          Plot.line(rows, {x: (r) => axis.at(r.bytes), y: "fit", stroke: palette[0], marker: "dot"}),
        ],
      }),
    );
  }

  function placeSection(place) {
    const messages = data[place];
    const eager = messages.eager_bytes;
    return section(
      `times-${place}`,
      PLACES[place],
      `${plural(messages.sizes.length, "size")}, ${plural(messages.pieces.length, "straight line")}.`,
      [
        "Each dot is the median of half a round trip, with its 95 % interval.",
        "The solid lines are those that were fitted, one for each range of sizes.",
        messages.bytes_per_s ? "The dashed line is the machine as fabrics use it: one latency and one rate." : "",
        eager ? `The vertical line is the largest message that ends without a receive, ${binary(eager)}.` : "",
      ].filter(Boolean),
      [
        legend([{name: "fitted", color: palette[0]}, ...(messages.bytes_per_s ? [{name: "the machine", color: palette[1]}] : []), ...(eager ? [{name: "eager up to here", color: palette[3]}] : [])]),
        timesChart(place, messages),
        differenceChart(messages),
      ],
      {
        name: `times-${place}`,
        columns: [
          {name: "bytes", of: (s) => s.bytes},
          {name: "median_ns", of: (s) => s.half_ns.value},
          {name: "low_ns", of: (s) => s.half_ns.low},
          {name: "high_ns", of: (s) => s.half_ns.high},
          {name: "fitted_ns", of: (s) => fitted(messages, s.bytes)},
          ...(messages.bytes_per_s ? [{name: "machine_ns", of: (s) => machine(messages, s.bytes)}] : []),
        ],
        rows: messages.sizes,
      },
    );
  }

  // ------------------------------------------------------------ ends and gaps

  const seriesOf = (place, kinds) => data.series.filter((s) => s.place === place && kinds.includes(s.kind));
  const seriesTable = (name, rows) => ({
    name,
    columns: [
      {name: "kind", of: (s) => s.kind},
      {name: "place", of: (s) => s.place},
      {name: "at_once", of: (s) => s.at_once},
      {name: "bytes", of: (s) => s.bytes},
      {name: "samples", of: (s) => s.samples},
      {name: "median_ns", of: (s) => s.ns.value},
      {name: "low_ns", of: (s) => s.ns.low},
      {name: "high_ns", of: (s) => s.ns.high},
    ],
    rows,
  });

  function endsSection(place) {
    const rows = seriesOf(place, Object.keys(KINDS));
    const kinds = Object.keys(KINDS).filter((kind) => rows.some((s) => s.kind === kind));
    const axis = axisOf(d3.sort(rows, (s) => s.bytes));
    const y = timeScale(d3.max(rows, (s) => s.ns.value) * NS);
    const up = (value) => (value * NS) / y.scale;
    const words = rows.map((s) => `${KINDS[s.kind].name} of ${binary(s.bytes)}: ${ns(s.ns.value)}`).join("; ");
    return section(
      `ends-${place}`,
      `${PLACES[place]}: what the ends take`,
      "The time of the calls, and the time from one message to the next.",
      ["Each dot is a median with its 95 % interval. A core is busy so long for a message, whatever the network does.", "From the eager threshold on MPI_Send waits for the receiver."],
      [
        legend(kinds.map((kind) => KINDS[kind])),
        chart(`${words}.`, (width) =>
          Plot.plot({
            ...common(width),
            height: 280,
            marginLeft: 64,
            x: {type: "log", base: 2, label: "size of the message", domain: axis.domain, ticks: ticksOf(axis.domain, width), tickFormat: binary, grid: true},
            y: {label: `time, ${y.name}`, zero: true, grid: true, tickFormat: (v) => digits(v, 3), ticks: 5},
            marks: kinds.flatMap((kind) => {
              const shown = d3.sort(rows.filter((s) => s.kind === kind), (s) => s.bytes);
              return [
                Plot.line(shown, {x: (s) => axis.at(s.bytes), y: (s) => up(s.ns.value), stroke: KINDS[kind].color}),
                Plot.ruleX(shown, {x: (s) => axis.at(s.bytes), y1: (s) => up(s.ns.low), y2: (s) => up(s.ns.high), stroke: KINDS[kind].color}),
                Plot.dot(shown, {x: (s) => axis.at(s.bytes), y: (s) => up(s.ns.value), r: 3, fill: KINDS[kind].color, title: (s) => `${KINDS[kind].name}, ${binary(s.bytes)}: ${ns(s.ns.value)} (${interval(s.ns, ns)})`}),
              ];
            }),
          }),
        ),
      ],
      seriesTable(`ends-${place}`, rows),
    );
  }

  // ---------------------------------------------------------- several at once

  // A row for each quantity: its rate with each number of ranks or pairs, as a share of that of one alone. The names of
  // quantities tell them apart: sizes have rates of their own.
  const SHARED = {
    stream: (s) => `messages of ${binary(s.bytes)} ${s.place === "between" ? "between nodes" : "within a node"}`,
    copy: (s) => `copies of ${binary(s.bytes)} in memory`,
    compute: (s) => `computation on ${binary(s.bytes)}`,
  };
  function atOnceSection() {
    const kinds = Object.keys(SHARED);
    const rows = d3
      .sort(data.series.filter((s) => SHARED[s.kind]), (s) => kinds.indexOf(s.kind), (s) => s.place, (s) => s.bytes, (s) => s.at_once)
      .map((s) => ({...s, name: SHARED[s.kind](s)}))
      .map((s, _, all) => ({...s, share: all.find((one) => one.name === s.name && one.at_once === 1)?.ns.value / s.ns.value}))
      .filter((s) => s.share && s.at_once > 1);
    if (!rows.length) return null;
    const names = rows.map((s) => `${s.name}, ${s.at_once} at once`);
    const words = rows.map((s, i) => `${names[i]}: ${digits(100 * s.share, 3)} %`).join("; ");
    return section(
      "at-once",
      "Several at once",
      "The rate of each pair or rank while others do the same, as a share of its rate alone.",
      ["At 100 % the others do not matter. Below, they share something: the network, the memory, or the processors."],
      [
        chart(`${words}.`, (width) => {
          const isNarrow = width < 560;
          return Plot.plot({
            ...common(width),
            marginLeft: isNarrow ? 8 : kit.labelWidth(names),
            marginRight: 56,
            height: 60 + (isNarrow ? 46 : 30) * rows.length,
            x: {label: "share of the rate alone, %", domain: [0, Math.max(100, 100 * d3.max(rows, (s) => s.share))], grid: true, ticks: 5},
            y: {label: null, domain: names, ...(isNarrow ? {axis: null} : {})},
            marks: [
              Plot.barX(rows, {y: (_, i) => names[i], x: (s) => 100 * s.share, fill: palette[0], insetTop: isNarrow ? 20 : 4, insetBottom: 4}),
              Plot.text(rows, {y: (_, i) => names[i], x: (s) => 100 * s.share, dx: 6, dy: isNarrow ? 8 : 0, textAnchor: "start", text: (s) => `${digits(100 * s.share, 3)} %`, fill: "currentColor"}),
              ...(isNarrow ? [Plot.text(rows, {y: (_, i) => names[i], frameAnchor: "left", dy: -12, textAnchor: "start", text: (_, i) => names[i], fill: "currentColor"})] : []),
              Plot.ruleX([100], {strokeDasharray: "4,3"}),
            ],
          });
        }),
      ],
      seriesTable("at-once", rows),
    );
  }

  // ------------------------------------------------------------- collectives

  // A bar for each range of sizes in which the MPI sends the same messages as one of our algorithms, for each collective.
  const AS_TUNING = {name: "all as mpi.tuning says", color: palette[2]};
  const OTHERWISE = {name: "some otherwise", color: palette[1]};
  const NO_FIT = {name: "none of our algorithms", color: palette[7]};
  const algorithmOf = (range) => (range.algorithms.length ? range.algorithms.join(" or ") : NO_FIT.name);
  function choicesChart(rows, words) {
    const names = [...new Set(rows.map((row) => row.name))];
    const low = d3.min(rows, (row) => row.from_bytes || Infinity);
    const high = 2 * d3.max(rows, (row) => row.to_bytes);
    const shown = rows.filter((row) => row.to_bytes);
    const begin = (row) => row.from_bytes || low;
    const end = (row) => Math.max(row.to_bytes, 1.4 * begin(row));
    return chart(words, (width) => {
      const is_narrow = width < 560;
      const left = is_narrow ? 8 : kit.labelWidth(names);
      const room = (row) => ((width - left - 24) * Math.log2(end(row) / begin(row))) / Math.log2(high / low);
      const label = (row) => (row.algorithms.length ? row.algorithms[0] + (row.algorithms.length > 1 ? " or ..." : "") : "");
      return Plot.plot({
        ...common(width),
        marginLeft: left,
        marginRight: 24,
        height: 60 + (is_narrow ? 46 : 26) * names.length,
        x: {type: "log", base: 2, label: "size of the message", domain: [low, high], ticks: ticksOf([low, high], width), tickFormat: binary, grid: true},
        y: {label: null, domain: names, ...(is_narrow ? {axis: null} : {})},
        marks: [
          Plot.barX(shown, {
            y: "name",
            x1: begin,
            x2: end,
            fill: (row) => row.color,
            fillOpacity: 0.35,
            stroke: "var(--ink)",
            strokeWidth: 0.6,
            insetTop: is_narrow ? 20 : 3,
            insetBottom: 3,
            title: (row) => `${row.name}, ${binary(row.from_bytes)} to ${binary(row.to_bytes)}: ${algorithmOf(row)}`,
          }),
          Plot.text(shown.filter((row) => room(row) > 8 * label(row).length), {y: "name", x: begin, dx: 6, dy: is_narrow ? 8 : 0, textAnchor: "start", text: label, fill: "currentColor"}),
          ...(is_narrow ? [Plot.text(names, {y: (name) => name, frameAnchor: "left", dy: -13, textAnchor: "start", text: (name) => name, fill: "currentColor"})] : []),
        ],
      });
    });
  }

  function choicesSection() {
    const calls = data.choices ?? [];
    if (!calls.length) return null;
    const nameOf = (call) => `${call.collective}${call.block ? "_block" : ""}, ${call.ranks}`;
    const rows = calls.flatMap((call) =>
      call.ranges.map((range) => ({
        ...range,
        ranks: call.ranks,
        name: nameOf(call),
        color: (range.algorithms.length ? (call.as_tuning === call.sizes ? AS_TUNING : OTHERWISE) : NO_FIT).color,
      })),
    );
    const most = d3.max(calls, (call) => call.ranks);
    const drawn = rows.filter((row) => row.ranks === most);
    const agree = d3.sum(calls, (call) => call.as_tuning);
    const all = d3.sum(calls, (call) => call.sizes);
    const columns = [
      {name: "collective, ranks", of: (row) => row.name},
      {name: "from", number: true, of: (row) => binary(row.from_bytes)},
      {name: "to", number: true, of: (row) => binary(row.to_bytes)},
      {name: "sends the messages of", prose: true, of: algorithmOf},
    ];
    return section(
      "choices",
      "Which algorithms the collectives are",
      `${count(agree)} of ${count(all)} calls, by collective and size, send what mpi.tuning says.`,
      [
        `The messages of each pair of ranks were counted below the MPI; the chart is of ${plural(most, "rank")}.`,
        "A bar is a range of sizes in which the MPI sends the same messages as an algorithm of Heliograph. Where several send the same, counting cannot tell them apart.",
      ],
      [
        legend([AS_TUNING, OTHERWISE, ...(rows.some((row) => !row.algorithms.length) ? [NO_FIT] : [])]),
        choicesChart(drawn, `${drawn.map((row) => `${row.name}, ${binary(row.from_bytes)} to ${binary(row.to_bytes)}: ${algorithmOf(row)}`).join("; ")}.`),
        table("Which algorithms the collectives are", columns, drawn),
      ],
      {
        name: "choices",
        columns: [
          {name: "collective", of: (row) => row.name},
          {name: "from_bytes", of: (row) => row.from_bytes},
          {name: "to_bytes", of: (row) => row.to_bytes},
          {name: "algorithms", of: (row) => row.algorithms.join(" ")},
        ],
        rows,
      },
    );
  }

  // ----------------------------------------------------- parameters and guards

  function build() {
    document.getElementById("subtitle").textContent = `${data.library || data.mpi}, ${plural(data.nodes, "node")}, ${plural(data.ranks, "rank")}; calibrated by Heliograph ${data.version}`;
    const main = document.getElementById("main");
    main.append(answer(), ...places.map(placeSection));
    main.append(...places.filter((place) => seriesOf(place, Object.keys(KINDS)).length).map(endsSection));
    const together = atOnceSection();
    if (together) main.append(together);
    const choices = choicesSection();
    if (choices) main.append(choices);
    main.append(
      listSection(
        "parameters",
        "The machine file",
        `${count(Object.keys(data.parameters).length)} parameters.`,
        [
          {name: "parameter", of: ([name]) => name},
          {name: "value", of: ([, value]) => value},
        ],
        Object.entries(data.parameters),
      ),
      guardsSection("A guard that fails says that the measurement is not one of this machine alone.", data.guards),
    );
  }

  kit.page(build);
})();
