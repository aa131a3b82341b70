// The critical path of a run: over time, and the messages that take most of it.
"use strict";
const pathSections = (runs, styles) => {
  const {time, size, count, percent, plural, element, table, download, legend, chart, section, common} = kit;
  const withPath = runs.filter((run) => run.critical_path?.parts.length);
  if (!withPath.length) return [];

  const kinds = kit.pathKinds;
  const most = (of) => d3.greatest(kinds, ({id}) => of[id] ?? 0);

  let run = withPath[0];
  const path = () => run.critical_path;
  const present = () => kinds.filter(({id}) => path()[id] > 0);

  // The share of each kind of time, part by part of the path.
  function drawKinds(width) {
    const {scale, name} = kit.timeScale(path().length_s);
    const boxes = path().parts.flatMap((part) => {
      const whole = part.to_s - part.from_s;
      let from = 0;
      return present().flatMap(({id, name: kind, fill}) => {
        const share = whole > 0 ? (part[id] ?? 0) / whole : 0;
        if (!share) return [];
        return [{x1: part.from_s / scale, x2: part.to_s / scale, y1: 100 * from, y2: 100 * (from += share), kind, fill, share, part}];
      });
    });
    return Plot.plot({
      ...common(width),
      marginLeft: 60,
      height: 150,
      color: {type: "identity"},
      x: {label: `time (${name})`, domain: [0, path().length_s / scale], ticks: width < 500 ? 4 : 8},
      y: {label: "% of the path", domain: [0, 100], ticks: 3},
      marks: [
        Plot.rect(boxes, {
          x1: "x1",
          x2: "x2",
          y1: "y1",
          y2: "y2",
          fill: "fill",
          title: (b) => `${time(b.part.from_s)} to ${time(b.part.to_s)}: ${percent(b.share)} ${b.kind}`,
        }),
        Plot.frame({stroke: "var(--line)"}),
      ],
    });
  }

  // The rank that holds the path: level while the rank computes, or works for messages; sloping while a message is under
  // way to another rank.
  function drawRanks(width) {
    const {scale, name} = kit.timeScale(path().length_s);
    const points = path().parts.flatMap(({from_s, sent_s, to_s, rank, to_rank, messages}) => [
      {at: from_s, rank},
      ...(messages <= 1 ? [{at: sent_s, rank}] : []),
      {at: to_s, rank: to_rank},
    ]);
    const ranks = d3.extent(points, (p) => p.rank);
    const spread = Math.max(1, ranks[1] - ranks[0]);
    return Plot.plot({
      ...common(width),
      marginLeft: 60,
      height: 90 + Math.min(200, 16 * spread),
      x: {label: `time (${name})`, domain: [0, path().length_s / scale], ticks: width < 500 ? 4 : 8},
      y: {label: "rank", grid: true, domain: [ranks[0], ranks[0] + spread], ticks: Math.min(spread, 6), tickFormat: "d", inset: 6},
      marks: [Plot.line(points, {x: (p) => p.at / scale, y: "rank", stroke: styles.get(run.fabric).color, strokeWidth: 2, strokeLinejoin: "round"})],
    });
  }

  const columns = [
    {name: "message", of: (m) => m.message},
    {name: "from", csv: "source", number: true, of: (m) => m.source},
    {name: "to", csv: "destination", number: true, of: (m) => m.destination},
    {name: "bytes", of: (m) => m.bytes, show: (v) => size(v)},
    {name: "call", word: true, of: (m) => m.call},
    {name: "sent", csv: "start_s", of: (m) => m.start_s, show: (v) => time(v)},
    {name: "time", csv: "time_s", of: (m) => m.time_s, show: (v) => time(v)},
    {name: "share", of: (m) => m.share, show: percent},
    {name: "most of it", word: true, of: (m) => most(m).name},
    {name: "waited for", prose: true, of: (m) => (m.waited_for ? `${m.waited_for} ${m.number}` : "")},
  ];

  // With --what-if: what the whole run is shorter by without the message.
  const saved = (message) => run.what_if?.find(({free}) => free === message)?.saved_s ?? "";
  const sites = [
    {name: "sent at", csv: "sent_at", word: true, of: (m) => m.sent_at ?? ""},
    {name: "waited for at", csv: "waited_at", word: true, of: (m) => m.waited_at ?? ""},
  ];
  // With --slack: what a shorter message gains at most.
  const gain = (message) => run.slack.gains.find((g) => g.message === message)?.gain_s ?? "";
  const blank = (v) => (v === "" ? "" : time(v));
  const columnsShown = () => [
    ...(run.sites ? columns.flatMap((column) => (column.name === "call" ? [column, ...sites] : [column])) : columns),
    ...(run.slack ? [{name: "shorter gains at most", csv: "gain_s", of: (m) => gain(m.message), show: blank}] : []),
    ...(run.what_if ? [{name: "saved without it", csv: "saved_s", of: (m) => saved(m.message), show: blank}] : []),
  ];

  // What else the path consists of. Each list has those with most time.
  function lists() {
    const of = (name, title, first) =>
      path()[name]?.length
        ? [
            table(
              title,
              [
                ...first,
                {name: "time", of: (g) => g.time_s, show: (v) => time(v)},
                {name: "share", of: (g) => g.share, show: percent},
              ],
              path()[name],
            ),
          ]
        : [];
    const number = {name: "messages", of: (g) => g.count, show: count};
    return [
      ...of("ranks", "Ranks on the path", [{name: "rank, between messages", of: (g) => `rank ${g.rank}`}]),
      ...of("pairs", "Pairs of ranks on the path", [{name: "from, to", of: (g) => `${g.source} to ${g.destination}`}, number]),
      ...of("computations", "Computation on the path", [
        {name: "from one call to the next", word: true, of: (g) => `${g.after ?? "elsewhere"} → ${g.before ?? "elsewhere"}`},
        {name: "times", of: (g) => g.count, show: count},
      ]),
      ...of("calls", "Calls on the path", [{name: "call", of: (g) => g.call}, number]),
      ...of("waits", "What messages waited for", [{name: "waited for", of: (g) => `${g.waited_for} ${g.number}`}, number]),
    ];
  }

  const wordsOf = () =>
    present()
      .map(({id, name}) => `${name} ${percent(path()[id] / path().length_s)}`)
      .join(", ");

  function says() {
    const {rank, length_s, messages, messages_share, message_count, listed_from_s} = path();
    const said = [
      messages.length
        ? `${messages.length === 1 ? "The message below costs" : `The ${messages.length} messages below cost`} ${percent(messages_share)} of the time on ${run.fabric}.`
        : `No message is on the path of ${run.fabric}.`,
      `The path ends with rank ${rank} after ${time(length_s)} and has ${plural(message_count, "message")}: ${wordsOf()}.`,
    ];
    if (listed_from_s > 0) said.push(`It is listed from ${time(listed_from_s)} on.`);
    return said.join(" ");
  }

  const line = element("p", {class: "says", role: "status", "aria-live": "polite"});
  const key = element("div", {});
  const overTime = chart("", drawKinds);
  const overRanks = chart("", drawRanks);
  const listed = element("div", {id: "path-messages"});
  const more = element("details", {}, element("summary", {}, "By rank, pair, call, and what messages waited for"));
  const moreLists = element("div", {class: "lists"});
  more.append(moreLists);

  function update() {
    line.textContent = says();
    key.replaceChildren(legend(present().map(({name, fill}) => ({name, color: fill}))));
    overTime.setAttribute("aria-label", `The critical path of ${run.fabric} over time, by kind of time: ${wordsOf()}.`);
    overRanks.setAttribute("aria-label", `The rank that holds the critical path of ${run.fabric}, over time. It ends with rank ${path().rank}.`);
    const {messages} = path();
    listed.replaceChildren(...(messages.length ? [table("Messages on the critical path", columnsShown(), messages), download("critical-path", columnsShown(), messages)] : []));
    moreLists.replaceChildren(...lists());
    kit.refresh();
  }
  update();

  return [
    section(
      "critical-path",
      "The critical path",
      null,
      [
        "The chain of causes that ends with the rank that ends last: what a rank computes, the message that it sends, what its receiver computes, and so on. To make the program faster, something on it must become shorter.",
        "The first chart shows what the path consists of, the second which rank holds it: level while the rank computes, sloping while a message is under way.",
        "The table has the messages of the path that take longest.",
      ],
      [
        ...(withPath.length > 1
          ? [
              element(
                "div",
                {class: "switches"},
                kit.radios("path-fabric", "Fabric", withPath.map(({fabric}) => ({value: fabric, text: fabric})), run.fabric, (fabric) => {
                  run = withPath.find((one) => one.fabric === fabric);
                  update();
                }),
              ),
            ]
          : []),
        line,
        key,
        overTime,
        overRanks,
        listed,
        more,
      ],
      null,
    ),
  ];
};
