// The program of the page of a paper: the verdicts, the figures, and every number beside the published one.
"use strict";
(() => {
  const paper = JSON.parse(document.getElementById("results").textContent);
  const {digits, plural, element, table, download, legend, chart, section, palette, common} = kit;
  const {number, withUnit, deviation} = verdicts;

  // --------------------------------------------------------- the answer first

  const best = paper.configurations.find((c) => c.name === paper.configuration);

  function answer() {
    const {deviates, "not run": left, predicted, fitted} = paper.numbers;
    const met = verdicts.met(paper.numbers);
    const deviating = verdicts.rowsOf(paper, best.name).filter((row) => row.verdict === "deviates");
    return element(
      "p",
      {class: "answer", id: "answer"},
      paper.configurations.length > 1 ? `In the configuration ${best.name}, of ` : "Of ",
      element("strong", {}, plural(verdicts.judged(paper.numbers), "published number")),
      " that were computed, ",
      element("strong", {class: "good"}, `${met} ${met === 1 ? "is" : "are"} as published`),
      " within the paper's own rounding or scatter",
      fitted || predicted ? ` (${fitted} of them chose a value, ${predicted} were held out)` : "",
      ", and ",
      element("strong", {class: deviates ? "bad" : ""}, `${deviates} ${deviates === 1 ? "deviates" : "deviate"}`),
      deviating.every((row) => row.note) ? ". The cause of each deviation is beside it." : ". Known causes are beside the deviations.",
      left ? ` ${left} were not run.` : "",
    );
  }

  const counted = (name) => paper.numbers[name];
  const tiles = () =>
    element(
      "ul",
      {class: "tiles", "aria-label": "Published numbers by verdict"},
      ...verdicts.list.filter(({name}) => counted(name)).map(({name}) =>
        element(
          "li",
          {},
          element("span", {class: "label"}, name),
          element("span", {class: "value"}, String(counted(name))),
        ),
      ),
    );

  // ----------------------------------------------------------- configurations

  function wall() {
    const held = element("div", {}, verdicts.wall(paper, best.name));
    const chosen = element("select", {"aria-label": "Configuration of the wall"}, ...paper.configurations.map(({name}) => element("option", {value: name}, name)));
    chosen.value = best.name;
    chosen.addEventListener("change", () => held.replaceChildren(verdicts.wall(paper, chosen.value)));
    return section(
      "wall",
      "Every published number, a cell each",
      "Choose a cell, or move through them with the arrow keys: it opens to what is published, ours, the cause, and the command that runs it again.",
      [],
      [...(paper.configurations.length > 1 ? [element("label", {class: "choice"}, "configuration", chosen)] : []), verdicts.legend(), held],
      null,
    );
  }

  const unknownColumns = [
    {name: "not stated", of: (u) => u.name},
    {name: "values", of: (u) => u.values.join(", ")},
    ...paper.configurations.map((c) => ({name: c.name, of: (u) => c.choices[u.name]})),
    {name: "what the paper says", prose: true, of: (u) => u.says},
  ];

  // What a search did: the steps of its path, and what each other value of each unknown gives.
  function searchOf({name, path, changes}) {
    const columns = (title) => [
      {name: title, of: (line) => line.slice(0, line.indexOf(": "))},
      {name: "as published", of: (line) => line.slice(line.indexOf(": ") + 2)},
    ];
    return [
      element("h3", {}, `How ${name} was found`),
      table("Steps of the search", columns("step"), path),
      element("h3", {}, `What each unknown changes, beginning at ${name}`),
      table("Other values of the unknowns", columns("one value changed"), changes),
    ];
  }

  const configurations = () =>
    paper.configurations.length < 2
      ? null
      : section(
          "configurations",
          "What the paper leaves open",
          "A configuration chooses a value for each thing that the paper does not state. A number has one verdict in each configuration.",
          [],
          [
            table("Verdicts by configuration", verdicts.configurationColumns, paper.configurations),
            table("What each configuration chooses", unknownColumns, paper.unknowns),
            download(`${paper.paper}-configurations`, verdicts.configurationColumns, paper.configurations),
            ...paper.configurations.filter((c) => c.path.length).flatMap(searchOf),
          ],
          null,
        );

  // ------------------------------------------------------------------ figures

  const unique = (values) => [...new Set(values)];
  const styles = kit.fabricStyles(JSON.parse(document.getElementById("meanings").textContent).fabrics);
  const seriesColor = (names) => new Map(names.map((name, i) => [name, styles.get(name)?.color ?? palette[i % palette.length]]));

  const isPublished = (point) => point.published !== undefined;

  function axes(figure, width) {
    return {
      ...common(width),
      height: 260,
      color: {type: "identity"},
    };
  }

  // A vertical axis: its scale, and the marks that label it. `from` is where bars begin.
  function upwards(figure, points, from) {
    const ends = [...points.map((p) => p.y), ...points.filter(isPublished).map((p) => p.published), ...(figure.reference ? [figure.reference] : []), ...(from === undefined ? [] : [from])];
    const [least, most] = d3.extent(ends);
    if (!figure.y_log || !(least > 0)) return {scale: {label: figure.y || null, grid: true, ticks: 5}, marks: []};
    return kit.valueAxis("y", figure.y || null, least, most, (y) => digits(y, 3), true);
  }

  const reference = (figure) =>
    figure.reference ? [Plot.ruleY([figure.reference], {stroke: "currentColor", strokeDasharray: "4 3"})] : [];

  function lines(figure, points, colors, width) {
    const y = upwards(figure, points);
    return Plot.plot({
      ...axes(figure, width),
      marginLeft: 56,
      x: {label: figure.x, type: figure.x_log ? "log" : "linear", ...(figure.x_log ? {base: 2, ticks: 7} : {}), tickFormat: (x) => digits(x, 4)},
      y: {...y.scale, ...(figure.y_log ? {} : {zero: true})},
      marks: [
        ...y.marks,
        ...reference(figure),
        Plot.line(points, {x: (p) => Number(p.x), y: "y", z: "series", stroke: (p) => colors.get(p.series), strokeWidth: 2}),
        Plot.dot(points, {
          x: (p) => Number(p.x),
          y: "y",
          fill: (p) => colors.get(p.series),
          r: points.length > 120 ? 1.5 : 3,
          title: (p) => `${p.series}, ${figure.x} ${p.x}: ${number(p.y)}`,
        }),
        Plot.dot(points.filter(isPublished), {
          x: (p) => Number(p.x),
          y: "published",
          stroke: (p) => colors.get(p.series),
          symbol: "diamond2",
          r: 5,
          strokeWidth: 2,
          title: (p) => `${p.series}, ${figure.x} ${p.x}, published: ${number(p.published)}`,
        }),
      ],
    });
  }

  // Names that do not fit side by side below a chart are slanted. `room` is what they need then.
  function namesBelow(names, width) {
    const longest = d3.max(names, (name) => name.length);
    const cell = width / names.length;
    const isNarrow = cell < Math.max(36, 6.5 * longest + 6);
    return {cell, isNarrow, room: isNarrow ? 5.8 * longest : 0};
  }

  function bars(figure, points, colors, width) {
    const names = unique(points.map((p) => p.x));
    const {cell, isNarrow, room} = namesBelow(names, width - 80);
    const below = (isNarrow ? 44 : 48) + room;
    const alone = names.length === points.length; // one bar for each name: its label in the middle, with its number
    const y = upwards(figure, points, figure.y_log ? figure.reference || 1 : 0);
    return Plot.plot({
      ...axes(figure, width),
      y: y.scale,
      height: 212 + below,
      marginLeft: 56,
      marginBottom: below,
      fx: {label: figure.x, labelOffset: below - 8, domain: names, padding: 0.15, tickRotate: isNarrow ? -60 : 0},
      x: {axis: null, domain: alone ? [""] : unique(points.map((p) => p.series)), padding: alone ? 0.5 : 0.1},
      marks: [
        ...y.marks,
        ...(alone && cell >= 36
          ? [-1, 1].map((sign) =>
              Plot.text(
                points.filter((p) => (p.y < 0 ? -1 : 1) === sign),
                {fx: "x", x: () => "", y: "y", text: (p) => digits(p.y, 4), dy: -8 * sign},
              ),
            )
          : []),
        Plot.barY(points, {
          fx: "x",
          x: alone ? () => "" : "series",
          y1: figure.y_log ? figure.reference || 1 : 0,
          y2: "y",
          fill: (p) => colors.get(p.series),
          title: (p) => `${p.x}, ${p.series}: ${number(p.y)}`,
        }),
        Plot.tickY(points.filter(isPublished), {
          fx: "x",
          x: alone ? () => "" : "series",
          y: "published",
          stroke: "currentColor",
          strokeWidth: 3,
          title: (p) => `${p.x}, ${p.series}, published: ${number(p.published)}`,
        }),
        ...reference(figure),
      ],
    });
  }

  // Colours around 1, where both are equal: blue is faster, orange is slower.
  function map(figure, points, width) {
    const far = d3.max(points, (p) => Math.abs(Math.log2(p.y))) || 1;
    const shade = (y) => {
      const share = Math.min(1, Math.abs(Math.log2(y)) / far);
      return `color-mix(in srgb, ${y >= 1 ? "var(--c0)" : "var(--c1)"} ${Math.round(12 + 88 * share)}%, var(--card))`;
    };
    const rows = unique(points.map((p) => p.series)), columns = unique(points.map((p) => p.x));
    const longest = d3.max(rows, (name) => name.length);
    const {cell, isNarrow, room} = namesBelow(columns, width - 7 * longest - 24);
    return Plot.plot({
      ...common(width),
      height: 70 + room + 26 * rows.length,
      marginLeft: 12 + 7 * longest,
      marginBottom: 42 + room,
      color: {type: "identity"},
      x: {label: figure.x, domain: columns, tickRotate: isNarrow ? -60 : 0},
      y: {label: null, domain: rows},
      marks: [
        Plot.cell(points, {x: "x", y: "series", fill: (p) => shade(p.y), inset: 0.5, title: (p) => `${p.series}, ${p.x}: ${number(p.y)}`}),
        ...(cell > 30
          ? [Plot.text(points, {x: "x", y: "series", text: (p) => (p.y < 9.95 ? p.y.toFixed(2) : digits(p.y, 3)), fontSize: 10, fill: "currentColor"})]
          : []),
      ],
    });
  }

  function panelChart(figure, panel, colors) {
    const points = figure.points.filter((p) => p.panel === panel);
    const [least, most] = [d3.least(points, (p) => p.y), d3.greatest(points, (p) => p.y)];
    const words = `${figure.title}${panel ? `, ${panel}` : ""}: ${figure.y} from ${number(least.y)} (${least.series}, ${least.x}) to ${number(most.y)} (${most.series}, ${most.x}).`;
    const draw = {lines, bars, map: (f, p, c, width) => map(f, p, width)}[figure.kind];
    return [
      ...(panel ? [element("h3", {}, panel)] : []),
      chart(words, (width) => draw(figure, points, colors, width)),
    ];
  }

  function drawFigure(figure) {
    if (!figure.points.length) return null;
    const names = unique(figure.points.map((p) => p.series));
    const colors = seriesColor(names);
    const panels = unique(figure.points.map((p) => p.panel));
    const columns = [
      {name: "panel", of: (p) => p.panel},
      {name: "series", of: (p) => p.series},
      {name: figure.x, csv: "x", of: (p) => p.x},
      {name: figure.y, csv: "y", number: true, of: (p) => p.y, show: number},
      ...(figure.points.some(isPublished)
        ? [{name: "published", number: true, of: (p) => p.published ?? null, show: number}]
        : []),
    ];
    return section(
      figure.id,
      figure.title,
      figure.says || null,
      [
        ...(figure.how ? [figure.how] : []),
        ...(figure.points.some(isPublished)
          ? [`${figure.kind === "bars" ? "A thick line across a bar" : "A hollow diamond"} is the published number.`]
          : []),
      ],
      [
        ...(figure.kind === "map" || names.length < 2
          ? []
          : [legend(names.map((name) => ({name, color: colors.get(name)})))]),
        ...panels.flatMap((panel) => panelChart(figure, panel, colors)),
      ],
      {name: figure.id, columns, rows: figure.points},
    );
  }

  // ------------------------------------------------------------------ numbers

  const itemColumns = [
    {name: "item", of: (r) => r.item},
    {name: "published", number: true, of: (r) => r.published},
    {name: "ours", number: true, of: (r) => r.ours},
    {name: "unit", of: (r) => r.unit},
    {name: "deviation", csv: "deviation_percent", number: true, of: (r) => r.deviation_percent},
    {name: "allowed", csv: "tolerance_percent", number: true, of: (r) => r.tolerance_percent},
    {name: "verdict", of: (r) => r.verdict},
    {name: "configuration", of: (r) => r.configuration ?? (r.variant === null ? "all" : "")},
    {name: "source", of: (r) => r.source},
    {name: "note", of: (r) => r.note},
  ];
  const shownColumns = [
    itemColumns[0],
    {...itemColumns[1], of: (r) => withUnit(r.published, r.unit)},
    {...itemColumns[2], of: (r) => withUnit(r.ours, r.unit)},
    {...itemColumns[4], show: deviation},
    itemColumns[6],
    {name: "source and cause", prose: true, of: (r) => (r.note ? `${r.source}. ${r.note}` : r.source)},
  ];

  function coloured(rows) {
    const made = table("Published numbers and ours", shownColumns, rows);
    [...made.querySelectorAll("tbody tr")].forEach((line, i) => {
      line.children[4].style.color = verdicts.color.get(rows[i].verdict);
      line.children[4].style.whiteSpace = "nowrap";
    });
    return made;
  }

  function numbers() {
    const whole = coloured(paper.rows);
    const lines_ = [...whole.querySelectorAll("tbody tr")];
    const filter = element("input", {
      type: "search",
      placeholder: "part of a name or verdict",
      "aria-label": "Show items whose name or verdict contains",
    });
    filter.addEventListener("input", () =>
      lines_.forEach((line, i) => {
        const row = paper.rows[i];
        line.hidden = !`${row.item} ${row.verdict}`.includes(filter.value.trim());
      }),
    );
    return section(
      "numbers",
      "Every published number beside ours",
      paper.quick ? 'This is the quick run. Numbers that take long were left out and have the verdict "not run".' : null,
      [],
      [filter, whole, download(`${paper.paper}`, itemColumns, paper.rows)],
      null,
    );
  }

  // ----------------------------------------------------------------- the page

  function build() {
    document.getElementById("subtitle").textContent =
      `recomputed by Heliograph ${paper.version}: ${plural(verdicts.all(paper.numbers), "number")}, ${plural(paper.figures.length, "figure")}`;
    document
      .getElementById("main")
      .append(...[answer(), tiles(), wall(), configurations(), ...paper.figures.map(drawFigure), numbers()].filter((part) => part));
  }

  kit.page(build);
})();
