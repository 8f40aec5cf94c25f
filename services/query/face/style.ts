/** The one style of all pages. First the tokens, then the components that use them. It loads nothing. */

/** Each text colour has a contrast of 4.5 on each paper that it stands on, light and dark. */
const tokens = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#faf9f5, #0f1311); --card: light-dark(#fff, #171d1a); --well: light-dark(#f1efe8, #1d2421);
  --ink: light-dark(#16211c, #e9efec); --quiet: light-dark(#56625c, #a9b6af); --line: light-dark(#dcd9cf, #303a35); --edge: light-dark(#77807b, #87938d);
  --link: light-dark(#0b6b45, #6fdcab); --button: light-dark(#0b6b45, #1c7a52); --good: light-dark(#0b6b45, #4ccb85); --bad: light-dark(#b3261e, #ff9087); --warn: light-dark(#8a5300, #f0b45a);
  --mark: light-dark(#e2f3ea, #17382a);
  --s1: .25rem; --s2: .5rem; --s3: 1rem; --s4: 1.5rem; --s5: 2.5rem; --s6: 4rem; --round: 10px;
  --small: .8125rem; --code: .875rem; --big: 1.125rem; --h2: 1.375rem; --h1: clamp(1.6rem, 1.2rem + 1.6vw, 2.25rem); --hero: clamp(2rem, 1.2rem + 3.2vw, 3.5rem);
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace
}
@media (min-width: 2200px) { html { font-size: 22px } }
@media (min-width: 3400px) { html { font-size: 30px } }
`

const ground = `
* { box-sizing: border-box }
body { font: 1rem/1.55 system-ui, sans-serif; margin: 0; color: var(--ink); background: var(--paper) }
header.site, main, footer.site { max-width: 74rem; margin: 0 auto; padding: 0 var(--s3) }
a { color: var(--link); text-underline-offset: .15em } a:hover { text-decoration-thickness: 2px }
:focus-visible, input[type=date]:focus-within { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 4px }
h1 { font-size: var(--h1); line-height: 1.15; letter-spacing: -.015em; margin: var(--s4) 0 var(--s2); text-wrap: balance }
h2 { font-size: var(--h2); line-height: 1.25; letter-spacing: -.01em; margin: var(--s5) 0 var(--s2); text-wrap: balance } h3 { font-size: var(--big); margin: var(--s4) 0 var(--s1) }
p, li, dt, dd, td, th, summary, h1, h2, h3 { overflow-wrap: anywhere } p, ul, dl { max-width: 48rem }
code, pre, .mono { font: var(--code)/1.5 var(--mono) }
pre { overflow-x: auto; margin: var(--s2) 0; padding: var(--s3); border-radius: var(--round); --under: var(--well); border: 1px solid var(--line) }
small, .small { font-size: var(--small) } .quiet, small { color: var(--quiet) } .good { color: var(--good) } .bad { color: var(--bad) } .warn { color: var(--warn) }
h1.hero { font-size: var(--hero); line-height: 1.05; margin-top: var(--s5) } .lead { font-size: var(--big); color: var(--quiet); margin-top: 0 }
.skip { position: absolute; left: -99rem } .skip:focus { left: var(--s3); top: var(--s2); background: var(--card); padding: var(--s2) }
:target { scroll-margin-top: var(--s4) } code:target, span:target { background: var(--mark); outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
`

const frame = `
header.site { display: flex; flex-wrap: wrap; align-items: center; gap: var(--s1) var(--s3); padding-top: var(--s3); padding-bottom: var(--s2) }
header.site nav, nav.row { display: flex; flex-wrap: wrap; gap: 0 var(--s1) }
header.site nav a, .brand, nav.row a { display: inline-flex; align-items: center; gap: var(--s2); min-height: 2.25rem; padding: 0 var(--s2); border-radius: 6px; text-decoration: none; color: var(--ink) }
header.site nav a:hover, nav.row a:hover { background: var(--well) } [aria-current] { font-weight: 650 } nav [aria-current] { background: var(--mark) }
.brand { padding: 0; font-weight: 750; font-size: var(--big); letter-spacing: -.01em }
.brand svg { width: 1.6rem; height: 1.6rem }
#find-open { margin-left: auto } #find-open:disabled, [data-opens]:disabled { visibility: hidden }
@media (max-width: 44rem) { header.site nav { order: 3; margin: 0 -.5rem } header.site nav a { padding: 0 .3rem; font-size: .9375rem } button kbd { display: none } }
footer.site { border-top: 1px solid var(--line); margin-top: var(--s6); padding-top: var(--s3); padding-bottom: var(--s4); color: var(--quiet); font-size: var(--small) }
footer.site a, .crumbs a { display: inline-block; padding: .25rem 0 } footer.site p { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 var(--s3); max-width: none }
.crumbs { color: var(--quiet); font-size: var(--small); margin: var(--s3) 0 0 } .crumbs + h1 { margin-top: 0 }
`

const parts = `
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: var(--round); margin: var(--s3) 0; --under: var(--card) }
.wide, pre { background: linear-gradient(90deg, var(--under) 2rem, transparent) 0 0 / 3rem 100%, linear-gradient(270deg, var(--under) 2rem, transparent) 100% 0 / 3rem 100%, linear-gradient(90deg, #0004, transparent) 0 0 / .75rem 100%, linear-gradient(270deg, #0004, transparent) 100% 0 / .75rem 100%, var(--under); background-repeat: no-repeat; background-attachment: local, local, scroll, scroll }
table { border-collapse: collapse; width: 100%; font-size: .9375rem } th, td { text-align: left; vertical-align: top; padding: var(--s2) var(--s3) var(--s2) 0; border-top: 1px solid var(--line) } th:first-child, td:first-child { padding-left: var(--s3) }
thead th { border: 0; font-size: var(--small); font-weight: 600; color: var(--quiet); white-space: nowrap } tbody th { font-weight: 600 } tbody th:has(code) { font-weight: 400 }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap } td a, th a, dt a { display: inline-block; padding: .15rem 0 } :is(td, th) > a:only-child { margin: -.15rem 0 } .read :is(td, th), .drawn :is(td, th), .read dd { overflow-wrap: break-word } .read :is(td, th), .drawn :is(td, th) { max-width: 20rem }
@media (max-width: 44rem) {
  table.folds, .folds tbody, .folds tr, .folds th, .folds td { display: block } .folds thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden }
  .folds tr { padding: var(--s2) var(--s3); border-top: 1px solid var(--line) } .folds tr:first-child { border: 0 }
  .folds td, .folds tbody th { border: 0; padding: .1rem 0 !important; text-align: left; white-space: normal } .folds td:empty { display: none }
  .folds td[data-title] { display: grid; grid-template-columns: 8.5rem minmax(0, 1fr); gap: var(--s2) } .folds td[data-title]::before { content: attr(data-title); color: var(--quiet); font-size: var(--small); line-height: 1.9 }
}
.card, section.box { background: var(--card); border: 1px solid var(--line); border-radius: var(--round); padding: var(--s3) var(--s4); margin: var(--s3) 0 } .card > :first-child, section.box > :first-child { margin-top: 0 } .card > :last-child { margin-bottom: 0 }
.grid { display: grid; gap: var(--s3); grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); margin: var(--s3) 0 } .grid .card { margin: 0 } .two { display: grid; gap: var(--s3) var(--s5); grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); align-items: start } .two > * { min-width: 0 }
.card h2, .card h3 { font-size: var(--big); margin: 0 0 var(--s1) } .card ul { list-style: none; margin: var(--s2) 0; padding: 0 } .card li { border-top: 1px solid var(--line); padding-bottom: var(--s1) } .grid.pairs { grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)) }
.priced { display: flex; justify-content: space-between; align-items: center; gap: var(--s3); min-height: 2.5rem; text-decoration: none } .priced:hover { text-decoration: underline } .priced .mono { color: var(--quiet); white-space: nowrap }
.tag { display: inline-block; font-size: var(--small); line-height: 1.4; padding: .05rem .5rem; border: 1px solid currentcolor; border-radius: 99px; white-space: nowrap } .method { font-weight: 650; color: var(--link) }
.figures { max-width: none; display: flex; flex-wrap: wrap; gap: var(--s3) var(--s5); margin: var(--s4) 0; padding: var(--s3) var(--s4); border: 1px solid var(--line); border-radius: var(--round); background: var(--card) } .figures div { display: flex; flex-direction: column-reverse } .figures dd { margin: 0; font-size: var(--h2); font-weight: 650; font-variant-numeric: tabular-nums; line-height: 1.2 } .figures dt { color: var(--quiet); font-size: var(--small); margin: 0 }
details { border-top: 1px solid var(--line) } details:last-of-type { border-bottom: 1px solid var(--line) } summary { padding: var(--s2) 0; cursor: pointer; min-height: 2.5rem } details[open] > summary { font-weight: 600 }
.fields details { border: 0; border-left: 2px solid var(--line); margin-left: .3rem; padding-left: var(--s3) } .fields > details { margin-left: 0; padding-left: 0; border-left: 0; border-top: 1px solid var(--line) } .fields dl { margin: 0; max-width: none } .fields dt { margin: 0; padding: var(--s2) 0 0; border-top: 1px solid var(--line) } .fields dd { margin: 0; padding: 0 0 var(--s2) } .fields dd > details { margin-top: var(--s1) } .fields summary { font-size: var(--small); min-height: 1.75rem; padding: var(--s1) 0 }
dl.read { display: grid; grid-template-columns: fit-content(40%) minmax(0, 1fr); gap: var(--s1) var(--s3); margin: 0 } dl.read dt { margin: 0; color: var(--quiet); font-size: var(--small); line-height: 1.9 } dl.read dd { margin: 0 } dl.read dl.read { border-left: 2px solid var(--line); padding-left: var(--s3) } .read .wide { margin: 0 } .long, .long + details pre { max-height: 34rem; overflow: auto }
@media (max-width: 30rem) { dl.read { grid-template-columns: minmax(0, 1fr); gap: 0 } dl.read dd { margin-bottom: var(--s2) } }
ol.log { list-style: none; padding: 0; max-width: 48rem } ol.log li { border-top: 1px solid var(--line); padding: var(--s2) 0 } ol.log h3 { font-size: 1rem; margin: 0 } ol.log p { margin: 0 }
dt { margin-top: var(--s2) } dd { margin-left: var(--s3) }
`

const controls = `
input, textarea, select, button, .button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: 6px; padding: .4rem .75rem; min-height: 2.5rem; max-width: 100% } textarea { display: block; width: 100%; font: var(--code)/1.5 var(--mono); resize: vertical }
button, .button { cursor: pointer; display: inline-flex; align-items: center; gap: var(--s2); text-decoration: none } button:hover, .button:hover { border-color: var(--link) } button.main, .button.main { background: var(--button); border-color: transparent; color: #fff; font-weight: 600 } button.main:hover, .button.main:hover { filter: brightness(1.12) } button:disabled { opacity: .55; cursor: default }
label { display: block; font-size: var(--small); font-weight: 600 } label + input, label + select, label + textarea { display: block; width: 100%; margin-top: var(--s1) } .control { margin: 0 0 var(--s3) } .control > small { display: block } label small { font-weight: 400 } input[type=checkbox] { min-height: 0; width: 1.5rem; height: 1.5rem; vertical-align: middle }
.actions { display: flex; flex-wrap: wrap; gap: var(--s2); align-items: end } .actions label + select { width: auto }
kbd { font: var(--small)/1.4 var(--mono); border: 1px solid var(--line); border-bottom-width: 2px; border-radius: 4px; padding: 0 .35rem; color: var(--quiet); background: var(--card) }
#find { width: min(42rem, calc(100vw - 2rem)); max-height: 80vh; margin: 10vh auto auto; padding: 0; border: 1px solid var(--edge); border-radius: var(--round); background: var(--card); color: var(--ink) } #find::backdrop { background: #0008 } #find label { padding: var(--s3) var(--s3) 0 } #find input { display: block; width: calc(100% - 2 * var(--s3)); margin: var(--s1) var(--s3) var(--s3) } #find ul { list-style: none; margin: 0; padding: 0 0 var(--s2) } #find li[role=option] { padding: var(--s2) var(--s3); border-top: 1px solid var(--line); cursor: pointer } #find li[aria-selected=true] { background: var(--mark) } #find li span { display: block; color: var(--quiet); font-size: var(--small) } #find p { margin: 0 var(--s3) var(--s2) }
.copied { position: relative } .copied > button { position: absolute; top: var(--s2); right: var(--s2); min-height: 2rem; padding: 0 var(--s2); font-size: var(--small) } .copied > pre { padding-right: 5rem; white-space: pre-wrap; overflow-wrap: anywhere }
.control { position: relative } .places { position: absolute; z-index: 2; left: 0; right: 0; max-width: none; max-height: 20rem; overflow: auto; list-style: none; margin: 2px 0 0; padding: 0; border: 1px solid var(--edge); border-radius: 6px; background: var(--card); box-shadow: 0 4px 16px #0003 } .places li { padding: var(--s2) var(--s3); cursor: pointer } .places li + li { border-top: 1px solid var(--line) } .places li[aria-selected=true], .places li:hover { background: var(--mark) } .places span { display: block; color: var(--quiet); font-size: var(--small) } #try-form { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 14rem), 1fr)); gap: 0 var(--s3); align-items: start } #try-steps { padding-left: var(--s4) } #try-steps:empty { display: none } #try-steps pre { max-height: 24rem; overflow: auto }
`

/** Charts, the strip of days, the drawing of a call. It runs once; without motion it stands still. */
const drawings = `
svg { max-width: 100% } figure { margin: var(--s3) 0 } figcaption { color: var(--quiet); font-size: var(--small) } svg.chart { display: block; width: 100%; max-width: 48rem; height: auto } svg text { fill: var(--quiet); font: 12px system-ui, sans-serif } svg .axis { stroke: var(--line) } svg .line { fill: none; stroke: var(--link); stroke-width: 2; stroke-linejoin: round } svg .line.second { stroke: var(--warn) } svg .area { fill: var(--mark) } svg .dot { fill: var(--link) }
figure.drawn { margin: var(--s4) 0; padding: var(--s3); background: var(--card); border: 1px solid var(--line); border-radius: var(--round) } .drawn figcaption { margin-bottom: var(--s3) } .drawn strong { display: block; color: var(--ink); font-size: 1rem } .kept { white-space: nowrap } .drawn .wide { margin: 0; max-height: 19rem; overflow: auto } .drawn .two { grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)) } svg.chart { max-width: 36rem } .chart text { font-size: 15px; font-variant-numeric: tabular-nums } .chart .name { fill: var(--ink); font-weight: 600 } .chart .code { font: 13.5px var(--mono) } .chart .zero { stroke: var(--edge) } .chart .other { fill: var(--warn) } .chart .span.warn { fill: var(--warn) } .chart .span.bad { fill: var(--bad) } .chart .span.good { fill: var(--good) } .chart .frame { fill: var(--well); stroke: var(--line) } img.shot { display: block; width: auto; height: auto; max-width: 100%; max-height: 80vh; border: 1px solid var(--line); border-radius: var(--round) }
.flow { max-height: 80vh; overflow: auto; cursor: grab; padding: var(--s2) } .flow svg { display: block; height: auto } .flow rect { fill: var(--well); stroke: var(--line) } .flow text { fill: var(--ink); font: 12px var(--mono) } .flow .head { fill: var(--quiet); font: 600 13px system-ui, sans-serif } .edges path { fill: none; stroke: var(--edge); opacity: .45 } .flow.lit .node:not(.on), .flow.lit .edges path:not(.on) { opacity: .15 } .flow .on rect { fill: var(--mark); stroke: var(--link) } .flow .edges .on { stroke: var(--link); stroke-width: 2; opacity: 1 } #flow-find:disabled { visibility: hidden } @media (max-width: 64rem) { .flow { display: none } }
svg .bar { fill: var(--good) } svg .gap { fill: var(--bad) } svg .none { fill: var(--line) }
.call text { fill: var(--ink); font: 14px system-ui, sans-serif } .call .code { font: 12.5px var(--mono) } .call .quiet { fill: var(--quiet); font-size: 13px } .call .lane { stroke: var(--line); stroke-width: 2; stroke-dasharray: 2 6; stroke-linecap: round } .call .ticket { fill: var(--card); stroke: var(--line) } .call .arrow { stroke: var(--link); stroke-width: 2; fill: none } .call .head { fill: var(--link) } .call .coin { fill: var(--warn) } .call .price { font-weight: 700 } .call .who { font-weight: 650 }
@media (prefers-reduced-motion: no-preference) { .call .step { animation: come .5s both } .call .two-nd { animation-delay: .8s } .call .three-rd { animation-delay: 1.6s } .call .four-th { animation-delay: 3.1s } .call .coin { animation: pay 1.1s 1.9s ease-in-out both } @keyframes come { from { opacity: 0; transform: translateY(6px) } } @keyframes pay { from { transform: translateX(-340px) } } }
`

const print = `
@media print { header.site nav, #find-open, #find, #try, .actions, .copied > button, .skip { display: none } body { background: #fff; color: #000; font-size: 10pt } a { color: inherit } pre { white-space: pre-wrap } .card, .wide, section.box { break-inside: avoid; background: none } details::details-content { content-visibility: visible; height: auto } .drawn .wide { max-height: none } figure.drawn { break-inside: avoid; background: none } .step, .coin { animation: none !important }
  :root { color-scheme: light } .wide, .flow, .long, .long + details pre { overflow: visible; max-height: none } table { font-size: 8pt } th, td { padding: .2rem .4rem .2rem 0 } thead th, .number { white-space: normal } td svg { max-width: 6rem }
}
`

export const style = [tokens, ground, frame, parts, controls, drawings, print].join('')
