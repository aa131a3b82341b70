// The program of the page of a schedule: which link carries which connection in which slot, and what each slot
// connects.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("results").textContent);
  const {digits, percent, count, plural, element, table, download, chart, refresh, section, palette, common, upTo} = kit;
  const LINKS_SHOWN = 256; // if there are more, the busiest
  const ROWS_LISTED = 4096;
  const connections = data.connections.map(([source, destination, slot, links]) => ({source, destination, slot, links}));
  const networkLinks = data.links.length - 2 * data.nodes;
  const isNetwork = (link) => link >= 2 * data.nodes;
  const bySlot = d3.range(data.degree).map((slot) => connections.filter((c) => c.slot === slot));
  const name = (c) => `${c.source} → ${c.destination}`;

  // Connections of a slot get colours in turn. They share no link, so neighbours in the picture differ.
  const colorOf = new Map(bySlot.flatMap((some) => some.map((c, i) => [c, palette[i % palette.length]])));

  // --------------------------------------------------------- the answer first

  const optimal = data.degree === data.lower_bound;
  const answer = () =>
    element(
      "p",
      {class: "answer", id: "answer"},
      `${plural(connections.length, "connection")} of ${data.pattern} on ${data.topology} take `,
      element("strong", {}, plural(data.degree, "slot")),
      optimal
        ? ". This is proven optimal: no schedule takes fewer."
        : `. The lower bound is ${data.lower_bound}, so ${plural(data.degree - data.lower_bound, "slot")} may be too many.`,
    );

  const inUse = d3.sum(connections, (c) => c.links.filter(isNetwork).length);
  const tiles = () =>
    element(
      "ul",
      {class: "tiles", "aria-label": "The schedule in numbers"},
      ...[
        ["multiplexing degree", count(data.degree)],
        ["lower bound", count(data.lower_bound)],
        ["connections", count(connections.length)],
        ["links between switches in use", networkLinks ? percent(inUse / (networkLinks * data.degree)) : "none"],
        ["algorithm", `${data.algorithm}, ${data.free_routes ? "free" : "fixed"} routes`],
      ].map(([label, value]) =>
        element("li", {}, element("span", {class: "label"}, label), element("span", {class: "value"}, value)),
      ),
    );

  // ----------------------------------------------------------- slots by links

  const loads = data.links.map(() => 0);
  for (const c of connections) for (const link of c.links) loads[link]++;
  const busiest = d3
    .sort(
      d3.range(data.links.length).filter((link) => loads[link]),
      (a, b) => loads[b] - loads[a] || a - b,
    )
    .slice(0, LINKS_SHOWN);

  // The connections of two neighbouring slots are different ones, even if their colours are the same.
  const rowGap = busiest.length > 100 ? 0 : 0.5;
  const columnGap = (width) => (width / data.degree > 20 ? 1 : width / data.degree > 4 ? 0.5 : 0);

  function slots() {
    const row = new Map(busiest.map((link, i) => [link, i]));
    const cells = connections.flatMap((c) => c.links.filter((link) => row.has(link)).map((link) => ({c, link})));
    const used = loads.filter((load) => load).length;
    const most = loads[busiest[0]];
    const columns = [
      {name: "source", of: (c) => c.source},
      {name: "destination", of: (c) => c.destination},
      {name: "slot", of: (c) => c.slot},
      {name: "links", of: (c) => c.links.map((link) => data.links[link]).join(" ")},
    ];
    return section(
      "slots",
      "Slots by links",
      used > busiest.length ? `The ${busiest.length} busiest of ${count(used)} links in use.` : `All ${count(used)} links in use.`,
      [
        "A row is a link, with the busiest on top; the links of nodes are included. A column is a slot. A filled cell is a connection, which has the same colour on all of its links. Point at a cell for its name.",
        `The load of the busiest link, ${most}, is a lower bound for all schedules with these routes. If a row is full, fewer slots are impossible.`,
      ],
      [
        chart(
          `${count(cells.length)} cells in ${plural(data.degree, "slot")}; the busiest link, ${data.links[busiest[0]]}, is in use in ${most} of them.`,
          (width) =>
            Plot.plot({
              ...common(width),
              height: 68 + Math.max(3, Math.min(14, 700 / busiest.length)) * busiest.length,
              marginLeft: 16,
              color: {type: "identity"},
              x: {label: "slot", domain: [0, data.degree], tickFormat: "d", ticks: Math.min(data.degree, width < 500 ? 6 : 16)},
              y: {label: "link", axis: null, domain: [0, busiest.length], reverse: true},
              marks: [
                Plot.frame({stroke: "var(--line)"}),
                Plot.rect(cells, {
                  x1: ({c}) => c.slot,
                  x2: ({c}) => c.slot + 1,
                  y1: ({link}) => row.get(link),
                  y2: ({link}) => row.get(link) + 1,
                  fill: ({c}) => colorOf.get(c),
                  insetTop: rowGap,
                  insetBottom: rowGap,
                  insetLeft: columnGap(width),
                  insetRight: columnGap(width),
                  title: ({c, link}) => `${name(c)} on ${data.links[link]} in slot ${c.slot}`,
                }),
              ],
            }),
        ),
      ],
      {name: "connections", columns, rows: connections.slice(0, ROWS_LISTED)},
    );
  }

  // ----------------------------------------------------------------- one slot

  function drawSlot(slot) {
    const {picture} = data;
    return (width) => {
      const taken = new Map(bySlot[slot()].flatMap((c) => c.links.filter(isNetwork).map((link) => [link - 2 * data.nodes, c])));
      const users = (line) => line.links.map((link) => taken.get(link)).filter((c) => c);
      return kit.network(picture, width, (group, pathOf) => {
        const paths = (lines) => group.selectAll(null).data(lines).join("path").attr("d", pathOf);
        paths(picture.lines).style("stroke", "var(--ended)").attr("stroke-width", 2);
        paths(
          picture.lines.filter((line) => users(line).length),
        )
          .style("stroke", (line) => colorOf.get(users(line)[0]))
          .attr("stroke-width", (line) => 3 + 2 * users(line).length)
          .append("title")
          .text((line) => users(line).map(name).join(", "));
      });
    };
  }

  function oneSlot() {
    let slot = 0;
    const said = element("p", {class: "says", id: "slot-says", role: "status", "aria-live": "polite"});
    const input = element("input", {type: "range", id: "slot", min: 0, max: data.degree - 1, step: 1, value: 0});
    const update = () => {
      const some = bySlot[slot];
      said.textContent = `Slot ${slot}: ${plural(some.length, "connection")}${some.length && some.length <= 40 ? `, ${some.map(name).join(", ")}` : ""}`;
      input.setAttribute("aria-valuetext", `slot ${slot}`);
    };
    input.addEventListener("input", () => {
      slot = Number(input.value);
      update();
      refresh();
    });
    update();
    return section(
      "configuration",
      "What a slot connects",
      null,
      [
        "The setting of the switches in one slot is a configuration: no link carries two connections. A line that is in use in both directions is thicker, and has the colour of one of the two connections.",
      ],
      [
        element("div", {class: "slider"}, element("label", {for: "slot"}, "Slot"), input),
        said,
        ...(data.picture
          ? [chart(`The links of ${data.topology} that are in use in the slot that the slider names.`, drawSlot(() => slot))]
          : []),
      ],
      null,
    );
  }

  function filling() {
    const rows = bySlot.map((some, slot) => ({slot, connections: some.length}));
    const [least, most] = d3.extent(rows, (r) => r.connections);
    return section(
      "filling",
      "Connections by slot",
      null,
      ["A better schedule would need fewer slots, by filling those that hold few connections. If the degree is proven optimal, there is none."],
      [
        chart(`Between ${least} and ${most} connections in a slot, ${digits(connections.length / data.degree, 3)} on average.`, (width) =>
          Plot.plot({
            ...common(width),
            height: 165,
            marginLeft: 50,
            x: {label: "slot", domain: [0, data.degree], tickFormat: "d", ticks: Math.min(data.degree, width < 500 ? 6 : 16)},
            y: {label: "connections", grid: true, ticks: 3, domain: upTo(rows.map((r) => r.connections))},
            marks: [
              Plot.rect(rows, {x1: "slot", x2: (r) => r.slot + 1, y1: 0, y2: "connections", fill: palette[0], inset: 0.5}),
              Plot.ruleY([0]),
            ],
          }),
        ),
      ],
      {
        name: "filling",
        columns: [
          {name: "slot", of: (r) => r.slot},
          {name: "connections", of: (r) => r.connections},
        ],
        rows,
      },
    );
  }

  // ----------------------------------------------------------------- the page

  function build() {
    document.getElementById("subtitle").textContent = `scheduled on ${data.topology} by Heliograph ${data.version}`;
    const main = document.getElementById("main");
    main.append(answer(), tiles());
    if (connections.length) main.append(slots(), oneSlot(), filling());
  }

  kit.page(build);
})();
