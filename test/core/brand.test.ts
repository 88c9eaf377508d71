import test from 'ava'
import { brandCss, contrast, palettesOf, readableOn } from '../../src/core/brand.ts'
import { createAddresses } from '../../src/core/http/addresses.ts'
import { createMembership } from '../../src/index.ts'
import { createMails, loadMailTexts } from '../../src/memberships/mails/index.ts'
import { createPageRender } from '../../src/site/pages/render.ts'
import { samples } from '../memberships/mails/support.ts'

const none = { accent: null, background: null, surface: null, text: null }
const noFonts = { text: null, headings: null, interface: null }
const plain = { logo: null, stylesheet: null, colors: none, dark: none, fonts: noFonts }

test('contrast is that of WCAG: 21 for black on white, 4.54 for #767676 on white', (t) => {
  t.is(contrast('#000000', '#ffffff'), 21)
  t.is(contrast('#ffffff', '#ffffff'), 1)
  t.is(contrast('#767676', '#ffffff').toFixed(2), '4.54')
})

test('a colour that can be read stays, and another one moves until it can', (t) => {
  t.is(readableOn('#a11460', '#ffffff'), '#a11460')
  t.true(contrast(readableOn('#ffcc00', '#ffffff'), '#ffffff') >= 4.5)
  t.true(contrast(readableOn('#003366', '#0c161e'), '#0c161e') >= 4.5)
})

test('text on any accent can be read, also under the pointer and on a dark page', (t) => {
  for (const accent of ['#ffcc00', '#003366', '#777777', '#00aa88', '#ffffff', '#000000'])
    for (const palette of Object.values(palettesOf({ colors: { ...none, accent }, dark: none }))) {
      t.true(contrast(palette.onAccent, palette.accent) >= 4.5, `${accent}: ${palette.accent}`)
      t.true(contrast(palette.onAccent, palette.strong) >= 4.5, `${accent}: ${palette.strong}`)
    }
})

test('a site without a brand has no style sheet of its own', (t) => {
  t.is(brandCss(plain), null)
})

function site(brand: Record<string, unknown>, log: (message: string) => void = () => undefined) {
  return createMembership({
    membership: {
      url: 'https://example.com',
      database: { url: 'sqlite::memory:' },
      office: { enabled: true },
      brand,
    },
    root: false,
    install: false,
    log,
  } as never)
}

async function page(m: Awaited<ReturnType<typeof site>>, path: string): Promise<string> {
  return (
    await m.fetch(new Request(`https://example.com${path}`, { headers: { accept: 'text/html' } }))
  ).text()
}

test('pages, the office and mails carry the logo, the colours and the fonts', async (t) => {
  const m = await site({
    logo: '/logo.png',
    stylesheet: '/brand.css',
    colors: { accent: '#036', text: '#111111' },
    fonts: { text: "Inter, 'Helvetica Neue', sans-serif", headings: 'Fraunces, serif' },
  })
  t.teardown(() => m.close())
  const { render } = createPageRender({
    root: false,
    isProduction: true,
    config: m.operator.config,
    addresses: createAddresses({ url: null, base: '', hasIndex: false, log: () => {} }),
    sendsMails: true,
  })
  const office = render('office/layout', {
    t: (key: string) => key,
    site: 'example.com',
    path: '/membership/office',
    who: null,
    body: '',
  })
  for (const [path, html] of [
    ['prices', await page(m, '/membership/prices')],
    ['office', office],
  ] as const) {
    const href = /href="(\/membership\/assets\/brand\.css\?v=[^"]+)"/.exec(html)?.[1]
    t.truthy(href, path)
    t.regex(html, /<link rel="stylesheet" href="\/brand\.css">/)
    t.regex(html, /<img src="\/logo\.png" alt="example\.com">/)
    const css = await page(m, href!)
    t.regex(css, /--accent:#003366;/)
    t.regex(css, /--ink:#111111;/)
    t.regex(css, /--serif:Inter, 'Helvetica Neue', sans-serif;--sans:Inter/)
    t.regex(css, /h1,h2,h3,\.wordmark,\.o-mark b\{font-family:Fraunces, serif\}/)
  }
  const mails = createMails({
    render,
    languages: loadMailTexts(false, 'en'),
    site: { name: 'Example', url: 'https://example.com' },
  })
  const { html } = mails.compose('magic-link', { to: 'ada@example.com', data: samples['magic-link'] })
  t.regex(html, /<img src="https:\/\/example\.com\/logo\.png" alt="Example"/)
  t.regex(html, /background:#003366;color:#ffffff/)
  t.regex(html, /color:#111111;font:17px\/1\.55 Inter, &#39;Helvetica Neue&#39;, sans-serif/)
})

test('text that cannot be read stops the start, and the message names a colour that can', async (t) => {
  const error = await t.throwsAsync(site({ colors: { text: '#aaaaaa' } }))
  t.regex(
    error!.message,
    /membership\.brand\.colors has text #aaaaaa on the background #f5f8f8, with a contrast of 2\.1:1/,
  )
  t.regex(JSON.stringify(error), /at least 4\.5:1/)
})

test('a pale accent is a warning with the nearest colour that passes', async (t) => {
  const said: string[] = []
  const m = await site({ colors: { accent: '#ffcc00' } }, (message) => said.push(message))
  t.teardown(() => m.close())
  const warning = said.find((message) => message.includes('membership.brand.colors.accent'))
  t.regex(
    warning ?? said.join('\n'),
    /is #ffcc00, with a contrast of 1\.\d:1 on #f5f8f8; links and marks need 4\.5:1/,
  )
})

test('a colour or a font that could end its rule is refused', async (t) => {
  for (const brand of [
    { colors: { accent: 'red;}' } },
    { colors: { accent: '#12345' } },
    { fonts: { text: 'a}body{display:none' } },
    { fonts: { headings: '"Inter"' } },
    { logo: 'https://elsewhere.example/logo.png' },
    { stylesheet: 'javascript:alert(1)' },
  ])
    await t.throwsAsync(site(brand), { code: 'ERR_CONFIG' }, JSON.stringify(brand))
})
