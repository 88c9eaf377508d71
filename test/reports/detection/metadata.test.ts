import test from 'ava'
import { type FetchedPage, type Metadata, scanPage } from '../../../src/reports/detection/index.ts'
import { corpusPages } from './fixtures.ts'

function read(html: string, page: Partial<FetchedPage> = {}): Metadata {
  return scanPage({ url: 'https://example.com/a/page', headers: {}, html, ...page }).metadata
}

test('a title is one line without control characters', (t) => {
  t.is(read('<title>\n  Bread\u0000 &amp;\u202e\n\tbutter </title>').title, 'Bread & butter')
})

test('an empty title gives way to the social one, a drawing’s title to the page’s', (t) => {
  t.is(read('<title> </title><meta property="og:title" content="Social">').title, 'Social')
  t.is(read('<svg><title>Icon</title></svg><title>Page</title>').title, 'Page')
  t.is(read('<title>First</title><body><title>Second</title>').title, 'First')
  t.is(read('<svg><title>Icon</title></svg>').title, null)
})

test('an unclosed title is kept up to its length limit', (t) => {
  t.is(read(`<title>${'long '.repeat(10_000)}`).title?.length, 299)
})

test('titles have at most 300 characters, descriptions 500, and no half surrogate pair', (t) => {
  const { title, description } = read(
    `<title>${'x'.repeat(299)}🌊y</title><meta name="description" content="${'é'.repeat(501)}">`,
  )
  t.is(title, 'x'.repeat(299))
  t.is(description, 'é'.repeat(500))
  t.is(read('<title>a\ud83c b</title>').title, 'a b')
})

test('the description in its own tag wins over the social one', (t) => {
  const social = '<meta property="og:description" content="Social">'
  t.is(read(`${social}<meta NAME="Description" content="Own">`).description, 'Own')
  t.is(read(`${social}<meta name="description" content="">`).description, 'Social')
  t.is(read('<p>Text').description, null)
})

test('a language is a canonical tag, from the page, its meta tag or its header', (t) => {
  t.is(read('<html lang="EN-us">').language, 'en-US')
  t.is(read('<html lang="pt_BR">').language, 'pt-BR')
  t.is(read('<html lang="zh-hans-cn">').language, 'zh-Hans-CN')
  t.is(read('<html lang="english!"><meta http-equiv="Content-Language" content="de, en">').language, 'de')
  const headers = { 'content-language': ['fr', 'en'] }
  t.is(read('<html lang="">', { headers }).language, 'fr')
  t.is(read('<html lang="%%%">').language, null)
  t.is(read('').language, null)
})

test('addresses are resolved against the base, and only http and https are kept', (t) => {
  const { favicon_url, icons, image_url } = read(`
    <base href="/files/"><base href="https://other.example/">
    <link rel="apple-touch-icon" href="touch.png">
    <link rel="SHORTCUT  ICON" href="icon.ico">
    <link rel="icon" href="data:image/png;base64,AAAA">
    <link rel="icon" href="javascript:alert(1)">
    <link rel="stylesheet" href="site.css">
    <meta name="twitter:image" content="twitter.png">
    <meta property="og:image" content="ftp://example.com/og.png">`)
  t.is(favicon_url, 'https://example.com/files/icon.ico')
  t.deepEqual(icons, ['https://example.com/files/touch.png', 'https://example.com/files/icon.ico'])
  t.is(image_url, 'https://example.com/files/twitter.png')
})

test('a page without icons has none: an unmentioned favicon.ico is not assumed', (t) => {
  const { favicon_url, icons, image_url } = read('<p>Text')
  t.deepEqual({ favicon_url, icons, image_url }, { favicon_url: null, icons: [], image_url: null })
  t.is(read('<link rel=apple-touch-icon href=/t.png>').favicon_url, 'https://example.com/t.png')
})

test('the social image is the first of its kind', (t) => {
  const html = `<meta name="twitter:image" content="/t.png"><meta property="og:image" content="/1.png">
    <meta property="og:image" content="/2.png">`
  t.is(read(html).image_url, 'https://example.com/1.png')
})

const pages = corpusPages()
const withCorpus = pages === null ? test.skip : test

// The corpus' expectations were made by a tool for previews, which sets text in type and drops regions.
function plain(text: string | null): string | null {
  return text === null ? null : text.replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replaceAll('…', '...')
}

const siteNames = 'it prefers the social title, which leaves out the name of the site'

const titleDiffers = new Map([
  ['arstechnica', siteNames],
  ['blogger', siteNames],
  ['crn', siteNames],
  ['indiehackers', siteNames],
  ['reuters', siteNames],
  ['silicon-angle', siteNames],
  ['stuff', siteNames],
  ['the-register', siteNames],
  ['the-verge', siteNames],
])

const descriptionDiffers = new Map([
  ['bukvy', 'longer than 500 characters'],
  ['crn', 'it prefers the social description'],
  ['wikipedia', 'it takes the first paragraph'],
])

const languageDiffers = new Map([['reuters', 'it takes the language from linked data in the text']])

for (const { file, page, expected } of pages ?? []) {
  const name = file.replace('.head.html', '')
  if (expected === null) continue
  withCorpus(`${name}: a real page says its title, description and language`, (t) => {
    const { title, description, language } = scanPage(page).metadata
    compare(titleDiffers, plain(title), plain(expected.title))
    compare(descriptionDiffers, plain(description), plain(expected.description))
    compare(languageDiffers, language && new Intl.Locale(language).language, expected.lang)

    // A difference that has gone must leave the list, too.
    function compare(differs: Map<string, string>, ours: string | null, theirs: string | null) {
      if (differs.has(name)) t.not(ours, theirs, differs.get(name))
      else t.is(ours, theirs)
    }
  })
}

if (pages === null) test.skip('real pages give their titles, descriptions and languages', () => {})
