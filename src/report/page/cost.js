// The program of the page of costs: time against cost, where money, power and energy go, and the prices.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("results").textContent);
  const {time, count, plural, element, legend, chart, section, listSection, common, hatchings} = kit;
  const styles = kit.fabricStyles(data.fabrics);
  const nameOf = ({machine, topology, fabric}) => [machine, topology, fabric].filter(Boolean).join(" ");
  const counted = d3
    .sort(
      data.networks.filter((network) => network.parts),
      (network) => network.cost_usd,
    )
    .map((network, i) => ({...network, name: nameOf(network), number: i + 1}));
  const others = data.networks.filter((network) => !network.parts);

  // ------------------------------------------------------------------ numbers

  const money = (dollars) => `$${count(Math.round(dollars))}`;
  const shortMoney = (dollars) => `$${d3.format("~s")(dollars)}`;
  function quantity(value, unit, digits = 4) {
    if (!value) return `0\u00a0${unit}`;
    const [, number, prefix] = /^(.*?)([a-zµ]?)$/i.exec(d3.format(`.${digits}~s`)(value));
    return `${number}\u00a0${prefix.replace("µ", "u")}${unit}`;
  }
  const watts = (value) => quantity(value, "W");
  const joules = (value) => (value === null ? "not known" : quantity(value, "J"));
  const times = (ratio) => (ratio >= 10 ? count(Math.round(ratio)) : ratio.toPrecision(2));

  const lacksPrice = (network) => network.parts.some((part) => !part.has_price);
  const cost = (network) => money(network.cost_usd) + (lacksPrice(network) ? "+" : "");

  // What the horizontal axis shows.
  const measures = [
    {id: "cost", text: "money", label: "cost of the network", of: (n) => n.cost_usd, show: money, short: shortMoney, least: "costs least"},
    {id: "power", text: "power", label: "power of the network", of: (n) => n.power_w, show: watts, short: (v) => quantity(v, "W", 3), least: "draws least"},
    {id: "energy", text: "energy", label: "energy of the run", of: (n) => n.energy_j, show: joules, short: (v) => quantity(v, "J", 3), least: "takes least"},
  ];

  const beats = (of, a, b) => of(a) <= of(b) && a.makespan_s <= b.makespan_s && (of(a) < of(b) || a.makespan_s < b.makespan_s);
  const frontOf = (of, networks) => networks.filter((network) => !networks.some((other) => beats(of, other, network)));

  // --------------------------------------------------------- the answer first

  function compared(cheapest, fastest) {
    if (cheapest === fastest) return [element("strong", {}, fastest.name), ` costs least, ${cost(fastest)}, and is the fastest, with ${time(fastest.makespan_s)}.`];
    const ratio = cheapest.cost_usd > 0 ? ` (${times(fastest.cost_usd / cheapest.cost_usd)} times as much)` : "";
    return [
      element("strong", {}, cheapest.name),
      ` costs least, ${cost(cheapest)}, and takes ${time(cheapest.makespan_s)}. `,
      element("strong", {}, fastest.name),
      ` is the fastest, with ${time(fastest.makespan_s)}, for ${cost(fastest)}${ratio}.`,
    ];
  }

  function answer() {
    const front = counted.filter((network) => network.on_front);
    const beaten = counted.filter((network) => !network.on_front);
    const cheapest = d3.least(counted, (a, b) => a.cost_usd - b.cost_usd || a.makespan_s - b.makespan_s);
    const fastest = d3.least(counted, (a, b) => a.makespan_s - b.makespan_s || a.cost_usd - b.cost_usd);
    const unpriced = [...new Set(counted.flatMap(({parts}) => parts.filter((part) => !part.has_price).map(({part}) => part)))];
    const lines = [
      beaten.length
        ? `On the front: ${front.map(({name}) => name).join(", ")}. Each of the others costs at least as much as one of these, and is no faster.`
        : `All ${counted.length} are on the front: each is cheaper or faster than each other one.`,
      ...(unpriced.length ? [`Without a price, and left out of the costs with a +: ${unpriced.join(", ")}.`] : []),
      ...others.map((network) => `${nameOf(network)} takes ${time(network.makespan_s)}; its model does not say what it is built of.`),
    ];
    return [
      element("p", {class: "answer", id: "answer"}, ...(counted.length ? compared(cheapest, fastest) : ["No model of these fabrics says what it is built of."])),
      element("ul", {class: "insights", id: "insights"}, ...(counted.length > 1 ? lines : lines.slice(1)).map((line) => element("li", {}, line))),
    ];
  }

  // -------------------------------------------------------- time against cost

  const LABEL = {width: 22, height: 16, away: 15};
  // Places around a point, the best first.
  const AROUND = [
    [0.8, -0.8],
    [0.8, 0.8],
    [-0.8, -0.8],
    [-0.8, 0.8],
    [0, -1.1],
    [0, 1.1],
    [1.1, 0],
    [-1.1, 0],
  ].map(([x, y]) => [x * LABEL.away, y * LABEL.away]);

  // Where the number of each point stands: where no point and no other number is, as far as there is such a place.
  function labelsOf(points, x, y) {
    const taken = points.map((p) => ({x: x(p), y: y(p), width: 12, height: 12}));
    const overlap = (a, b) => Math.max(0, (a.width + b.width) / 2 - Math.abs(a.x - b.x)) * Math.max(0, (a.height + b.height) / 2 - Math.abs(a.y - b.y));
    return points.map((p) => {
      const placed = AROUND.map(([dx, dy]) => ({x: x(p) + dx, y: y(p) + dy, width: LABEL.width, height: LABEL.height, dx, dy}));
      const best = d3.least(placed, (place) => d3.sum(taken, (other) => overlap(place, other)));
      taken.push(best);
      return best;
    });
  }

  function drawFront(measure, points, front, width) {
    const isFront = new Set(front);
    const of = measure.of;
    const [leastTime, mostTime] = d3.extent(points, (p) => p.makespan_s);
    const [least, most] = d3.extent(points, of);
    const x = kit.valueAxis("x", measure.label, least, most, measure.short, least > 0 && most / least > 10);
    const y = kit.valueAxis("y", "time of the program", leastTime, mostTime, (v) => time(v, 3), leastTime > 0 && mostTime / leastTime > 10);
    const plotOf = (labels) =>
      Plot.plot({
        ...common(width),
        marginLeft: 70,
        marginRight: 30,
        height: width < 500 ? 320 : 400,
        x: {...x.scale, inset: 8, ...(width < 500 && x.scale.ticks ? {ticks: 3} : {}), ...(x.scale.label ? {labelAnchor: "center"} : {})},
        y: {...y.scale, inset: 8},
        marks: [
          ...x.marks,
          ...y.marks,
          Plot.line(front, {x: of, y: "makespan_s", curve: "step-after", stroke: "var(--faint)", strokeWidth: 1.5, strokeDasharray: "6 4"}),
          Plot.dot(points, {
            x: of,
            y: "makespan_s",
            r: (p) => (isFront.has(p) ? 7 : 4.5),
            sort: null,
            symbol: (p) => kit.symbolOf(styles.get(p.fabric)),
            fill: (p) => styles.get(p.fabric).color,
            stroke: (p) => styles.get(p.fabric).color,
            title: (p) => `${p.name}: ${measure.show(of(p))}, ${time(p.makespan_s)}`,
          }),
          ...points.map((p, i) =>
            Plot.text([p], {
              x: of,
              y: "makespan_s",
              text: () => String(p.number),
              ...labels?.[i],
              fontWeight: isFront.has(p) ? "bold" : "normal",
              fill: "currentColor",
              stroke: "var(--card)",
              strokeWidth: 4,
            }),
          ),
        ],
        color: {type: "identity"},
        r: {type: "identity"},
        symbol: {type: "identity"},
      });
    const first = plotOf(null);
    const labels = labelsOf(
      points,
      (p) => first.scale("x").apply(of(p)),
      (p) => first.scale("y").apply(p.makespan_s),
    );
    return plotOf(labels.map(({dx, dy}) => ({dx, dy})));
  }

  function front() {
    let measure = measures[0];
    const known = () => counted.filter((p) => measure.of(p) !== null);
    const frontNow = () => d3.sort(frontOf(measure.of, known()), measure.of);
    const figure = chart("", (width) => drawFront(measure, known(), frontNow(), width));
    const key = element("div", {});
    const says = element("p", {class: "says"});
    const update = () => {
      const best = frontNow();
      const unknown = counted.length - known().length;
      figure.setAttribute(
        "aria-label",
        `Time over ${measure.label}. ${known()
          .map((p) => `${p.number} ${p.name}: ${measure.show(measure.of(p))}, ${time(p.makespan_s)}${best.includes(p) ? ", on the front" : ""}`)
          .join("; ")}.`,
      );
      says.textContent = `${plural(best.length, "network")} of ${known().length} on the front.${unknown ? ` Of ${unknown} more the energy is not known.` : ""}`;
      key.replaceChildren(legend(known().map((p) => ({name: `${p.number}\u2002${p.name}`, style: {...styles.get(p.fabric), dash: "0 99"}}))));
      kit.refresh([figure]);
    };
    update();
    return section(
      "front",
      "Time against cost",
      null,
      [
        "Each mark is a network; its number is that of the list, in the order of cost. A fabric has the same colour and mark everywhere.",
        "Further left is cheaper, further down is faster.",
        "The dashed line is the front: no network is below it and to the left of it. Large marks and bold numbers are on it.",
      ],
      [
        element(
          "div",
          {class: "switches"},
          kit.radios(
            "cost-measure",
            "Against",
            measures.map(({id, text}) => ({value: id, text})),
            measure.id,
            (id) => {
              measure = measures.find((one) => one.id === id);
              update();
            },
          ),
        ),
        says,
        figure,
        key,
      ],
      {
        name: "networks",
        columns: [
          {name: "number", of: (p) => p.number},
          {name: "network", word: true, of: (p) => p.name},
          {name: "nodes", of: (p) => p.nodes, show: count},
          {name: "cost", csv: "cost_usd", number: true, of: (p) => p.cost_usd, show: money},
          {name: "power", csv: "power_w", number: true, of: (p) => p.power_w, show: watts},
          {name: "time", csv: "makespan_s", number: true, of: (p) => p.makespan_s, show: (v) => time(v, 6)},
          {name: "energy", csv: "energy_j", number: true, of: (p) => p.energy_j, show: joules},
          {name: "on the front", csv: "on_front", of: (p) => (p.on_front ? "yes" : "no")},
        ],
        rows: counted,
      },
    );
  }

  // ------------------------------------------------------------- where it goes

  // Parts have patterns, so that nobody takes them for fabrics.
  const FILLS = ["var(--compute)", hatchings[0], "var(--faint)", hatchings[4], hatchings[2], hatchings[1], hatchings[5]];

  // Bars of networks that consist of parts. pieces: {network, name, fill, value}; say(network) stands behind a bar.
  function stackedBars(words, pieces, label, short, show, say) {
    const names = counted.map((network) => `${network.number}  ${network.name}`);
    const rowOf = (network) => names[network.number - 1];
    const most = d3.max(counted, (network) => d3.sum(pieces, (piece) => (piece.network === network ? piece.value : 0)));
    return chart(words, (width) => {
      const isNarrow = width < 560 || kit.labelWidth(names) > 0.4 * width; // names stand above their bars
      return Plot.plot({
        ...common(width),
        marginTop: 4,
        marginLeft: isNarrow ? 8 : kit.labelWidth(names),
        marginRight: isNarrow ? 16 : 90,
        height: 50 + (isNarrow ? 46 : 30) * names.length,
        x: {label, labelAnchor: "center", grid: true, ticks: width < 500 ? 3 : 6, tickFormat: short, domain: kit.upTo([most])},
        y: {label: null, domain: names, ...(isNarrow ? {axis: null} : {})},
        color: {type: "identity"},
        marks: [
          Plot.barX(
            pieces,
            Plot.stackX({
              y: (piece) => rowOf(piece.network),
              x: "value",
              z: "name",
              order: null,
              fill: "fill",
              insetTop: isNarrow ? 22 : 3,
              insetBottom: 3,
              title: (piece) => `${piece.network.name}: ${piece.name} ${show(piece.value)}`,
            }),
          ),
          Plot.ruleX([0]),
          Plot.text(counted, {
            y: rowOf,
            textAnchor: "start",
            fill: "currentColor",
            ...(isNarrow
              ? {frameAnchor: "left", dy: -12, text: (network) => `${rowOf(network)}: ${say(network)}`}
              : {x: (network) => d3.sum(pieces, (piece) => (piece.network === network ? piece.value : 0)), dx: 6, text: say}),
          }),
        ],
      });
    });
  }

  // One such chart for each choice; the others wait.
  function choices(name, options) {
    const place = element("div", {}, ...options[0].parts);
    return [
      ...(options.length > 1
        ? [
            element(
              "div",
              {class: "switches"},
              kit.radios(
                name,
                "Show",
                options.map(({text}) => ({value: text, text})),
                options[0].text,
                (text) => {
                  place.replaceChildren(...options.find((option) => option.text === text).parts);
                  kit.refresh();
                },
              ),
            ),
          ]
        : []),
      place,
    ];
  }

  const partKinds = [...new Set(data.networks.flatMap(({parts}) => (parts ?? []).map(({part}) => part)))];

  function partsChart(text, field, label, short, show, say) {
    const pieces = counted.flatMap((network) =>
      network.parts.filter((part) => part[field] > 0).map((part) => ({network, name: part.part, fill: FILLS[partKinds.indexOf(part.part) % FILLS.length], value: part[field]})),
    );
    const shown = partKinds.filter((kind) => pieces.some((piece) => piece.name === kind));
    const words = counted
      .map((network) => `${network.name}: ${network.parts.filter((part) => part[field] > 0).map((part) => `${part.part} ${show(part[field])}`).join(", ") || "nothing"}`)
      .join("; ");
    return {
      text,
      parts: [
        legend(shown.map((kind) => ({name: kind, color: FILLS[partKinds.indexOf(kind) % FILLS.length]}))),
        stackedBars(`What the ${label} consists of. ${words}.`, pieces, label, short, show, say),
      ],
    };
  }

  function parts() {
    const rows = counted.flatMap((network) => network.parts.map((part) => ({network, ...part})));
    return section(
      "parts",
      "Where the money and the power go",
      null,
      ["A bar is a network, and its pieces are the kinds of its parts. Pieces are in the order of the key.", "All parts of a network count, also those of nodes that the program does not use."],
      choices("parts-measure", [
        partsChart("money", "cost_usd", "cost", shortMoney, money, cost),
        partsChart("power", "power_w", "power", (v) => quantity(v, "W", 3), watts, (network) => watts(network.power_w)),
      ]),
      {
        name: "parts",
        columns: [
          {name: "network", word: true, of: (row) => row.network.name},
          {name: "part", word: true, of: (row) => row.part},
          {name: "count", of: (row) => row.count, show: count},
          {name: "ports", number: true, of: (row) => row.ports, show: count},
          {name: "most ports of one", csv: "widest", number: true, of: (row) => row.widest, show: count},
          {name: "metres", number: true, of: (row) => row.metres, show: (v) => kit.digits(v, 4)},
          {name: "cost", csv: "cost_usd", number: true, of: (row) => (row.has_price ? row.cost_usd : null), show: money},
          {name: "power", csv: "power_w", number: true, of: (row) => row.power_w, show: watts},
        ],
        rows,
      },
    );
  }

  // ------------------------------------------------------------------- energy

  const energies = [
    {field: "standing_j", name: "power over the time", fill: "var(--compute)"},
    {field: "moving_j", name: "bytes", fill: hatchings[0]},
    {field: "switching_j", name: "set-ups of circuits", fill: hatchings[4]},
  ];

  function energy() {
    const pieces = counted.flatMap((network) => energies.filter(({field}) => network[field] > 0).map((kind) => ({network, ...kind, value: network[kind.field]})));
    if (!pieces.length) return null;
    const shown = energies.filter(({name}) => pieces.some((piece) => piece.name === name));
    const words = counted.map((network) => `${network.name}: ${energies.map(({field, name}) => `${name} ${joules(network[field])}`).join(", ")}`).join("; ");
    return section(
      "energy",
      "What the energy of the run consists of",
      null,
      [
        "The power of all parts multiplied by the time; what each byte takes in packet switches and at the ends; and what setting up circuits takes.",
        "If an amount is not known and has a price, the energy of that network is not known.",
      ],
      [
        legend(shown.map(({name, fill}) => ({name, color: fill}))),
        stackedBars(`What the energy consists of. ${words}.`, pieces, "energy", (v) => quantity(v, "J", 3), joules, (network) => joules(network.energy_j)),
      ],
      {
        name: "energy",
        columns: [
          {name: "network", word: true, of: (network) => network.name},
          ...energies.map(({field, name}) => ({name, csv: field, number: true, of: (network) => network[field], show: joules})),
          {name: "in all", csv: "energy_j", number: true, of: (network) => network.energy_j, show: joules},
        ],
        rows: counted,
      },
    );
  }

  // ------------------------------------------------------------------- prices

  function prices() {
    return listSection(
      "prices",
      "The prices",
      "In US dollars, watts and picojoules. Those of the program come from different years and sellers; docs/models/cost.md names their sources.",
      [
        {name: "price", word: true, of: (price) => price.name},
        {name: "value", number: true, of: (price) => price.value, show: (v) => (isNaN(v) ? v : kit.digits(Number(v), 6))},
        {name: "meaning", prose: true, of: (price) => price.doc},
      ],
      data.prices,
    );
  }

  function build() {
    const machine = data.machine ? `; machine ${data.machine}` : "";
    document.getElementById("subtitle").textContent = `What ${plural(data.networks.length, "network")} cost, and how long and how much energy the program takes on them${machine}; by Heliograph ${data.version}`;
    document.getElementById("main").append(...[...answer(), ...(counted.length ? [front(), parts(), energy()] : []), prices()].filter((part) => part));
  }

  kit.page(build);
})();
