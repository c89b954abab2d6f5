"""The style of a report: ink on white, the same on screen and on A4."""

from __future__ import annotations

STYLE = """
@page { size: A4; margin: 10mm 12mm; }
* { box-sizing: border-box; }
html { color-scheme: light; }
body { margin: 0; background: #fff; color: #0e141b;
  font: 15px/1.45 system-ui, "Segoe UI", "Liberation Sans", Arial, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.6em; line-height: 1.2; margin: 0; }
h2 { font-size: 1.1em; margin: 1em 0 .2em; border-bottom: 1px solid #56616d; break-after: avoid; }
h3 { font-size: 1em; margin: .8em 0 .1em; break-after: avoid; }
p { margin: .2em 0; }
p, dd, td, li { overflow-wrap: break-word; min-width: 0; }
dd, th[scope=row] { overflow-wrap: anywhere; }
th[scope=row] { min-width: 6.5em; }
.line, figcaption, caption, .left { color: #46505a; }
.narrow { columns: 2 22rem; column-gap: 2rem; }
.narrow section:first-child h2 { margin-top: .4em; }
dl { margin: .2em 0; display: grid; grid-template-columns: minmax(6em, max-content) 1fr;
  gap: .1em .7em; }
dt { color: #46505a; max-width: 11em; }
dd { margin: 0; }
.measured { border-left: 3px solid #b34700; padding-left: .6em; margin: .3em 0; }
span.measured { padding-left: .3em; margin: 0; }
.mark { color: #8a3700; font-weight: 600; font-size: .85em; margin: 0; }
.alarm { color: #a3001a; font-weight: 600; }
table { border-collapse: collapse; width: 100%; margin: .3em 0; font-size: .93em;
  font-variant-numeric: tabular-nums; }
tr { break-inside: avoid; }
caption { text-align: left; }
th, td { text-align: left; font-weight: normal; padding: .1em .6em .1em 0; vertical-align: top;
  border-bottom: 1px solid #d4dae0; }
thead th { font-weight: 600; border-bottom-color: #56616d; }
table, figure { align-self: start; }
figure { margin: .4em 0; break-inside: avoid; }
figure svg { display: block; width: 100%; max-width: 34rem; height: auto; }
ul { list-style: none; margin: 0; padding: 0; }
.checklist .columns { columns: 2 22rem; column-gap: 2rem; }
li { margin: 0 0 .25em; break-inside: avoid; }
.open { display: block; height: 1.35em; border-bottom: 1px dotted #56616d; }
@media screen and (max-width: 40rem) {
  main { padding: .8rem; }
  table { font-size: .72em; }
  th, td, th[scope=row] { overflow-wrap: anywhere; min-width: 0; padding-right: .35em; }
}
@media print {
  body { font-size: 7.4pt; line-height: 1.25; }
  main { max-width: none; padding: 0; }
  h2 { margin-top: .5em; }
  .narrow, .checklist .columns { columns: 2; column-gap: 6mm; }
  .wide .measured:has(figure) { display: grid; grid-template-columns: 1.9fr 1fr;
    column-gap: 5mm; }
  .wide .measured:has(figure) p { grid-column: 1 / -1; }
  .checklist { font-size: 7pt; line-height: 1.2; }
  .open { height: 1.05em; }
  h3 { margin-top: .4em; }
  li { margin-bottom: .15em; }
}
"""
