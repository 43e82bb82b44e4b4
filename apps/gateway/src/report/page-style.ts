/** The style of the page. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#f6f4ef, #14161a);
  --surface: light-dark(#fffefb, #1c1f25);
  --ink: light-dark(#1f2328, #e6e3dc);
  --muted: light-dark(#5d636b, #9aa1ab);
  --line: light-dark(#e2ddd2, #30353d);
  --accent: light-dark(#7a3e12, #e8a66c);
  --held: light-dark(#6b7078, #8a919c);
  --sent: light-dark(#1a7048, #5fcf97);
  --made: light-dark(#0063a3, #6fb4e8);
  --back: light-dark(#b3213f, #ff7a90);
  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', sans-serif;
  background: var(--paper);
  color: var(--ink);
}
* { box-sizing: border-box; }
body { margin: 0; }
header, main, footer { max-width: 76rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 1rem; }
.title { margin: 0; font-weight: 700; }
.title span, .note, footer, figcaption, dt, .most { color: var(--muted); }
.title span { font-weight: 400; margin-left: 0.4rem; }
.note, footer, figcaption, .most { font-size: 0.85rem; }
section { background: var(--surface); border: 1px solid var(--line); border-radius: 0.75rem; padding: 1.25rem 1.5rem; margin: 1rem 0; }
section.headline { background: none; border: 0; padding: 0.75rem 0 0; }
h1 { font-size: clamp(1.35rem, 3.4vw, 2.15rem); font-weight: 500; line-height: 1.3; letter-spacing: -0.015em; text-wrap: balance; margin: 0 0 1.25rem; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 0 0 0.25rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1.25rem 0 0.5rem; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 0.75rem; margin: 0; }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: 0.75rem; padding: 0.8rem 1rem; }
.card dt { font-size: 0.85rem; }
.card dd { margin: 0; font-size: 1.35rem; font-weight: 600; line-height: 1.3; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; border-radius: 0.4rem; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; min-width: 100%; }
th, td { padding: 0.4rem 0.7rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
thead th { color: var(--muted); font-weight: 500; vertical-align: bottom; }
th:first-child { text-align: left; }
tbody th { font-weight: 500; font-family: ui-monospace, monospace; }
.warning { border-left: 3px solid var(--back); padding-left: 0.6rem; margin: 0.5rem 0; overflow-wrap: anywhere; }
.chart { margin: 1rem 0 0.5rem; position: relative; }
.chart svg { display: block; width: 100%; height: 12rem; border-bottom: 1px solid var(--line); border-top: 1px dashed var(--line); }
.chart .most { position: absolute; top: 0.1rem; left: 0.3rem; }
.chart polyline, .chart line { fill: none; stroke-width: 2; vector-effect: non-scaling-stroke; }
.held { stroke: var(--held); stroke-dasharray: 6 4; }
.sent { stroke: var(--sent); }
.area { fill: var(--sent); opacity: 0.12; }
.made { stroke: var(--made); stroke-width: 1; opacity: 0.7; }
.back { stroke: var(--back); }
figcaption { display: flex; flex-wrap: wrap; gap: 0.1rem 1rem; margin-top: 0.3rem; }
figcaption .count { margin-left: auto; }
.key::before { content: ''; display: inline-block; width: 1.1rem; border-top: 3px solid; margin: 0 0.35rem 0.22rem 0; }
.key-held::before { border-top-style: dashed; color: var(--held); }
.key-sent::before { color: var(--sent); }
.key-made::before { color: var(--made); width: 0; height: 0.8rem; border-top: 0; border-left: 2px solid; margin-bottom: -0.1rem; }
.key-back::before { color: var(--back); width: 0; height: 0.5rem; border-top: 0; border-left: 3px solid; margin-bottom: -0.1rem; }
.bars { display: grid; grid-template-columns: max-content 1fr; gap: 0.35rem 0.9rem; margin: 1rem 0 0; font-size: 0.9rem; }
.bars dd { margin: 0; display: grid; grid-template-columns: 1fr 10rem; gap: 0.75rem; align-items: center; font-variant-numeric: tabular-nums; }
.bars svg { display: block; width: 100%; height: 0.8rem; }
.bill { fill: var(--sent); }
.least { fill: var(--held); }
.most { fill: var(--held); }
rect.most { opacity: 0.4; }
ol { padding-left: 0; list-style: none; margin: 0; }
ol li { border-top: 1px solid var(--line); padding: 0.6rem 0; }
ol p { margin: 0.1rem 0; overflow-wrap: anywhere; }
summary { cursor: pointer; color: var(--accent); font-size: 0.9rem; padding: 0.25rem 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.8rem; max-height: 24rem; overflow: auto; margin: 0.25rem 0; padding: 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem; }
@media (max-width: 40rem) {
  header, main, footer { padding: 0 0.75rem; }
  section { padding: 0.9rem; }
  .cards { grid-template-columns: 1fr 1fr; }
  .bars, .bars dd { grid-template-columns: 1fr; gap: 0.1rem; }
  .bars dd { margin-bottom: 0.5rem; }
  .chart svg { height: 9rem; }
}
@media print {
  :root { color-scheme: light; background: none; font-size: 11px; }
  section, .card, li { break-inside: avoid; }
}
`;
