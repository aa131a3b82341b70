// The program of the page of all papers: how many published numbers are reproduced, and what deviates, with its cause.
"use strict";
(() => {
  const {version, quick, papers} = JSON.parse(document.getElementById("results").textContent);
  const {digits, plural, element, table, download, legend, chart, section, common, labelWidth} = kit;
  const verdicts = [
    {name: "reproduced", color: "var(--good)"},
    {name: "deviates", color: "var(--bad)"},
    {name: "not run", color: "var(--faint)"},
  ];
  const number = (value) =>
    Number.isInteger(value) && Math.abs(value) < 1e9 ? value.toLocaleString("en") : digits(value, 6);
  const withUnit = (value, unit) =>
    value === null ? "" : unit ? `${number(value)}\u00a0${unit}` : number(value);
  const published = (paper) => d3.sum(verdicts, ({name}) => paper.numbers[name]);
  const total = (name) => d3.sum(papers, (paper) => paper.numbers[name]);

  // --------------------------------------------------------- the answer first

  function answer() {
    const [reproduced, deviates, left] = verdicts.map(({name}) => total(name));
    return element(
      "p",
      {class: "answer", id: "answer"},
      `Of ${plural(papers.length, "paper")} with `,
      element("strong", {}, plural(reproduced + deviates + left, "published number")),
      ", ",
      element("strong", {class: "good"}, `${number(reproduced)} are reproduced`),
      " within what their own rounding or a stated tolerance allows, ",
      element("strong", {class: deviates ? "bad" : ""}, `${number(deviates)} deviate`),
      left ? `, and ${number(left)} were not computed` : "",
      quick ? ". This is the quick run, which leaves out numbers that take long." : ".",
    );
  }

  function shares() {
    const bars = papers.flatMap((paper) =>
      verdicts.map(({name, color}) => ({
        paper: paper.paper,
        name,
        color,
        share: (100 * paper.numbers[name]) / (published(paper) || 1),
        count: paper.numbers[name],
      })),
    );
    const words = papers.map((p) => `${p.paper}: ${p.numbers.reproduced} of ${published(p)} reproduced`).join("; ");
    return chart(words, (width) =>
      Plot.plot({
        ...common(width),
        height: 70 + 34 * papers.length,
        marginLeft: labelWidth(papers.map((p) => p.paper)),
        color: {type: "identity"},
        x: {label: "% of its published numbers", domain: [0, 100], grid: true, ticks: 5},
        y: {label: null, domain: papers.map((p) => p.paper)},
        marks: [
          Plot.barX(
            bars,
            Plot.stackX({y: "paper", x: "share", fill: "color", title: (b) => `${b.paper}: ${b.count} ${b.name}`}),
          ),
        ],
      }),
    );
  }

  const paperColumns = [
    {name: "paper", of: (p) => p.paper},
    {name: "published numbers", number: true, of: published},
    {name: "reproduced", number: true, of: (p) => p.numbers.reproduced},
    {name: "deviate", number: true, of: (p) => p.numbers.deviates},
    {name: "not run", number: true, of: (p) => p.numbers["not run"]},
    {name: "our values", number: true, of: (p) => p.rows.length},
  ];

  const overview = () =>
    section(
      "overview",
      "Paper by paper",
      "A number that is computed in several ways counts once, with the result nearest to it.",
      [],
      [
        legend(verdicts),
        shares(),
        table("Published numbers by paper", paperColumns, papers),
        download("papers", paperColumns, papers),
      ],
      null,
    );

  // --------------------------------------------------------------- each paper

  const deviationColumns = [
    {name: "item", of: (r) => r.item},
    {name: "published", number: true, of: (r) => withUnit(r.published, r.unit)},
    {name: "ours", number: true, of: (r) => withUnit(r.ours, r.unit)},
    {
      name: "deviation",
      csv: "deviation_percent",
      number: true,
      of: (r) => r.deviation_percent,
      show: (v) =>
        `${v > 0 ? "+" : ""}${Math.abs(v) < 0.05 ? digits(v, 1) : digits(Math.round(10 * v) / 10, 5)}\u00a0%`,
    },
    {name: "cause", prose: true, of: (r) => r.note || "not known"},
  ];

  // For papers that compute many numbers in several ways: the verdicts of each way.
  function ways(paper) {
    const of = d3
      .groups(
        paper.rows.filter((row) => row.item !== row.of && row.published !== null),
        (row) => row.item.slice(row.of.length + 1),
      )
      .filter(([, rows]) => rows.length >= 5);
    if (!of.length) return [];
    const count = (rows, verdict) => rows.filter((row) => row.verdict === verdict).length;
    const columns = [
      {name: "computed as", of: ([way]) => way},
      ...verdicts.map(({name}) => ({name, number: true, of: ([, rows]) => count(rows, name)})),
    ];
    return [table(`${paper.paper}: ways of computing numbers`, columns, of)];
  }

  function onePaper(paper) {
    const deviating = paper.rows.filter((row) => row.verdict === "deviates");
    const link = element("a", {href: `${paper.paper}.html`}, "Every number, and the figures");
    return section(
      `paper-${paper.paper}`,
      paper.title,
      `${plural(published(paper), "published number")}: ${paper.numbers.reproduced} are reproduced, ${paper.numbers.deviates} deviate` +
        (paper.numbers["not run"] ? `, ${paper.numbers["not run"]} were not computed.` : "."),
      [],
      [
        element("p", {}, link),
        ...ways(paper),
        ...(deviating.length
          ? [table(`${paper.paper}: what deviates`, deviationColumns, deviating)]
          : [element("p", {}, "Nothing deviates.")]),
      ],
      null,
    );
  }

  // ----------------------------------------------------------------- the page

  function build() {
    document.getElementById("subtitle").textContent = `recomputed by Heliograph ${version}`;
    document.getElementById("main").append(answer(), overview(), ...papers.map(onePaper));
  }

  kit.page(build);
})();
