// The parts of which sections of reports are made: readable numbers, elements, tables, charts.
"use strict";
const kit = (() => {
  const drawings = []; // drawn again when the width changes

  // -------------------------------------------------------- words and numbers

  const digits = (value, count) =>
    Number(value.toPrecision(count)).toLocaleString("en", {maximumFractionDigits: 12});
  const scaled = (value, scales, count) => {
    if (!value) return `0 ${scales[scales.length - 1][1]}`;
    const [scale, unit] = scales.find(([s]) => Math.abs(value) >= s) ?? scales[scales.length - 1];
    return `${digits(value / scale, count)}\u00a0${unit}`;
  };
  const time = (s, count = 4) =>
    s === 0
      ? "0 s"
      : scaled(
          s,
          [
            [1, "s"],
            [1e-3, "ms"],
            [1e-6, "µs"],
            [1e-9, "ns"],
            [1e-12, "ps"],
          ],
          count,
        );
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
  const percent = (share) => `${(100 * share).toFixed(share > 0 && share < 0.01 ? 2 : 1)}\u00a0%`;
  const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;

  // ----------------------------------------------------------------- elements

  // Text is always set as text, so nothing in the results can become markup.
  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  // columns: {name, of(row), show(value), prose}. Numbers are aligned to the right; prose gets a wide column.
  function table(caption, columns, rows) {
    const isNumber = (column) => column.number || rows.some((row) => typeof column.of(row) === "number");
    const cell = (column, row, i) => {
      const value = column.of(row);
      const shown = value === null || value === undefined ? "" : column.show ? column.show(value) : String(value);
      const attributes = isNumber(column) ? {class: "number"} : column.prose ? {class: "prose"} : {};
      return i === 0 ? element("th", {scope: "row", ...attributes}, shown) : element("td", attributes, shown);
    };
    return element(
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
  function pattern(id, ground, path) {
    const tile = {width: 8, height: 8};
    return drawing(
      "pattern",
      {id, patternUnits: "userSpaceOnUse", ...tile},
      drawing("rect", {...tile, style: `fill: ${ground}`}),
      drawing("path", {d: path, style: "stroke: var(--faint); fill: none", "stroke-width": 1.2}),
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
  const symbolOf = (style) => SYMBOLS[style.marker];

  // draw(width) returns the SVG; `text` has the same in words, for screen readers.
  function chart(text, draw) {
    const figure = element("figure", {class: "chart", role: "img", "aria-label": text});
    drawings.push({figure, draw, width: 0});
    return figure;
  }

  function redraw() {
    for (const drawing of drawings) {
      const width = Math.floor(drawing.figure.clientWidth);
      if (!width || width === drawing.width) continue;
      drawing.width = width;
      drawing.figure.replaceChildren(drawing.draw(width));
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

  // A topology's switches and the links between them, as in report/topology.h. drawLinks(group) draws the links into a
  // group. styleSwitches(circles), if given, sets the style of switches. Links that bow around others may leave the
  // rectangle of the switches by up to BOW.
  const BOW = 44;
  function network({switches}, width, drawLinks, styleSwitches = () => {}) {
    const [left, right] = d3.extent(switches, (s) => s.x);
    const [top, bottom] = d3.extent(switches, (s) => s.y);
    const [wide, high] = [right - left + 2 * BOW, bottom - top + 2 * BOW];
    const shown = Math.min(width, 1.6 * wide);
    const svg = d3
      .create("svg")
      .attr("viewBox", `${left - BOW} ${top - BOW} ${wide} ${high}`)
      .attr("width", shown)
      .attr("height", (shown / wide) * high);
    drawLinks(svg.append("g").attr("fill", "none").attr("stroke-linecap", "round"));
    const circles = svg
      .append("g")
      .selectAll("circle")
      .data(switches)
      .join("circle")
      .attr("cx", (s) => s.x)
      .attr("cy", (s) => s.y)
      .attr("r", 5)
      .style("fill", "var(--faint)");
    circles.append("title").text((s) => s.name);
    styleSwitches(circles);
    return svg.node();
  }

  // The drawing depends on other things than the width.
  function refresh() {
    for (const drawing of drawings) drawing.width = 0;
    redraw();
  }

  // how: sentences that say how to read the section; data: {name, columns, rows}
  function section(id, title, says, how, charts, data) {
    const made = element(
      "section",
      {id, class: how.length ? "beside" : "long", "aria-labelledby": `${id}-title`},
      element("h2", {id: `${id}-title`}, title),
    );
    if (says) made.append(element("p", {class: "says"}, says));
    made.append(...charts);
    if (data)
      made.append(
        element(
          "details",
          {},
          element("summary", {}, "The numbers, as a table"),
          table(title, data.columns, data.rows),
          download(data.name, data.columns, data.rows),
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

  const timeScale = (largest) => {
    const scales = [
      [1, "s"],
      [1e-3, "ms"],
      [1e-6, "µs"],
      [1e-9, "ns"],
    ];
    const [scale, name] = scales.find(([s]) => largest >= s) ?? scales[3];
    return {scale, name};
  };

  return {
    digits,
    time,
    size,
    binary,
    count,
    percent,
    plural,
    timeScale,
    element,
    table,
    download,
    legend,
    chart,
    page,
    network,
    refresh,
    section,
    fabricStyles,
    symbolOf,
    hatchings,
    palette,
    common,
    gap,
    labelWidth,
    upTo,
  };
})();
