// The parts of which sections of reports are made: readable numbers, elements, tables, charts.
"use strict";
const kit = (() => {
  let drawings = []; // drawn again when the width changes

  // -------------------------------------------------------- words and numbers

  const digits = (value, count) =>
    Number(value.toPrecision(count)).toLocaleString("en", {maximumFractionDigits: 12});
  const scaled = (value, scales, count) => {
    if (!value) return `0 ${scales[scales.length - 1][1]}`;
    const [scale, unit] = scales.find(([s]) => Math.abs(value) >= s) ?? scales[scales.length - 1];
    return `${digits(value / scale, count)}\u00a0${unit}`;
  };
  const TIME_SCALES = [
    [1, "s"],
    [1e-3, "ms"],
    [1e-6, "us"],
    [1e-9, "ns"],
    [1e-12, "ps"],
  ];
  const time = (s, count = 4) => (s === 0 ? "0 s" : scaled(s, TIME_SCALES, count));
  // The unit of an axis up to this time.
  const timeScale = (largest) => {
    const [scale, name] = TIME_SCALES.find(([s]) => largest >= s) ?? [1e-9, "ns"];
    return {scale, name};
  };
  const size = (b, count = 4) =>
    scaled(
      b,
      [
        [1e12, "TB"],
        [1e9, "GB"],
        [1e6, "MB"],
        [1e3, "kB"],
        [1, "B"],
      ],
      count,
    );
  const bits = (bytesPerSecond) =>
    scaled(
      8 * bytesPerSecond,
      [
        [1e12, "Tb/s"],
        [1e9, "Gb/s"],
        [1e6, "Mb/s"],
        [1e3, "kb/s"],
        [1, "b/s"],
      ],
      4,
    );
  const binary = (b) =>
    scaled(
      b,
      [
        [2 ** 40, "TiB"],
        [2 ** 30, "GiB"],
        [2 ** 20, "MiB"],
        [2 ** 10, "KiB"],
        [1, "B"],
      ],
      4,
    );
  const count = (n) => n.toLocaleString("en");
  const percent = (share) =>
    share > 0 && share < 5e-5
      ? "<\u00a00.01\u00a0%"
      : `${(100 * share).toFixed(share > 0 && share < 0.01 ? 2 : 1)}\u00a0%`;
  // What follows from how fast something is, in the words of units_speed_of() (base/units.h): whether that is good or bad,
  // and what stands before the other thing.
  const moodOf = (words) => (/slower$/.test(words) ? "bad" : words === "as fast" ? "" : "good");
  const than = (words) => (/(slower|faster)$/.test(words) ? "than" : "as");
  const rankCount = (run) => (Array.isArray(run.ranks) ? run.ranks.length : run.ranks.count);
  const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;

  // A number with a unit, as parameters have: its value in base units and its kind; undefined for other texts.
  const TIMES = {ps: 1e-12, ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1};
  const PREFIXES = {"": 1, k: 1e3, K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50};
  function quantity(text) {
    const [, number, unit] = /^(-?[0-9.]+(?:e[-+]?[0-9]+)?)\s*([A-Za-zµ/]*)$/.exec(text) ?? [];
    if (number === undefined || isNaN(number)) return undefined;
    if (unit === "") return {value: Number(number), kind: "number"};
    if (unit in TIMES) return {value: Number(number) * TIMES[unit], kind: "time"};
    const [, prefix, base, per] = /^([kKMGTP]?i?)(B|b|bit)(\/s)?$/.exec(unit) ?? [];
    if (!(prefix in PREFIXES)) return undefined;
    return {value: (Number(number) * PREFIXES[prefix]) / (base === "B" ? 1 : 8), kind: per ? "rate" : "size"};
  }

  // ----------------------------------------------------------------- elements

  // Text is always set as text, so nothing in the results can become markup.
  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  // columns: {name, of(row), show(value), prose, word}. Numbers are aligned to the right, prose gets a wide column, and a
  // word stays on one line.
  // Part of a number that is cut at the edge reads as another number, so it is said where a table goes on.
  function wideNote(region) {
    const note = element("p", {class: "wide", hidden: ""}, "The table goes on to the right: scroll it →");
    const look = () => {
      note.hidden = region.scrollWidth <= region.clientWidth + 1;
      region.classList.toggle("cut", !note.hidden && region.scrollLeft + region.clientWidth < region.scrollWidth - 1);
    };
    new ResizeObserver(look).observe(region);
    region.addEventListener("scroll", look, {passive: true});
    return note;
  }

  function table(caption, columns, rows) {
    const isNumber = (column) => column.number || rows.some((row) => typeof column.of(row) === "number");
    const cell = (column, row, i) => {
      const value = column.of(row);
      const shown = value === null || value === undefined ? "" : column.show ? column.show(value) : String(value);
      const attributes = isNumber(column) ? {class: "number"} : column.prose ? {class: "prose"} : column.word ? {class: "word"} : {};
      return i === 0 ? element("th", {scope: "row", ...attributes}, shown) : element("td", attributes, shown);
    };
    const region = element(
      "div",
      {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
      element(
        "table",
        {},
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            ...columns.map((column) =>
              element("th", {scope: "col", ...(isNumber(column) ? {class: "number"} : {})}, column.name),
            ),
          ),
        ),
        element("tbody", {}, ...rows.map((row) => element("tr", {}, ...columns.map((c, i) => cell(c, row, i))))),
      ),
    );
    return element("div", {class: "table"}, wideNote(region), region);
  }

  function download(name, columns, rows) {
    const quoted = (value) => {
      const plain = value === null || value === undefined ? "" : String(value);
      // as in output/quote.c: a spreadsheet would compute a field that begins like a formula
      const text = /^([=@\t\r]|[+-].*[^\w+.%/ -])/s.test(plain) ? `'${plain}` : plain;
      return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const button = element("button", {type: "button"}, `Save as ${name}.csv`);
    button.addEventListener("click", () => {
      const lines = [columns.map((c) => c.csv ?? c.name), ...rows.map((row) => columns.map((c) => c.of(row)))];
      const blob = new Blob([lines.map((line) => line.map(quoted).join(",") + "\n").join("")], {type: "text/csv"});
      const link = element("a", {href: URL.createObjectURL(blob), download: `${name}.csv`});
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
    return button;
  }

  function drawing(name, attributes, ...children) {
    const made = d3.create(`svg:${name}`).node();
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  // What ranks do has patterns, and fabrics have colours: neither is taken for the other. `hatchings` are fills.
  const HATCHES = ["M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4", "M-2,6 l4,4 M0,0 l8,8 M6,-2 l4,4", "M0,4 h8", "M4,0 v8", "M0,4 h8 M4,0 v8", "M1,2 h2 M5,6 h2"];
  function pattern(id, ground, path, stroke = "var(--faint)") {
    const tile = {width: 8, height: 8};
    return drawing(
      "pattern",
      {id, patternUnits: "userSpaceOnUse", ...tile},
      drawing("rect", {...tile, style: `fill: ${ground}`}),
      drawing("path", {d: path, style: `stroke: ${stroke}; fill: none`, "stroke-width": 1.2}),
    );
  }
  document.body.append(
    drawing(
      "svg",
      {width: 0, height: 0, style: "position: absolute", "aria-hidden": "true"},
      ...HATCHES.map((path, i) => pattern(`hatch-${i}`, "var(--wait)", path)),
      pattern("dotted", "var(--compute)", "M1,2 h2 M5,6 h2"),
    ),
  );
  const hatchings = HATCHES.map((_, i) => `url(#hatch-${i})`);

  // What a critical path consists of: the fields of its JSON.
  const pathKinds = [
    {id: "computation_s", name: "computation", fill: "var(--compute)"},
    {id: "software_s", name: "software and NICs", fill: "url(#dotted)"},
    {id: "setup_s", name: "set-up of paths", fill: hatchings[4]},
    {id: "latency_s", name: "latency", fill: hatchings[3]},
    {id: "bandwidth_s", name: "bandwidth", fill: hatchings[2]},
    {id: "contention_s", name: "contention", fill: hatchings[0]},
    {id: "other_s", name: "not told by the fabric", fill: "var(--wait)"},
  ];

  // entries: {name, color}, or for lines {name, style} with the style of a fabric
  const legend = (entries) =>
    element(
      "ul",
      {class: "legend", "aria-hidden": "true"},
      ...entries.map(({name, color, style}) => element("li", {}, style ? lineSwatch(style) : areaSwatch(color), name)),
    );
  const areaSwatch = (color) =>
    drawing("svg", {width: 14, height: 14}, drawing("rect", {width: 14, height: 14, rx: 2, style: `fill: ${color}`}));
  function lineSwatch(style) {
    const marker = d3.symbol(symbolOf(style), 44)();
    return drawing(
      "svg",
      {width: 36, height: 14},
      drawing("path", {d: "M0,7 h36", style: `stroke: ${style.color}; stroke-dasharray: ${style.dash || "none"}; stroke-width: 2`}),
      drawing("path", {d: marker, transform: "translate(18 7)", style: `fill: ${style.color}; stroke: ${style.color}`}),
    );
  }
  const SYMBOLS = {
    circle: d3.symbolCircle,
    square: d3.symbolSquare,
    triangle: d3.symbolTriangle,
    diamond: d3.symbolDiamond,
    star: d3.symbolStar,
    times: d3.symbolTimes,
    plus: d3.symbolPlus,
  };
  const markers = Object.keys(SYMBOLS);
  const symbolOf = (style) => SYMBOLS[style.marker];

  // Buttons of which one is chosen. options: {value, text}; choose(value) is called when another one is.
  const radios = (name, title, options, chosen, choose) =>
    element(
      "fieldset",
      {class: "switch"},
      element("legend", {}, title),
      ...options.map(({value, text}) => {
        const button = element("input", {type: "radio", name, value});
        button.checked = value === chosen;
        button.addEventListener("change", () => choose(value));
        return element("label", {class: "tick"}, button, text);
      }),
    );

  // draw(width) returns the SVG; `text` has the same in words, for screen readers.
  function chart(text, draw) {
    const figure = element("figure", {class: "chart", role: "img", "aria-label": text});
    drawings.push({figure, draw, width: 0});
    return figure;
  }

  // Figures that have left the page are forgotten. A figure in a closed part of the page has no width yet.
  function redraw() {
    drawings = drawings.filter(({figure, width}) => figure.isConnected || !width);
    for (const shown of drawings) {
      const width = Math.floor(shown.figure.clientWidth);
      if (!width || width === shown.width) continue;
      shown.width = width;
      shown.figure.replaceChildren(shown.draw(width));
    }
  }

  // Builds the page, and draws its charts again when the width of the window changes.
  function page(build) {
    const main = document.getElementById("main");
    try {
      build();
      redraw();
      new ResizeObserver(redraw).observe(main);
    } catch (error) {
      main.append(
        element("p", {class: "notice failed", role: "alert"}, `This page could not be drawn: ${error.message}`),
      );
      throw error;
    }
  }

  // A topology's switches and the links between them, as in report/topology.h. drawLinks(group, pathOf) draws the links
  // into a group; pathOf(line) is the path of a line. styleSwitches(circles), if given, sets the style of switches. Links
  // that bow around others may leave the rectangle of the switches by up to BOW. A picture that is much wider than high,
  // such as a tree with many switches, is stretched, so that its levels can be told apart.
  const BOW = 44;
  const FLATTEST = 0.42; // height over width
  const SMALLEST = 1.6; // radius of a switch in pixels
  function network({switches}, width, drawLinks, styleSwitches = () => {}) {
    const [left, right] = d3.extent(switches, (s) => s.x);
    const [top, bottom] = d3.extent(switches, (s) => s.y);
    const wide = right - left + 2 * BOW;
    const isFlat = bottom > top && bottom - top + 2 * BOW < FLATTEST * wide;
    const stretch = isFlat ? (FLATTEST * wide - 2 * BOW) / (bottom - top) : 1;
    const high = stretch * (bottom - top) + 2 * BOW;
    const y = (at) => top + stretch * (at - top);
    const pathOf = ({path}) => (isFlat ? path.replace(/(-?[\d.]+) (-?[\d.]+)/g, (_, x, at) => `${x} ${y(Number(at)).toFixed(1)}`) : path);
    const shown = Math.min(width, 1.6 * wide);
    const svg = d3
      .create("svg")
      .attr("viewBox", `${left - BOW} ${top - BOW} ${wide} ${high}`)
      .attr("width", shown)
      .attr("height", (shown / wide) * high);
    drawLinks(svg.append("g").attr("fill", "none").attr("stroke-linecap", "round"), pathOf);
    const circles = svg
      .append("g")
      .selectAll("circle")
      .data(switches)
      .join("circle")
      .attr("cx", (s) => s.x)
      .attr("cy", (s) => y(s.y))
      .attr("r", Math.max(5, (SMALLEST * wide) / shown))
      .style("fill", "var(--faint)");
    circles.append("title").text((s) => s.name);
    styleSwitches(circles);
    return svg.node();
  }

  // The drawings depend on other things than the width: all, or those of some figures.
  function refresh(figures) {
    for (const shown of drawings) if (!figures || figures.includes(shown.figure)) shown.width = shown.width && -1;
    redraw();
  }

  // A table that is made when it is opened: most readers do not open it, and it can be long.
  const ROWS_AT_MOST = 5000;
  function numbers(title, {name, columns, rows}) {
    const made = element("details", {}, element("summary", {}, "The numbers, as a table"), download(name, columns, rows));
    made.addEventListener("toggle", () => {
      if (made.querySelector("table")) return;
      const more = rows.length > ROWS_AT_MOST ? ` The file has all ${count(rows.length)} rows, the table the first ${count(ROWS_AT_MOST)}.` : "";
      if (more) made.append(element("p", {class: "says"}, more));
      made.append(table(title, columns, rows.slice(0, ROWS_AT_MOST)));
    });
    return made;
  }

  // how: sentences that say how to read the section; data: {name, columns, rows}
  function section(id, title, says, how, charts, data) {
    const made = element(
      "section",
      {id, class: how.length ? "beside" : "long", "aria-labelledby": `${id}-title`},
      element(
        "div",
        {},
        element("h2", {id: `${id}-title`}, title),
        says ? element("p", {class: "says"}, says) : null,
        ...charts,
        data ? numbers(title, data) : null,
      ),
    );
    if (how.length)
      made.append(
        element(
          "div",
          {class: "how"},
          element("b", {}, "How to read this"),
          ...how.map((line) => element("p", {}, line)),
        ),
      );
    return made;
  }

  // A section that has a table and nothing else.
  function listSection(id, title, says, columns, rows) {
    return section(id, title, says, [], [table(title, columns, rows), download(id, columns, rows)], null);
  }

  // guards: {name, passed, reason} of a measurement.
  function guardsSection(says, guards) {
    return listSection(
      "guards",
      "Was the machine quiet?",
      says,
      [
        {name: "guard", of: (guard) => guard.name},
        {name: "passed", of: (guard) => (guard.passed ? "yes" : "NO")},
        {name: "what it saw", prose: true, of: (guard) => guard.reason},
      ],
      guards,
    );
  }

  // How each fabric is drawn, by its name: color, dash, marker and whether it is a bound. `list` comes from the
  // table of the program (output/fabric_style.h).
  function fabricStyles(list) {
    const rules = (ground) => list.map((style, i) => `--fabric-${i}: ${style[ground]};`).join(" ");
    document.head.append(
      element(
        "style",
        {},
        `:root { ${rules("light")} }\n@media screen and (prefers-color-scheme: dark) { :root { ${rules("dark")} } }`,
      ),
    );
    return new Map(list.map((style, i) => [style.fabric, {...style, color: `var(--fabric-${i})`}]));
  }

  const palette = d3.range(8).map((i) => `var(--c${i})`);
  const common = (width) => ({
    width,
    style: {background: "transparent", fontSize: "12px"},
    marginTop: 26,
    marginBottom: 42,
    marginRight: 24,
  });

  // The space on each side of a bar. Narrow bars have none, so that they keep their colour.
  const gap = (bars, width) => (width / bars > 8 ? 0.5 : 0);
  const labelWidth = (names) => 12 + 7.5 * d3.max(names, (name) => name.length);

  // From 0 to the largest value. If all values are 0 there is still an axis.
  const upTo = (values) => [0, d3.max(values) || 1];

  // The ticks of a logarithmic axis: 1, 2, 5, 10, ... where there is room for them, else powers of 10. All have labels.
  function logTicks(least, most) {
    const AT_MOST = 8;
    const [from, to] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most) + 1e-9)];
    const close = d3.range(from - 1, to + 1).flatMap((decade) => [1, 2, 5].map((digit) => Number(`${digit}e${decade}`)));
    if (!(most > least)) return [10 ** from, 10 ** Math.max(to, from + 1)];
    const fine = close.slice(
      d3.bisectRight(close, least * (1 + 1e-9)) - 1,
      d3.bisectLeft(close, most * (1 - 1e-9)) + 1,
    );
    if (fine.length <= AT_MOST) return fine;
    const step = Math.ceil((to - from) / AT_MOST);
    return d3.range(from, to + step, step).map((decade) => Number(`1e${decade}`));
  }

  // A scale with the marks of its axis. Observable Plot leaves out labels of a logarithmic scale, so the marks have them.
  function axis(way, {ticks, tickFormat, grid, label, ...scale}) {
    const [axisOf, gridOf] = way === "x" ? [Plot.axisX, Plot.gridX] : [Plot.axisY, Plot.gridY];
    if (scale.type !== "log") return {scale: {...scale, ticks, tickFormat, grid, label}, marks: []};
    const arrow = way === "x" ? {labelAnchor: "center"} : {};
    return {
      scale: {...scale, label: null, axis: null},
      marks: [...(grid ? [gridOf(ticks)] : []), axisOf(ticks, {text: tickFormat, label, ...arrow})],
    };
  }

  // An axis of values: logarithmic if they differ much. `show` makes the label of a tick.
  function valueAxis(way, label, least, most, show, isLog = least > 0 && most / least > 30) {
    if (!isLog)
      return axis(way, {domain: [Math.min(0, least), most || 1], nice: true, ticks: 5, tickFormat: show, grid: true, label});
    const ticks = logTicks(least, most);
    return axis(way, {type: "log", domain: [ticks[0], ticks.at(-1)], ticks, tickFormat: show, grid: true, label});
  }

  // A horizontal axis with given values, {name, domain, isNumeric, at(value)}: numeric if they are quantities,
  // logarithmic if they differ much. The labels are the values as they were given, as many as fit. `below` is the room
  // that slanted labels need.
  function settingAxis({name, domain, isNumeric, at}, width) {
    const longest = d3.max(domain, (v) => v.length);
    if (!isNumeric) {
      const isNarrow = width / domain.length < 7 * longest + 8;
      return {
        ...axis("x", {type: "point", domain, label: name, padding: 0.3, tickRotate: isNarrow ? -60 : 0}),
        below: isNarrow ? 6 * longest : 0,
      };
    }
    const [least, most] = [at(domain[0]), at(domain.at(-1))];
    const isLog = least > 0 && most / least >= 8;
    const place = (isLog ? d3.scaleLog() : d3.scaleLinear()).domain([least, most]).range([0, width]);
    const ticks = [];
    for (const value of domain)
      if (!ticks.length || place(at(value)) - place(at(ticks.at(-1))) >= 7 * Math.max(value.length, ticks.at(-1).length) + 8)
        ticks.push(value);
    // A tick comes back as the number or its nearest neighbour.
    const labelOf = (v) => d3.least(ticks, (value) => Math.abs(at(value) - v));
    return {
      ...axis("x", {
        type: isLog ? "log" : "linear",
        domain: [least, most],
        inset: 10,
        ticks: ticks.map(at),
        tickFormat: labelOf,
        label: name,
        ...(isLog ? {} : {labelAnchor: "center"}),
      }),
      below: 0,
    };
  }

  // Bars of the time on each network. A bound is no network: it is a line that no bar can fall short of.
  // rows: {fabric, makespan_s}; say(row) is what stands beside a bar.
  function timeBars(rows, styles, say) {
    const isBound = (row) => styles.get(row.fabric).is_bound;
    const bars = rows.every(isBound) ? rows : rows.filter((row) => !isBound(row));
    const bounds = bars === rows ? [] : rows.filter(isBound);
    const {scale, name} = timeScale(d3.max(rows, (row) => row.makespan_s));
    const at = (row) => row.makespan_s / scale;
    const words = [
      `Bars of the time on each network. ${bars.map((row) => `${row.fabric}: ${time(row.makespan_s, 5)}`).join("; ")}.`,
      ...bounds.map((row) => `The line is a bound, ${row.fabric}: ${time(row.makespan_s, 5)}.`),
    ].join(" ");
    const names = bars.map((row) => row.fabric);
    const most = d3.max(rows, at);
    return chart(words, (width) => {
      const isNarrow = width < 560; // names stand above their bars
      const anchor = (row) => (at(row) > 0.6 * most ? "end" : "start");
      return Plot.plot({
        ...common(width),
        marginLeft: isNarrow ? 8 : labelWidth(names),
        marginRight: isNarrow ? 12 : 190,
        marginTop: bounds.length ? 8 + 18 * bounds.length : 4,
        height: 46 + (bounds.length ? 8 + 18 * bounds.length : 4) + (isNarrow ? 48 : 36) * bars.length,
        x: {label: `time (${name})`, grid: true, ticks: width < 500 ? 3 : 6, domain: upTo(rows.map(at))},
        y: {label: null, domain: names, ...(isNarrow ? {axis: null} : {})},
        color: {type: "identity"},
        marks: [
          Plot.barX(bars, {
            y: "fabric",
            x: at,
            fill: (row) => styles.get(row.fabric).color,
            insetTop: isNarrow ? 22 : 3,
            insetBottom: 3,
          }),
          Plot.ruleX([0]),
          ...bounds.flatMap((row, i) => [
            Plot.ruleX([at(row)], {stroke: styles.get(row.fabric).color, strokeWidth: 2, strokeDasharray: "7 4", className: "bound"}),
            Plot.text([row], {
              x: at,
              frameAnchor: "top",
              textAnchor: anchor(row),
              dx: anchor(row) === "end" ? -4 : 4,
              dy: -9 - 18 * i,
              text: () => `bound (${row.fabric}): ${time(row.makespan_s, 5)}`,
            }),
          ]),
          Plot.text(bars, {
            y: "fabric",
            textAnchor: "start",
            stroke: "var(--card)", // readable in front of the line
            strokeWidth: 4,
            fill: "currentColor",
            ...(isNarrow
              ? {frameAnchor: "left", dy: -12, text: (row) => `${row.fabric}: ${say(row)}`}
              : {x: at, dx: 6, text: say}),
          }),
        ],
      });
    });
  }

  // For each name a bar on each network. `at` is the length of a bar, `marks` stand on top.
  const namedBars = ({names, fabrics, rows, at, label, domain, styles, title, marks = []}) => (width) =>
    Plot.plot({
      ...common(width),
      marginLeft: labelWidth(names),
      height: 60 + names.length * (12 + 14 * fabrics.length),
      x: {label, grid: true, domain},
      y: {label: null, axis: null, domain: fabrics},
      fy: {label: null, domain: names},
      color: {type: "identity"},
      marks: [
        Plot.axisFy({anchor: "left", label: null}),
        Plot.barX(rows, {fy: "name", y: "fabric", x: at, fill: (row) => styles.get(row.fabric).color, title}),
        ...marks,
      ],
    });

  return {
    digits,
    time,
    size,
    binary,
    bits,
    count,
    percent,
    plural,
    moodOf,
    than,
    rankCount,
    quantity,
    logTicks,
    valueAxis,
    settingAxis,
    timeScale,
    timeBars,
    namedBars,
    element,
    table,
    download,
    legend,
    lineSwatch,
    radios,
    chart,
    page,
    network,
    refresh,
    section,
    listSection,
    guardsSection,
    fabricStyles,
    markers,
    symbolOf,
    hatchings,
    pathKinds,
    drawing,
    pattern,
    palette,
    common,
    gap,
    labelWidth,
    upTo,
  };
})();
