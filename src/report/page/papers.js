// The program of the page of all papers: how many published numbers are reproduced, and what deviates, with its cause.
"use strict";
(() => {
  const {version, quick, papers} = JSON.parse(document.getElementById("results").textContent);
  const {plural, element, table, download, chart, section, common, labelWidth} = kit;
  const {withUnit, deviation} = verdicts;
  const total = (of) => d3.sum(papers, (paper) => of(paper.numbers));

  // --------------------------------------------------------- the answer first

  function answer() {
    const left = total((numbers) => numbers["not run"]);
    return element(
      "p",
      {class: "answer", id: "answer"},
      `Of ${plural(papers.length, "paper")}, each in its best single configuration, `,
      element("strong", {}, plural(total(verdicts.judged), "published number")),
      " were computed: ",
      element("strong", {class: "good"}, `${total(verdicts.met)} are as published`),
      " within the paper's own rounding or scatter, ",
      element("strong", {class: "bad"}, `${total((numbers) => numbers.deviates)} deviate`),
      left ? `, and ${left} were not run` : "",
      quick ? ". This is the quick run, which leaves out numbers that take long." : ".",
    );
  }

  function shares() {
    const bars = papers.flatMap((paper) =>
      verdicts.list.map(({name, color}) => ({
        paper: paper.paper,
        name,
        color,
        share: (100 * paper.numbers[name]) / (verdicts.all(paper.numbers) || 1),
        count: paper.numbers[name],
      })),
    );
    const words = papers.map((p) => `${p.paper}: ${verdicts.met(p.numbers)} of ${verdicts.judged(p.numbers)} as published`).join("; ");
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

  const countColumns = (of) => [
    {name: "paper", of: (p) => p.paper},
    {name: "configuration", of: (p) => p.configuration},
    {name: "published numbers", number: true, of: (p) => verdicts.all(of(p))},
    ...verdicts.list.map(({name}) => ({name, number: true, of: (p) => of(p)[name]})),
  ];

  function overview() {
    const columns = countColumns((p) => p.numbers);
    const heldOut = papers.filter((p) => verdicts.all(p.held_out));
    return section(
      "overview",
      "Paper by paper",
      "A number has one verdict in each configuration. Counted is the single configuration that meets most.",
      [],
      [
        verdicts.legend(),
        shares(),
        table("Published numbers by paper", columns, papers),
        download("papers", columns, papers),
        ...(heldOut.length
          ? [
              element("h3", {}, "Only the searched numbers that are held out"),
              table("Held-out numbers by paper", countColumns((p) => p.held_out), heldOut),
            ]
          : []),
      ],
      null,
    );
  }

  // --------------------------------------------------------------- each paper

  const deviationColumns = [
    {name: "item", of: (r) => r.of},
    {name: "published", number: true, of: (r) => withUnit(r.published, r.unit)},
    {name: "ours", number: true, of: (r) => withUnit(r.ours, r.unit)},
    {
      name: "deviation",
      csv: "deviation_percent",
      number: true,
      of: (r) => r.deviation_percent,
      show: deviation,
    },
    {name: "cause", prose: true, of: (r) => r.note || "not known"},
  ];

  function onePaper(paper) {
    const deviating = verdicts.rowsOf(paper, paper.configuration).filter((row) => row.verdict === "deviates");
    const link = element("a", {href: `${paper.paper}.html`}, "The figures, and the other configurations");
    const {numbers} = paper;
    return section(
      `paper-${paper.paper}`,
      paper.title,
      `${plural(verdicts.judged(numbers), "published number")} computed in the configuration ${paper.configuration}: ` +
        `${verdicts.met(numbers)} are as published, ${numbers.deviates} deviate` +
        (numbers["not run"] ? `, ${numbers["not run"]} were not run.` : "."),
      [],
      [
        element("p", {}, link),
        verdicts.wall(paper, paper.configuration),
        ...(paper.configurations.length > 1
          ? [table(`${paper.paper}: verdicts by configuration`, verdicts.configurationColumns, paper.configurations)]
          : []),
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
