/** The pages of the sample site, one of each kind of the web. All their facts are invented. */
import { scannedPdf, textPdf } from './documents.ts'
import { islesPages } from './isles.ts'
import { productPages } from './products.ts'

export interface SitePage {
  status?: number
  type?: string
  headers?: Record<string, string>
  body: string | Buffer
}

const page = (title: string, body: string, head = ''): SitePage => ({
  body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
body { font: 18px/1.6 'Open Sans', sans-serif; color: #1b2733; margin: 0; background: #f4f6f8 }
header, footer, nav { background: #17324d; color: #fff; padding: 12px 40px }
nav a { color: #cfe3f7; margin-right: 24px }
main { max-width: 820px; margin: 32px auto; padding: 24px 40px; background: #fff }
table { border-collapse: collapse } td, th { border: 1px solid #c4ced8; padding: 6px 14px; text-align: left }
.price { font-size: 28px; color: #0b6e4f }
</style>
${head}
</head>
<body>
${body}
</body>
</html>
`,
})

const note = 'A sample page of the sandbox. Nothing on it is real.'
const menu = '<nav><a href="/">Home</a><a href="/timetable">Timetable</a><a href="/about">About</a></nav>'

const article = page(
  'Night ferry returns to the northern islands',
  `<header>The Harbour Gazette</header>
${menu}
<main>
<article>
<h1>Night ferry returns to the northern islands</h1>
<p class="byline">By our shipping desk, 14 October 2026</p>
<p>After eleven years without a night crossing, the northern islands will again be reached by ferry after dark. The harbour board said on Tuesday that the first boat leaves at 22:40 on the first of March, and that it will sail on five nights of the week.</p>
<p>The vessel, the <em>Petrel</em>, was built in 1998 and has been refitted over the summer. It carries 310 passengers and 64 cars. Cabins for 80 travellers lie on the lower deck, away from the engines, and a small kitchen serves breakfast from five in the morning.</p>
<h2>Why now</h2>
<p>Freight has paid for the decision. Three fish farms on the outer islands agreed to send their morning catch on the same boat, which fills the car deck on the way back. Without that contract, the board says, each crossing would lose about 4,200 euros.</p>
<blockquote><p>“We did not bring back a tradition,” the head of the board said. “We brought back a timetable that pays for itself.”</p></blockquote>
<p>Islanders had asked for the crossing since the old boat was sold in 2015. A petition two winters ago gathered 2,118 names, from a population of 3,400. The school on the largest island now plans to let pupils of the upper years spend the week on the mainland.</p>
<h2>What it costs</h2>
<p>A seat costs 18 euros each way, a berth 44 euros, and a car 39 euros. Children below twelve travel free with an adult. Tickets go on sale on the first of December, at the harbour and by telephone; there is no online sale in the first year.</p>
</article>
</main>
<footer>${note}</footer>`,
)

const documentation = page(
  'Configuration - Tidepool manual',
  `<header>Tidepool 3.2 manual</header>
<nav><a href="/install">Install</a><a href="/configuration">Configuration</a><a href="/api">API</a></nav>
<main>
<h1>Configuration</h1>
<p>Tidepool reads one file, <code>tidepool.toml</code>, from the folder in which it starts. Every key has a default, so an empty file is valid.</p>
<h2 id="keys">Keys</h2>
<table>
<tr><th>key</th><th>default</th><th>meaning</th></tr>
<tr><td><code>listen</code></td><td><code>127.0.0.1:7070</code></td><td>the address that it listens on</td></tr>
<tr><td><code>stations</code></td><td><code>[]</code></td><td>the stations whose tides it keeps, by number</td></tr>
<tr><td><code>refresh_minutes</code></td><td><code>6</code></td><td>how often it asks for new readings</td></tr>
</table>
<h2 id="example">An example</h2>
<pre><code>listen = "0.0.0.0:7070"
stations = [8443970, 8454000]
refresh_minutes = 10
</code></pre>
<h2 id="reload">Reloading</h2>
<ol><li>Change the file.</li><li>Send the process a <code>SIGHUP</code>.</li><li>Look into the log for the line <code>configuration loaded</code>.</li></ol>
<p>A file with a mistake is refused whole: the old configuration stays in force.</p>
</main>
<footer>${note}</footer>`,
)

const forum = page(
  'Which varnish for a cedar dinghy? - Slipway Forum',
  `<header>Slipway Forum</header>
<nav><a href="/boats">Boats</a><a href="/paint">Paint and varnish</a></nav>
<main>
<h1>Which varnish for a cedar dinghy?</h1>
<div class="post" id="p1"><b class="author">marlin_77</b> <time>2 June 2026, 19:12</time>
<div class="text"><p>I have stripped a twelve foot cedar dinghy down to the wood. It lives outdoors from May to October. Would you use a one-part varnish, or oil it?</p></div></div>
<div class="post" id="p2"><b class="author">oldrigger</b> <time>2 June 2026, 20:40</time>
<div class="text"><p>One-part varnish, six coats, and thin the first one by half. Oil looks lovely for a month and then you do it again.</p></div></div>
<div class="post" id="p3"><b class="author">tarn</b> <time>3 June 2026, 07:05</time>
<div class="text"><blockquote>six coats</blockquote><p>Eight, if it stands in the sun. Sand with 320 between every second coat. And varnish in the morning, never in the evening: dew ruins it.</p></div></div>
<div class="post" id="p4"><b class="author">marlin_77</b> <time>9 June 2026, 21:33</time>
<div class="text"><p>Eight coats it is. Five done. Thank you both!</p></div></div>
</main>
<footer>${note}</footer>`,
)

const product = (name: string, sku: string, price: string, stock: string, about: string) =>
  page(
    `${name} - Chandlery Sample`,
    `<header>Chandlery Sample</header>
<main>
<h1>${name}</h1>
<p class="price">€${price}</p>
<p>${stock === 'InStock' ? 'In stock' : 'Sold out'}. Article number ${sku}.</p>
<p>${about}</p>
<button${stock === 'InStock' ? '' : ' disabled'}>Add to cart</button>
</main>
<footer>${note}</footer>`,
    `<script type="application/ld+json">${JSON.stringify({
      '@context': 'https://schema.org',
      '@type': 'Product',
      name,
      sku,
      description: about,
      brand: { '@type': 'Brand', name: 'Northmast' },
      image: `http://chandlery.sample/img/${sku}.jpg`,
      offers: {
        '@type': 'Offer',
        price,
        priceCurrency: 'EUR',
        availability: `https://schema.org/${stock}`,
        url: `http://chandlery.sample/products/${sku}`,
      },
    })}</script>`,
  )

const lamp = product(
  'Brass anchor lamp',
  'NM-2041',
  '129.00',
  'InStock',
  'A riding light of cast brass with a thick ribbed glass. It burns for thirty hours on one filling.',
)
const rope = product(
  'Three-strand mooring rope, 12 mm, 30 m',
  'NM-0312',
  '58.50',
  'OutOfStock',
  'Polyester rope that keeps its shape when it is wet. One end has a spliced eye of forty centimetres.',
)

/** The server sends an empty element. A script fetches the text and draws it. */
const scripted: SitePage = page(
  'Tide board',
  `<div id="root"></div>
<noscript>You need to enable JavaScript to run this app.</noscript>
<script src="/board.js"></script>`,
)
const script: SitePage = {
  type: 'text/javascript',
  body: `fetch('/tides.json').then(answer => answer.json()).then(({ station, tides }) => {
  document.title = 'Tide board: ' + station
  const rows = tides.map(({ at, metres, kind }) => '<tr><td>' + at + '</td><td>' + kind + '</td><td>' + metres.toFixed(2) + ' m</td></tr>')
  document.getElementById('root').innerHTML = '<header>Tide board</header><main><h1>' + station + '</h1>'
    + '<p>This table was drawn by a script. The server sent an empty page.</p>'
    + '<table><tr><th>time</th><th>tide</th><th>height</th></tr>' + rows.join('') + '</table></main>'
    + '<footer>${note}</footer>'
})
`,
}
const tides: SitePage = {
  type: 'application/json',
  body: JSON.stringify({
    station: 'Sample Harbour',
    tides: [
      { at: '03:12', kind: 'high', metres: 4.31 },
      { at: '09:25', kind: 'low', metres: 0.87 },
      { at: '15:38', kind: 'high', metres: 4.52 },
      { at: '21:50', kind: 'low', metres: 0.74 },
    ],
  }),
}

const timetable: SitePage = {
  type: 'application/pdf',
  body: textPdf('Ferry timetable', [
    [
      'Ferry timetable, winter',
      'A sample document of the sandbox.',
      '',
      'Harbour  08:15  17:40',
      'Islands  10:05  19:30',
    ],
    [
      'Fares',
      '',
      'Seat  18 euros',
      'Berth  44 euros',
      'Car  39 euros',
      'Children below twelve travel free with an adult.',
    ],
  ]),
}
const scan: SitePage = { type: 'application/pdf', body: scannedPdf('A scanned letter') }

const moved = (location: string, status = 301): SitePage => ({
  status,
  headers: { location },
  body: 'This page has moved.',
})

/** The pages by host and path. */
export const sitePages: Readonly<Record<string, SitePage>> = {
  'news.sample/night-ferry': article,
  'docs.sample/configuration': documentation,
  'forum.sample/t/cedar-varnish': forum,
  'chandlery.sample/products/NM-2041': lamp,
  'chandlery.sample/products/NM-0312': rope,
  'chandlery.sample/lamp': moved('/products/NM-2041'),
  'tides.sample/': scripted,
  'tides.sample/board.js': script,
  'tides.sample/tides.json': tides,
  'files.sample/timetable.pdf': timetable,
  'files.sample/scan.pdf': scan,
  ...productPages,
  ...islesPages,
  'old.sample/night-ferry': moved('http://news.sample/night-ferry'),
}
