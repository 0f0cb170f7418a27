/** The style sheet of the HTML report. */
export const style = `
:root {
  color-scheme: light dark;
  --back: #fbfbf9; --paper: #ffffff; --ink: #1c1f23; --quiet: #5b6470; --line: #d9dce0;
  --good: #1a7f4b; --bad: #b3261e; --odd: #8a6100; --bar: #6b8fbf; --struck: #c2571a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #15171a; --paper: #1d2024; --ink: #e7e9ec; --quiet: #9aa4b0; --line: #353b43;
    --good: #5bc98c; --bad: #ff8a80; --odd: #e3b341; --bar: #6f97cf; --struck: #f0965a;
  }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem 1rem 4rem; background: var(--back); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.4rem; margin: 0 0 .3rem }
h2 { font-size: 1.05rem; margin: 2rem 0 .6rem }
p { margin: .4rem 0; max-width: 48rem }
code, pre { font: 13px/1.45 ui-monospace, monospace }
pre { background: var(--back); border: 1px solid var(--line); border-radius: 4px; padding: .5rem .7rem; overflow-x: auto;
  white-space: pre-wrap; margin: .3rem 0 }
.counts { font-size: 1.15rem; font-weight: 600 }
.meter { display: flex; height: .6rem; border-radius: .3rem; overflow: hidden; gap: 2px; margin: .6rem 0 }
.meter .failed { background: var(--bad) } .meter .inconclusive { background: var(--odd) } .meter .passed { background: var(--good) }
dl { display: flex; flex-wrap: wrap; gap: .3rem 2rem; margin: .6rem 0 }
dl div { display: flex; gap: .5rem } dt { color: var(--quiet); flex: none } dd { margin: 0 }
.outcome { flex-direction: column; gap: .1rem } .outcome dt { width: 5.2rem }
.outcome .differs dd { color: var(--bad); font-weight: 600 }
.case { background: var(--paper); border: 1px solid var(--line); border-left: 4px solid var(--line); border-radius: 6px;
  padding: .1rem .9rem; margin: .4rem 0 }
.case[open] { padding-bottom: .8rem }
.case.failed { border-left-color: var(--bad) } .case.inconclusive { border-left-color: var(--odd) }
.case.passed { border-left-color: var(--good) }
.case > summary { display: flex; gap: .2rem .6rem; align-items: baseline; cursor: pointer; padding: .4rem 0; list-style: none }
.case > summary::-webkit-details-marker { display: none }
.name { font-weight: 600; flex: 1 1 auto }
.badges { display: flex; flex-wrap: wrap; gap: .2rem; justify-content: flex-end }
.failed .mark { color: var(--bad) } .passed .mark { color: var(--good) } .inconclusive .mark { color: var(--odd) }
.mark { font-weight: 700; width: 1em }
.took { flex: none }
.took, .note, small, .tags, .outcome dt, .key { color: var(--quiet) }
a { color: inherit }
small { font-size: .85em }
.findings { padding: 0; margin: .5rem 0; list-style: none; max-width: 54rem }
.findings li { margin: .4rem 0; padding-left: .7rem; border-left: 3px solid var(--line) }
.findings .error { border-color: var(--bad) } .findings .warning { border-color: var(--odd) }
.badge { font: 600 12px/1.4 ui-monospace, monospace; padding: .05rem .4rem; border-radius: 3px; border: 1px solid currentColor;
  color: var(--quiet); white-space: nowrap }
.badge.error { color: var(--bad) } .badge.warning { color: var(--odd) }
.summary small { display: block; max-width: 54rem } .summary .badge { text-decoration: none }
.tags span { font-size: .8rem; border: 1px solid var(--line); border-radius: 1rem; padding: 0 .5rem }
.output summary { cursor: pointer; color: var(--quiet); margin: .3rem 0 }
.output pre { max-height: 24rem; overflow: auto }
.timeline { margin: .7rem 0; border-top: 1px solid var(--line); font-size: .9rem }
.row { display: grid; grid-template-columns: 9.5rem 5.6rem minmax(7rem, 1fr) 13rem 11rem; gap: .8rem; align-items: center;
  border-bottom: 1px solid var(--line); padding: .25rem 0 }
.head { color: var(--quiet); font-size: .8rem }
.at { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
.gap { text-align: center; color: var(--quiet); border-bottom: 1px solid var(--line); margin: 0; max-width: none; padding: .25rem 0 }
.track { position: relative; margin: 0 .4rem; height: 1.1rem; background: linear-gradient(var(--line), var(--line)) center / 100% 1px no-repeat }
.bar { position: absolute; top: .05rem; height: 1rem; border-radius: 2px; background: var(--bar); min-width: 3px }
.bar.disturbed { background: repeating-linear-gradient(45deg, var(--struck) 0 4px, transparent 4px 6px), var(--struck) }
.bar.other { background: none; border: 1px solid var(--bar) }
.effect { position: absolute; top: -.12rem; width: .66rem; height: .66rem; margin-left: -.33rem; transform: rotate(45deg);
  border: 1.5px solid var(--paper) }
.key { display: flex; flex-wrap: wrap; gap: .1rem 1.4rem; font-size: .8rem; max-width: none }
.key i { position: static; display: inline-block; margin: 0 .35rem 0 0; vertical-align: -1px } .key .bar { width: 1rem; height: .7rem }
.effect.sent { background: var(--good) } .effect.orphan { background: var(--odd) }
@media screen and (max-width: 46rem) {
  .head { display: none }
  .case > summary { flex-wrap: wrap } .badges { order: 1; flex-basis: 100%; justify-content: flex-start; padding-left: 1.6rem }
  .row { grid-template-columns: 1fr 1fr; gap: .1rem .8rem; padding: .5rem 0 }
  .track { grid-column: 1 / -1 }
  .told::before, .truth::before { content: attr(data-label) ': '; color: var(--quiet) }
}
@media print {
  :root { --back: #fff; --paper: #fff; --ink: #000; --quiet: #444; --line: #bbb; --good: #1a7f4b; --bad: #b3261e; --odd: #8a6100;
    --bar: #6b8fbf; --struck: #c2571a }
  html { font-size: 11px }
  body { padding: 0; max-width: none; font-size: 11px }
  code, pre, .badge { font-size: 10px }
  .row { grid-template-columns: 10rem 5.6rem minmax(7rem, 1fr) 13rem 11rem }
  .case { break-inside: avoid; print-color-adjust: exact; -webkit-print-color-adjust: exact }
  .meter { print-color-adjust: exact; -webkit-print-color-adjust: exact }
  details::details-content { content-visibility: visible; display: block }
  .output pre { max-height: none }
}
`
