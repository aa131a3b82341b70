// The program of the page of circuits with a price for switching: what each port or link does when, which circuits are up
// at a time and what they have carried, and the makespan over the switching time.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("results").textContent);
  const {digits, percent, count, plural, time, bits, element, chart, section, palette, common, legend} = kit;
  const PORTS_SHOWN = 64; // if there are more, the busiest
  const LINKS_SHOWN = 256;
  const BARS_SHOWN = 10000; // of all links; a browser takes long for more
  const ROWS_LISTED = 4096;
  const isCurve = Boolean(data.curve);
  const isNetwork = Boolean(data.topology);
  const isPlanes = data.planes > 1; // copies of the topology; links of plane p are numbered behind those of the planes before

  // ------------------------------------------------------------ the circuits

  // `last` are the pieces that bring an entry to its receiver, `first` those to a port in between, `second` those from it.
  const entries = (data.entries ?? []).map(([source, destination, bytes], i) => ({i, source, destination, bytes, first: [], second: [], last: []}));
  const pieces = (data.pieces ?? []).map(([place, index, start, end, via, isSecond], i) => {
    const entry = entries[index];
    const plane = data.piece_planes?.[i] ?? 0;
    const links = isNetwork ? data.paths[place].map((link) => link + plane * data.links.length) : [];
    const piece = {place, plane, entry, start, end, via, isSecond, links};
    piece.source = isSecond ? via : entry.source;
    piece.destination = via === undefined || isSecond ? entry.destination : via;
    (via === undefined ? entry.last : isSecond ? entry.second : entry.first).push(piece);
    if (isSecond) entry.last.push(piece);
    return piece;
  });
  // Up to when the page shows what is carried: to the end, unless circuits are left out.
  data.until_s = data.pieces_left_out ? pieces.at(-1).start : data.makespan_s;
  for (const entry of entries) entry.total = d3.sum(entry.last, (p) => p.end - p.start);

  const name = (c) => `${c.source} → ${c.destination}`;
  const onSwitch = (p) => (data.switches > 1 ? ` on switch ${p.place}` : isPlanes ? ` in plane ${p.plane}` : "");
  const linkName = (link) => data.links[link % data.links.length];
  const inPlane = (link) => (isPlanes ? `, plane ${Math.floor(link / data.links.length)}` : "");
  const carries = (p) => (p.via === undefined ? "" : ` with bytes of ${name(p.entry)}`);
  for (const piece of pieces) piece.says = `${name(piece)}${onSwitch(piece)}${carries(piece)}`;
  const partly = data.pieces_left_out ? ` The first ${count(pieces.length)} circuits of ${count(pieces.length + data.pieces_left_out)}.` : "";

  // What is set up before a piece. A port: unless the circuit before it on both ports is the same one. A link: unless it
  // stays connected to the links before and behind it, which is so if both had the same piece last.
  const sender = (p) => `s${p.place},${p.source}`;
  const receiver = (p) => `r${p.place},${p.destination}`;
  const last = new Map();
  for (const piece of pieces) {
    if (isNetwork) {
      const {links} = piece;
      const isNew = (i) => i > 0 && i < links.length && (!last.has(links[i]) || last.get(links[i - 1]) !== last.get(links[i]));
      piece.setups = links.filter((_, i) => isNew(i) || isNew(i + 1));
      for (const link of links) last.set(link, piece);
    } else {
      const circuit = `${piece.source},${piece.destination}`;
      const ends = [sender(piece), receiver(piece)];
      piece.setups = ends.every((end) => last.get(end) === circuit) ? [] : ends;
      for (const end of ends) last.set(end, circuit);
    }
  }

  // Entries of a topology get colours in the order in which they begin, each the one that fewest of those that are up have.
  function paintEntries() {
    let up = [];
    for (const piece of pieces) {
      up = up.filter((p) => p.end > piece.start);
      const users = palette.map((_, i) => up.filter((p) => p.entry.color === i).length);
      piece.entry.color ??= d3.leastIndex(users, (a, b) => a - b);
      up.push(piece);
    }
  }
  if (isNetwork) paintEntries();

  // Circuits of a topology have the colour of their entry; those of ports, that of the port at the other end.
  const colorOf = (piece, row) =>
    palette[(isNetwork ? piece.entry.color : row.isReceiver ? piece.source : piece.destination) % palette.length];
  const rows = circuitRows(data, colorOf);
  const used = isNetwork
    ? rows.rowsOf(pieces, (p) => p.links, (p) => p.setups, (link) => `${linkName(link)}${inPlane(link)}`)
    : rows.rowsOf(pieces, (p) => [sender(p), receiver(p)], (p) => p.setups, (key) => key);
  for (const row of isNetwork || isCurve ? [] : used) {
    const [crossbar, port] = row.key.slice(1).split(",").map(Number);
    const isReceiver = row.key[0] === "r";
    Object.assign(row, {crossbar, port, isReceiver, name: `${isReceiver ? "receiver" : "sender"} ${port}${data.switches > 1 ? `, switch ${crossbar}` : ""}`});
  }

  // --------------------------------------------------------- the answer first

  const network = isPlanes ? `${count(data.planes)} planes of ${data.topology}` : data.topology;

  function answer() {
    const on = isNetwork ? `on the optical switches of ${network}` : "on optical switches";
    if (isCurve)
      return element("p", {class: "answer", id: "answer"}, `How long the bytes of ${data.demand} take ${on}, by their switching time.`);
    const above = data.makespan_s / data.lower_bound_s - 1;
    const where = isNetwork ? on : `on ${data.switches === 1 ? "an optical switch" : `${count(data.switches)} optical switches`}`;
    return element(
      "p",
      {class: "answer", id: "answer"},
      `The bytes of ${data.demand} take `,
      element("strong", {}, time(data.makespan_s, 6)),
      ` ${where} with circuits of ${bits(data.rate_bytes_per_s)} and a switching time of ${time(data.switching_s)}`,
      data.hops > 1 ? `, direct or over a ${isNetwork ? "node" : "port"} in between` : "",
      data.optimal
        ? ". This is proven optimal: no schedule is shorter."
        : `. The lower bound is ${time(data.lower_bound_s, 6)}; the schedule is ${percent(above)} above it.`,
      data.advice ? ` Note: ${data.advice}.` : "",
    );
  }

  function tiles() {
    const some = isNetwork ? used : used.filter((row) => !row.isReceiver);
    const whose = isNetwork ? "of the links’ time" : "of the senders’ time";
    const ports = (isNetwork ? some.length : new Set(some.map((row) => row.port)).size * data.switches) * data.makespan_s;
    const relayed = entries.filter((e) => e.second.length).length;
    const shown = isCurve
      ? [["switching times", count(data.curve.length)]]
      : [
          ["makespan", time(data.makespan_s, 6)],
          ["lower bound", time(data.lower_bound_s, 6)],
          ["configurations", count(data.configurations)],
          ["circuits", count(pieces.length + data.pieces_left_out)],
          ...(data.hops > 1 && !data.pieces_left_out ? [["pairs by two hops", `${count(relayed)} of ${count(entries.length)}`]] : []),
          ...(data.pieces_left_out
            ? []
            : [
                [`${whose}, carrying`, percent(d3.sum(some, (row) => row.carrying) / ports)],
                [`${whose}, set-ups`, percent(d3.sum(some, (row) => row.changing) / ports)],
              ]),
          ["algorithm", data.made_by === data.algorithm ? data.algorithm : `${data.algorithm}, here ${data.made_by}`],
          ...(isNetwork ? [["routes", data.routes]] : []),
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

  const busiest = (some, most) => d3.sort(some, (a, b) => b.carrying - a.carrying || d3.ascending(a.key, b.key)).slice(0, most);

  // The rows of one side in the order of their ports: those of the busiest ports, each with all of its switches.
  function sideOf(isReceiver) {
    const side = used.filter((row) => row.isReceiver === isReceiver);
    const load = d3.rollup(side, (some) => d3.sum(some, (row) => row.carrying), (row) => row.port);
    const shown = new Set(d3.sort(load.keys(), (a, b) => load.get(b) - load.get(a) || a - b).slice(0, PORTS_SHOWN));
    const at = new Map(side.map((row) => [`${row.port},${row.crossbar}`, row]));
    const all = d3.sort(shown).flatMap((port) =>
      d3.range(data.switches).map((k) => at.get(`${port},${k}`) ?? {port, isReceiver, name: "", bars: [], setups: [], carrying: 0, changing: 0}),
    );
    return rows.timeline(isReceiver ? "receiver" : "sender", all, load.size * data.switches, (row) => row.port);
  }

  const circuitColumns = [
    ...(isNetwork ? [] : [{name: "switch", of: (p) => p.place}]),
    ...(isPlanes ? [{name: "plane", of: (p) => p.plane}] : []),
    {name: "start_s", of: (p) => p.start},
    {name: "end_s", of: (p) => p.end},
    {name: "src", of: (p) => p.source},
    {name: "dst", of: (p) => p.destination},
    ...(data.hops > 1 ? [{name: "from", of: (p) => p.entry.source}, {name: "to", of: (p) => p.entry.destination}] : []),
    ...(isNetwork ? [{name: "links", of: (p) => p.links.map(linkName).join(" ")}] : []),
  ];
  const timelineData = {name: "circuits", columns: circuitColumns, rows: pieces.slice(0, ROWS_LISTED)};
  const setUp = {name: "set-up", color: "var(--compute)"};

  function portTimeline() {
    return section(
      "timeline",
      "What each port does",
      `Senders above, receivers below.${partly}`,
      [
        "A row is a port, or one for each of its switches. A coloured bar is a circuit that carries; the colour stands for the port at its other end. Grey is a set-up, and empty is idle.",
        "A port whose row has no empty place is what the port bound counts: no schedule ends before it.",
        ...(data.hops > 1 ? ["A pale bar carries bytes of another pair, to a port in between or from it. Point at it for the pair."] : []),
      ],
      [
        legend([{name: "carrying; colours stand for the other port", color: palette[0]}, setUp]),
        sideOf(false),
        sideOf(true),
      ],
      timelineData,
    );
  }

  function linkTimeline() {
    const sums = d3.cumsum(busiest(used, LINKS_SHOWN), (row) => row.bars.length + row.setups.length);
    const shown = busiest(used, Math.max(1, d3.bisectRight(sums, BARS_SHOWN)));
    return section(
      "timeline",
      "What each link does",
      `${shown.length < used.length ? `The ${count(shown.length)} busiest of ${plural(used.length, "link")} in use` : `All ${count(used.length)} links in use`}, the busiest on top.${partly}`,
      [
        "A row is a link, those of nodes included. A coloured bar is a circuit that carries, and has the same colour on all of its links. Grey is a set-up at one of the link’s ends, and empty is idle. Point at a bar for its circuit.",
        "A link whose row has no empty place is what the link bound counts: no schedule with these routes ends before it.",
        ...(data.switch === "all-stop" ? ["On all-stop switches a set-up also stops the other circuits of its switch; their links are empty then."] : []),
      ],
      [legend([{name: "carrying; a colour is a circuit", color: palette[0]}, setUp]), rows.timeline("link", shown, used.length)],
      timelineData,
    );
  }

  function duty() {
    const columns = [
      {name: isNetwork ? "link" : "port", of: (row) => row.name},
      {name: "carrying_s", of: (row) => row.carrying},
      {name: "set_up_s", of: (row) => row.changing},
      {name: "idle_s", of: (row) => Math.max(0, data.until_s - row.carrying - row.changing)},
      {name: "circuits", of: (row) => row.bars.length},
    ];
    const sides = isNetwork ? [["link", used]] : ["sender", "receiver"].map((side, i) => [side, used.filter((row) => row.isReceiver === (i === 1))]);
    return section(
      "duty",
      "Duty cycle",
      `What part of the time each ${isNetwork ? "link" : "port"} in use carries.${partly}`,
      [
        "A column has three parts: carrying, set-ups, and idle, which is empty. Where grey is high, fewer and longer circuits would help; where most is empty, the demand does not use all that the switches have.",
      ],
      [legend([{name: "carrying", color: palette[0]}, setUp]), ...sides.map(([side, some]) => rows.duty(side, some))],
      {name: "duty", columns, rows: busiest(used, ROWS_LISTED)},
    );
  }

  // ------------------------------------------------------------------- curve

  // The bounds that are not the largest one at all switching times, [field, words].
  const BOUNDS = {
    port_bound_s: "the port bound",
    link_bound_s: "the link bound",
    all_stop_bound_s: "the all-stop bound",
    one_hop_bound_s: "the bound of one hop",
  };
  const boundsOf = (curve) =>
    Object.entries(BOUNDS).filter(([id]) => curve.some((row) => row.bounds[id] !== undefined && row.bounds[id] !== row.lower_bound_s));

  function curve() {
    const where = isNetwork ? network : data.switches === 1 ? "one switch" : `${count(data.switches)} switches`;
    const names = Object.keys(data.curve[0].makespan_s);
    const points = data.curve.flatMap((row) => names.map((algorithm) => ({algorithm, x: row.switching_s, y: row.makespan_s[algorithm], bound: row.lower_bound_s})));
    const isLog = data.curve.every((row) => row.switching_s > 0);
    const others = boundsOf(data.curve);
    const colorOf = new Map(names.map((algorithm, i) => [algorithm, palette[i % palette.length]]));
    const {scale, name: unit} = kit.timeScale(d3.max(points, (p) => p.y));
    const {scale: xScale, name: xUnit} = kit.timeScale(d3.max(points, (p) => p.x) || 1);
    return section(
      "curve",
      "Makespan over switching time",
      `${plural(names.length, "algorithm")}, ${where}, ${data.switch}.`,
      [
        "The dashed line is the lower bound: no schedule ends below it. Where best lies on the line, its schedules are optimal.",
        ...(others.length ? [`Dotted: ${others.map(([, words]) => words).join(" and ")}.${others.some(([id]) => id === "one_hop_bound_s") ? " A schedule below the bound of one hop needs two." : " The lower bound is the largest."}`] : []),
        `The bound grows by the switching time for each circuit of the busiest ${isNetwork ? "link" : "port"}. Where it has grown well above its beginning, fewer circuits would help more than a faster link.`,
      ],
      [
        legend([...names.map((algorithm) => ({name: algorithm, color: colorOf.get(algorithm)})), {name: "lower bound, dashed", color: "var(--ink)"}, ...others.map(([, words]) => ({name: `${words}, dotted`, color: "var(--faint)"}))]),
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
              ...others.map(([id, words]) =>
                Plot.line(data.curve, {
                  x: (r) => r.switching_s / xScale,
                  y: (r) => r.bounds[id] / scale,
                  stroke: "var(--faint)",
                  strokeDasharray: "1,4",
                  strokeLinecap: "round",
                  strokeWidth: 2,
                  title: () => words,
                }),
              ),
            ],
          }),
        ),
      ],
      {
        name: "curve",
        columns: [
          {name: "switching_s", of: (r) => r.switching_s},
          {name: "lower_bound_s", of: (r) => r.lower_bound_s},
          ...others.map(([id]) => ({name: id, of: (r) => r.bounds[id]})),
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
    else main.append(isNetwork ? linkTimeline() : portTimeline(), duty(), ...circuitFilm(data, {entries, pieces, colorOf, rows, partly}));
  }

  kit.page(build);
})();
