// The film of a schedule of circuits: which circuits are up at a time, on the picture of a topology if there is one, and
// the demand beside what has arrived by then.
"use strict";
const circuitFilm = (data, {entries, pieces, colorOf, rows, partly}) => {
  const {percent, count, plural, time, size, element, chart, refresh, section, palette, common, legend} = kit;
  const STEPS = 400; // of the slider
  const FILM_S = 12; // a film that is played lasts this long
  const FRAME_MS = 60;
  const SAMPLES = 240; // of the curve of what has arrived
  const ROWS_LISTED = 4096;
  const WORDS_AT_MOST = 24; // ports of a side whose cells have words
  const CELLS_AT_MOST = 64; // of a side: more ports share cells
  const delta = data.switching_s;
  const isRelayed = pieces.some((p) => p.via !== undefined);

  // Configurations begin where circuits begin to carry after a set-up. The film opens at the middle one.
  const begins = d3.sort(new Set(pieces.filter((p) => p.setups.length).map((p) => p.start)));
  let now = begins[Math.floor(begins.length / 2)] ?? 0;
  const name = (c) => `${c.source} → ${c.destination}`;

  // How much of an entry has arrived at a time, and how much is at a port in between: from 0 to 1.
  const over = (some, at) => d3.sum(some, (p) => Math.max(0, Math.min(at, p.end) - p.start));
  const arrived = (entry, at) => (entry.total ? over(entry.last, at) / entry.total : 0);
  const between = (entry, at) => (entry.total ? Math.max(0, over(entry.first, at) - over(entry.second, at)) / entry.total : 0);
  const bytes = d3.sum(entries, (e) => e.bytes);
  const shareOf = (part, at) => d3.sum(entries, (e) => part(e, at) * e.bytes) / bytes;

  const upAt = (at) => pieces.filter((p) => p.start <= at && at < p.end);
  const changingAt = (at) => pieces.filter((p) => p.setups.length && p.start - delta <= at && at < p.start);

  // ----------------------------------------------------------------- matrices

  const ports = (of, piece) => d3.sort(new Set([...entries.map(of), ...pieces.map(piece)]));
  const senders = ports((e) => e.source, (p) => p.source);
  const receivers = ports((e) => e.destination, (p) => p.destination);
  const unit = data.topology ? "node" : "port";
  const groupOf = (some) => {
    const by = Math.ceil(some.length / CELLS_AT_MOST);
    return new Map(some.map((port, i) => [port, some[Math.floor(i / by) * by]]));
  };
  const [senderGroup, receiverGroup] = [groupOf(senders), groupOf(receivers)];
  const isGrouped = Math.max(senders.length, receivers.length) > CELLS_AT_MOST;
  const placeOf = (c) => `${senderGroup.get(c.source)},${receiverGroup.get(c.destination)}`;
  // A cell: the entries of a pair of ports, or of groups of ports, which have the names of their first ones.
  const matrixCells = d3
    .groups(entries, placeOf)
    .map(([, some]) => ({
      source: senderGroup.get(some[0].source),
      destination: receiverGroup.get(some[0].destination),
      entries: some,
      bytes: d3.sum(some, (e) => e.bytes),
      says: isGrouped ? `${plural(some.length, "pair")} from ${name(some[0])} on` : name(some[0]),
    }));
  const inCell = (part) => (c) => d3.sum(c.entries, (e) => part(e, now) * e.bytes) / c.bytes;
  const grouped = isGrouped ? ` Cells are of several ${unit}s.` : "";
  const most = d3.max(matrixCells, (c) => c.bytes);
  const sides = data.topology ? ["to node", "from node"] : ["receiver", "sender"];

  // marks(hasWords) are drawn in a cell for each pair.
  const matrix = (label, marks) =>
    chart(label, (width) => {
      const [across, down] = [new Set(receiverGroup.values()), new Set(senderGroup.values())];
      const room = (Math.min(width, 700) - 68) / across.size;
      const isFew = Math.max(down.size, across.size) <= WORDS_AT_MOST;
      return Plot.plot({
        ...common(width),
        height: Math.min(640, 70 + Math.min(room, 160) * down.size),
        width: Math.min(width, 700),
        marginLeft: 44,
        x: {label: sides[0], domain: [...across], tickFormat: room < 18 ? () => "" : "d", tickSize: 0},
        y: {label: sides[1], domain: [...down], tickFormat: down.size > 40 ? () => "" : "d", tickSize: 0},
        color: {type: "identity"},
        marks: marks(isFew && room >= 16),
      });
    });
  const cells = {x: "destination", y: "source"};
  const mixed = (color, share) => `color-mix(in srgb, ${color} ${Math.round(100 * share)}%, var(--ended))`;
  const cell = (fill, title) => Plot.cell(matrixCells, {...cells, fill, inset: 0.5, title});
  const demand = () =>
    matrix(`The demand of ${count(entries.length)} pairs; the strongest cell has ${size(most)}.`, () => [
      cell((c) => mixed(palette[0], 0.12 + 0.88 * Math.sqrt(c.bytes / most)), (c) => `${c.says}: ${size(c.bytes)}`),
    ]);
  const hasArrived = inCell(arrived);
  const isBetween = inCell(between);
  const served = () =>
    matrix("What has arrived at the time that the slider names, and which circuits are up.", () => [
      cell(
        (c) => mixed(palette[2], 0.9 * hasArrived(c)),
        (c) => `${c.says}: ${size(c.bytes)}, ${percent(hasArrived(c))} arrived${isRelayed ? `, ${percent(isBetween(c))} at a ${unit} in between` : ""}`,
      ),
      ...(isRelayed
        ? [
            Plot.cell(matrixCells.filter((c) => isBetween(c) > 1e-9), {
              ...cells,
              fill: "var(--c4)",
              fillOpacity: (c) => 0.25 + 0.75 * isBetween(c),
              inset: 4,
              pointerEvents: "none",
            }),
          ]
        : []),
      Plot.cell(d3.groups(upAt(now), placeOf), {
        x: ([, [p]]) => receiverGroup.get(p.destination),
        y: ([, [p]]) => senderGroup.get(p.source), fill: "none",
        stroke: "var(--ink)",
        strokeWidth: 2,
        inset: 0.5,
        pointerEvents: "none",
      }),
    ]);
  const pair = (...figures) =>
    element("div", {class: "pair"}, ...figures.map(([title, figure]) => element("div", {}, element("h3", {}, title), figure)));

  // ------------------------------------------------- what arrives in between

  function arrivals() {
    const parts = [["arrived", arrived, palette[2]], ...(isRelayed ? [[`at a ${unit} in between`, between, "var(--c4)"]] : [])];
    const points = d3.range(SAMPLES + 1).map((i) => {
      const time_s = (data.until_s * i) / SAMPLES;
      const shares = parts.map(([, part]) => 100 * shareOf(part, time_s));
      return {at: time_s / rows.timeUnit, low: shares[0], high: d3.sum(shares)};
    });
    return [
      legend(parts.map(([words, , color]) => ({name: words, color}))),
      chart(`The share of all bytes that has arrived, over time${isRelayed ? `, and of those at a ${unit} in between` : ""}.`, (width) =>
        Plot.plot({
          ...common(width),
          height: 170,
          marginLeft: 50,
          x: {label: `time in ${rows.timeName}`, domain: [0, data.until_s / rows.timeUnit], ticks: width < 500 ? 5 : 10},
          y: {label: "% of the bytes", grid: true, ticks: 4, domain: [0, 100]},
          marks: [
            Plot.areaY(points, {x: "at", y1: 0, y2: "low", fill: palette[2], fillOpacity: 0.45}),
            ...(isRelayed ? [Plot.areaY(points, {x: "at", y1: "low", y2: "high", fill: "var(--c4)", fillOpacity: 0.7})] : []),
            Plot.lineY(points, {x: "at", y: "low", stroke: palette[2], strokeWidth: 2}),
            Plot.ruleX([now / rows.timeUnit], {stroke: "var(--ink)", className: "now"}),
            Plot.ruleY([0]),
          ],
        }),
      ),
    ];
  }

  // ----------------------------------------------------------------- two hops

  const DIRECT = "var(--ended)";
  // The ports over which an entry goes, that of most bytes first; undefined: direct.
  const waysOf = (entry) => {
    const times = d3.rollup(entry.last, (some) => d3.sum(some, (p) => p.end - p.start), (p) => p.via);
    return d3.sort(times, ([, a], [, b]) => b - a);
  };
  // The same of a cell: the way of most bytes.
  const wayOf = (cell) => d3.greatest(d3.rollup(cell.entries, (some) => d3.sum(some, (e) => e.bytes), (e) => e.ways[0]?.[0]), ([, b]) => b)[0];

  function ways() {
    for (const entry of entries) entry.ways = waysOf(entry);
    const found = entries.filter((e) => e.ways.length);
    const over = new Set(found.flatMap((e) => e.ways.map(([via]) => via)).filter((via) => via !== undefined));
    const direct = found.filter((e) => e.ways.every(([via]) => via === undefined)).length;
    const words = (e) =>
      e.ways.map(([via, s]) => `${via === undefined ? "direct" : `over ${unit} ${via}`}${e.ways.length > 1 ? ` (${percent(s / e.total)})` : ""}`).join(", ");
    const drawn = matrixCells.map((c) => ({...c, way: wayOf(c)}));
    const columns = [
      {name: "src", of: (e) => e.source},
      {name: "dst", of: (e) => e.destination},
      {name: "bytes", of: (e) => e.bytes},
      {name: "way", of: words},
    ];
    return section(
      "ways",
      `Direct, or over which ${unit}`,
      `${plural(direct, "pair")} direct, ${count(found.length - direct)} over ${plural(over.size, unit)} in between.${grouped}`,
      [
        `A coloured cell is a pair whose bytes go over a ${unit} in between, most of them over the one whose number it has. A cell without a number goes direct.`,
        `A ${unit} in between sends on what has arrived there, and not before. It takes bytes of many pairs with one set-up.`,
      ],
      [
        matrix(`Which pairs go direct, and over which ${unit} the others go.`, (hasWords) => [
          Plot.cell(drawn, {
            ...cells,
            fill: (c) => (c.way === undefined ? DIRECT : palette[c.way % palette.length]),
            fillOpacity: 0.55, // words in front of it are readable
            inset: 0.5,
            title: (c) => `${c.says}: ${c.entries.length > 1 ? (c.way === undefined ? "most direct" : `most over ${unit} ${c.way}`) : words(c.entries[0])}`,
          }),
          ...(hasWords
            ? [
                Plot.text(drawn.filter((c) => c.way !== undefined), {
                  ...cells,
                  text: (c) => String(c.way),
                  fill: "var(--ink)",
                  fontSize: 11,
                  pointerEvents: "none",
                }),
              ]
            : []),
        ]),
      ],
      {name: "ways", columns, rows: found.slice(0, ROWS_LISTED)},
    );
  }

  // ----------------------------------------------------- circuits on a picture

  // A line has two links, one for each direction. Circuits that are up have their colours; a link that is being set up is
  // dashed.
  function network(width) {
    const {picture} = data;
    const drawn = (link) => (link % data.links.length) - 2 * data.nodes; // the planes are drawn as one
    const up = upAt(now).flatMap((p) => p.links.map((link) => [drawn(link), p]));
    const taken = d3.group(up, ([link]) => link);
    const changing = new Set(changingAt(now).flatMap((p) => p.setups.map(drawn)));
    const users = (line) => line.links.flatMap((link) => (taken.get(link) ?? []).map(([, p]) => p));
    const isChanging = (line) => line.links.some((link) => changing.has(link));
    return kit.network(picture, width, (group, pathOf) => {
      const paths = (lines) => group.selectAll(null).data(lines).join("path").attr("d", pathOf);
      paths(picture.lines).style("stroke", "var(--ended)").attr("stroke-width", 2);
      paths(picture.lines.filter(isChanging))
        .attr("class", "changing")
        .style("stroke", "var(--compute)")
        .attr("stroke-width", 4)
        .attr("stroke-dasharray", "2 7");
      paths(picture.lines.filter((line) => users(line).length))
        .attr("class", "up")
        .style("stroke", (line) => colorOf(users(line)[0]))
        .attr("stroke-width", (line) => 3 + 2 * Math.min(users(line).length, 4))
        .append("title")
        .text((line) => users(line).map((p) => p.says).join(", "));
    });
  }

  // --------------------------------------------------------------- the section

  function film() {
    const said = element("p", {class: "says", id: "time-says", role: "status", "aria-live": "polite"});
    const input = element("input", {type: "range", id: "time", min: 0, max: STEPS, step: "any", value: (STEPS * now) / data.until_s});
    const update = () => {
      const up = upAt(now);
      const some = up.length && up.length <= 24 ? `: ${up.map(name).join(", ")}` : "";
      const underway = isRelayed ? `, ${percent(shareOf(between, now))} at ${unit}s in between` : "";
      said.textContent = `${time(now)}: ${plural(up.length, "circuit")} up, ${count(changingAt(now).length)} being set up, ${percent(shareOf(arrived, now))} of the bytes carried${underway}${data.topology ? some : ""}`;
      input.setAttribute("aria-valuetext", time(now));
    };
    const move = (to) => {
      now = to;
      input.value = (STEPS * to) / data.until_s;
      update();
      refresh(moving);
    };
    // Playing ends at the end, at a press on its button, and when something else moves the time.
    let playing;
    const play = element("button", {type: "button"}, "▸ play");
    const stop = () => {
      clearInterval(playing);
      playing = undefined;
      play.textContent = "▸ play";
      said.setAttribute("aria-live", "polite");
    };
    const start = () => {
      const from = performance.now() - (now < data.until_s ? (now / data.until_s) * FILM_S * 1000 : 0);
      play.textContent = "▪ stop";
      said.setAttribute("aria-live", "off"); // nobody can listen to every frame
      playing = setInterval(() => {
        const shown = (performance.now() - from) / (FILM_S * 1000);
        move(Math.min(shown, 1) * data.until_s);
        if (shown >= 1) stop();
      }, FRAME_MS);
    };
    play.addEventListener("click", () => (playing === undefined ? start() : stop()));
    input.addEventListener("input", () => {
      stop();
      move((data.until_s * Number(input.value)) / STEPS);
    });
    const jump = (words, find) => {
      const button = element("button", {type: "button"}, words);
      button.addEventListener("click", () => {
        stop();
        const found = find(now);
        if (found !== undefined) move(found);
      });
      return button;
    };
    const near = data.until_s * 1e-9;
    const arrival = arrivals();
    const picture = data.picture ? [chart(`The links of ${data.topology} that circuits use at the time that the slider names.`, network)] : [];
    const after = served();
    const moving = [after, arrival.at(-1), ...picture];
    update();
    return section(
      "film",
      "What is carried when",
      `All ${count(entries.length)} pairs with bytes.${grouped}${partly}`,
      [
        "Play the film, move the slider, or go from configuration to configuration: a configuration begins when circuits begin to carry after a set-up.",
        ...(data.picture
          ? [`A coloured line is in use by a circuit, a thick one ${data.planes > 1 ? "by several" : "in both directions"}. A dashed line is being set up. Point at a line for its circuits.`]
          : []),
        `The stronger the colour of a cell of the demand, the more bytes. Beside it a cell fills as its bytes arrive, and a frame marks the circuits that are up.${data.topology ? "" : " In each row and column of a switch at most one is up."}`,
        ...(isRelayed ? [`The inner part of a cell shows bytes that wait at a ${unit} in between.`] : []),
      ],
      [
        element("div", {class: "slider"}, element("label", {for: "time"}, "Time"), input),
        jump("◂ configuration before", (time_s) => begins.findLast((start) => start < time_s - near)),
        jump("next configuration ▸", (time_s) => begins.find((start) => start > time_s + near)),
        play,
        said,
        ...picture,
        pair(["Demand", demand()], ["Arrived", after]),
        ...arrival,
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

  return [film(), ...(isRelayed ? [ways()] : [])];
};
