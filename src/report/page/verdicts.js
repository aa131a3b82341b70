// What the pages of papers share: verdicts, and the wall of numbers, a cell for each.
"use strict";
const verdicts = (() => {
  const {digits, element} = kit;
  // In the order of how much they say. The mark says without a colour what the colour says.
  const list = [
    {name: "reproduced", color: "var(--good)", mark: "✓"},
    {name: "predicted", color: "var(--c2)", mark: "p"},
    {name: "fitted", color: "var(--c5)", mark: "f"},
    {name: "input", color: "var(--c6)", mark: "i"},
    {name: "deviates", color: "var(--bad)", mark: "✗"},
    {name: "not run", color: "var(--faint)", mark: ""},
    {name: "measured", color: "var(--wait)", mark: "·"},
    {name: "not computable", color: "var(--wait)", mark: "–"},
  ];
  const color = new Map(list.map((verdict) => [verdict.name, verdict.color]));
  const means = {
    reproduced: "within the paper's own rounding or scatter",
    predicted: "the same, and held out from the fit that it depends on",
    fitted: "the same, but it chose a value that it depends on",
    input: "a number of the paper that is put in",
    deviates: "outside",
    "not run": "left out",
    measured: "the paper has words, or ours is no number of the paper's machine",
    "not computable": "from what the paper says",
  };
  const met = (numbers) => numbers.reproduced + numbers.predicted + numbers.fitted;
  const judged = (numbers) => met(numbers) + numbers.deviates;
  const all = (numbers) => d3.sum(list, ({name}) => numbers[name]);

  const number = (value) =>
    Number.isInteger(value) && Math.abs(value) < 1e9 ? value.toLocaleString("en") : digits(value, 5);
  const withUnit = (value, unit) =>
    value === null ? "" : unit ? `${number(value)}\u00a0${unit}` : number(value);
  const deviation = (v) =>
    `${v > 0 ? "+" : ""}${Math.abs(v) < 0.05 ? digits(v, 1) : digits(Math.round(10 * v) / 10, 5)}\u00a0%`;

  // The row of each number in one configuration.
  const rowsOf = (paper, configuration) =>
    paper.rows.filter((row) => row.variant === null && [null, configuration].includes(row.configuration));

  const quoted = (text) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const command = (paper, row, configuration) =>
    `helio reproduce ${paper.paper} --item ${quoted(row.of)}` +
    (paper.configurations.length > 1 ? ` --configuration ${configuration}` : "") +
    (paper.quick ? " --quick" : "");

  function details(paper, row, configuration) {
    const says = paper.configurations.find((c) => c.name === configuration).says;
    const lines = [
      ["number", row.of],
      ["source", row.source],
      ["published", row.published === null ? "words" : withUnit(row.published, row.unit)],
      ["allowed", row.tolerance_percent === null ? "" : `${digits(row.tolerance_percent, 3)}\u00a0%`],
      ["ours", withUnit(row.ours, row.unit)],
      ["deviation", row.deviation_percent === null ? "" : deviation(row.deviation_percent)],
      ["verdict", `${row.verdict}: ${means[row.verdict]}`],
      ["configuration", `${configuration}: ${says}`],
      ["cause", row.note],
      ["experiment", row.experiment ? element("code", {}, row.experiment) : ""],
      ["run it again", element("code", {}, command(paper, row, configuration))],
    ];
    return element(
      "dl",
      {class: "networks"},
      ...lines.filter(([, value]) => value !== "").flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
    );
  }

  function cell(paper, row, configuration, show) {
    const {mark} = list.find(({name}) => name === row.verdict);
    const made = element(
      "button",
      {type: "button", class: "cell", style: `--verdict: ${color.get(row.verdict)}`, "aria-label": `${row.of}: ${row.verdict}`, title: `${row.of}: ${row.verdict}`},
      mark,
    );
    made.addEventListener("click", () => show(made, details(paper, row, configuration)));
    return made;
  }

  // The Tab key comes to one cell of a wall, and the arrow keys to the others.
  function moveByArrows(made) {
    const cells = [...made.querySelectorAll("button.cell")];
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -cells.length, End: cells.length};
    const rove = (to) => cells.forEach((cell, i) => cell.setAttribute("tabindex", i === to ? "0" : "-1"));
    rove(0);
    made.addEventListener("keydown", (event) => {
      const at = cells.indexOf(event.target);
      if (at < 0 || !(event.key in step)) return;
      const to = Math.max(0, Math.min(cells.length - 1, at + step[event.key]));
      event.preventDefault();
      rove(to);
      cells[to].focus();
    });
    return made;
  }

  // A row of cells for each table, figure or section of the paper. A cell opens below the wall.
  function wall(paper, configuration) {
    const opened = element("div", {"aria-live": "polite"});
    let pressed = null;
    const show = (button, shown) => {
      if (pressed) pressed.removeAttribute("aria-pressed");
      pressed = button;
      button.setAttribute("aria-pressed", "true");
      opened.replaceChildren(shown);
    };
    const groups = d3.groups(rowsOf(paper, configuration), (row) => row.of.split("/")[0]);
    const bricks = groups.map(([name, rows]) =>
      element("div", {class: "brick"}, element("span", {}, name), element("div", {}, ...rows.map((row) => cell(paper, row, configuration, show)))),
    );
    return moveByArrows(element("div", {class: "wall"}, ...bricks, opened));
  }

  const legend = () =>
    element(
      "ul",
      {class: "legend"},
      ...list.map(({name, mark, color: of}) =>
        element("li", {title: means[name]}, element("span", {class: "cell", style: `--verdict: ${of}`, "aria-hidden": "true"}, mark), ` ${name}`),
      ),
    );

  // A line for each configuration, with its counts.
  const configurationColumns = [
    {name: "configuration", of: (c) => c.name},
    ...list.map(({name}) => ({name, number: true, of: (c) => c.numbers[name]})),
    {name: "what it is", prose: true, of: (c) => c.says},
  ];

  return {list, color, met, judged, all, number, withUnit, deviation, rowsOf, wall, legend, configurationColumns};
})();
