import test from 'ava'
import fc from 'fast-check'
import { type Scan, scanPage } from '../../../src/reports/detection/index.ts'

const megabyte = 1_048_576

function scan(html: string): Scan {
  return scanPage({ url: 'https://example.com/', headers: {}, html })
}
function fill(piece: string): string {
  return piece.repeat(Math.ceil(megabyte / piece.length)).slice(0, megabyte)
}
function countSigns({ signs }: Scan): number {
  return Object.values(signs).flat().length
}

test('512 levels are the deepest; earlier content is kept', (t) => {
  const deep = scan(`<title>Before</title>${'<div>'.repeat(200_000)}<meta name="late" content="x">`)
  t.is(deep.stopped, 'depth')
  t.is(deep.metadata.title, 'Before')
  t.deepEqual(deep.signs.meta, [])
  t.is(scan(`${'<div>'.repeat(511)}<title>x`).stopped, 'depth')
  t.is(scan('<div>'.repeat(511)).stopped, null)
})

test('50 000 tags are the limit', (t) => {
  t.is(scan('<br>'.repeat(50_000)).stopped, 'tags')
  t.is(scan('<br>'.repeat(49_999)).stopped, null)
})

test('at most 1 MB is read', (t) => {
  const long = scan(`${' '.repeat(megabyte)}<title>Late</title>`)
  t.is(long.stopped, 'size')
  t.is(long.metadata.title, null)
  t.is(scan(' '.repeat(megabyte)).stopped, null)
})

test('signs are limited per channel, so that one kind does not displace another', (t) => {
  const many = Array.from({ length: 5_000 }, (_, n) => `<b id="b${n}"></b><img src="/${n}.png">`).join('')
  const headers = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`x-${n}`, 'y']))
  const cookies = Array.from({ length: 500 }, (_, n) => `c${n}=1`)
  const result = scanPage({
    url: 'https://example.com/',
    headers: { ...headers, 'set-cookie': cookies },
    html: `${many}<meta name="generator" content="Acme"><script src="/last.js"></script>`,
  })
  t.true(countSigns(result) <= 2000)
  t.deepEqual(result.signs.meta, ['generator=Acme'])
  t.deepEqual(result.signs.script, ['/last.js'])
})

test('a sign has at most 500 characters, links are 200, icons 20', (t) => {
  const long = 'x'.repeat(100_000)
  const result = scan(`
    <body class="${long}" data-${long}="1"><${long} id=a><!-- ${long} --><meta name="${long}" content="${long}">
    <img src="/${'y'.repeat(1500)}"><img src="/${long}">
    ${Array.from({ length: 500 }, (_, n) => `<a href="https://h${n}.example/"></a><link rel=icon href="/${n}">`).join('')}`)
  for (const sign of Object.values(result.signs).flat()) t.true(sign.length <= 500)
  t.is(result.signs.asset[0]?.length, 500)
  t.is(result.links.length, 200)
  t.is(result.metadata.icons.length, 20)
})

const hostile: Record<string, string> = {
  'tags that are never closed': '<div>',
  'paragraphs that close each other': '<p>',
  'ends without beginnings': '</x>',
  'ends of paragraphs': '</p>',
  'openings of comments': '<!--',
  'openings of tags': '<',
  'half a tag': '<a href="',
  entities: '&amp;',
  'half an entity': '&',
  titles: '<title>',
  drawings: '<svg><title>',
  tables: '<table><tr><td>',
  declarations: '<!doctype',
  instructions: '<?x ',
  scripts: '<script>',
  state: '<script type=application/json>{',
  sources: '<img srcset="a, b, c">',
  islands: '<x-y data-a="b">',
  'null characters': '\u0000<\u0000',
}

for (const [name, piece] of Object.entries(hostile))
  test(`1 MB of ${name} is read within the limits`, (t) => {
    const result = scan(fill(piece))
    t.true(countSigns(result) <= 2000)
    t.true((result.metadata.title?.length ?? 0) <= 300)
    t.true(result.links.length <= 200)
  })

test('one tag with very many attributes or candidates is one tag', (t) => {
  const attributes = Array.from({ length: 50_000 }, (_, n) => `data-${n}`).join(' ')
  t.is(scan(`<i ${attributes}>`).signs.dom.length, 1)
  t.true(scan(`<img srcset="${'/a, '.repeat(100_000)}">`).signs.asset.length <= 20)
  t.deepEqual(scan(`<link rel="${'a '.repeat(100_000)}" href="/x">`).signs.asset, [])
})

test('at most 50 000 addresses are resolved', (t) => {
  const page = `<img srcset="${'a, '.repeat(20)}">`.repeat(2_500)
  t.deepEqual(scan(`${page}<link rel="icon" href="/icon.png">`).metadata.icons, [])
  t.is(scan('<link rel="icon" href="/icon.png">').metadata.icons.length, 1)
})

test('names of JavaScript’s own properties are ordinary names', (t) => {
  const result = scan(
    '<constructor id=a><valueOf class=b><meta name="__proto__" content="x"><meta name="toString" content="y">',
  )
  t.deepEqual(result.signs.meta, ['__proto__=x', 'tostring=y'])
  t.is(result.signs.dom.length, 2)
})

test('any text is accepted as a page', (t) => {
  const pieces = fc.constantFrom(
    '<',
    '>',
    '"',
    "'",
    '/',
    '!--',
    '-->',
    'title',
    'meta',
    'a href=',
    ' ',
    '=',
    '&',
    ';',
  )
  const page = fc.array(fc.oneof(pieces, fc.string({ unit: 'binary' })), { maxLength: 60 })
  fc.assert(
    fc.property(page, fc.string(), (parts, value) => {
      const result = scanPage({ url: 'https://example.com/', headers: { x: value }, html: parts.join('') })
      t.true(countSigns(result) <= 2000)
    }),
    { numRuns: 300 },
  )
})
