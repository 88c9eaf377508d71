import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { emptyFolder } from '../../support/migrate.ts'
import type { LabelledPage } from './fixtures.ts'
import { judge, readSet, varied } from './judges.ts'

function page(file: string, system: string | null, html: string, headers = {}): LabelledPage {
  return {
    file,
    system,
    page: {
      url: 'https://example.com/',
      headers,
      html: `<!doctype html><html><head>${html}</head><body></body></html>`,
    },
  }
}
const wordpress =
  '<meta name="generator" content="WordPress 6.5"><link rel="stylesheet" href="https://example.com/wp-content/themes/x/style.css"><link rel="https://api.w.org/" href="https://example.com/wp-json/">'
const pages = [
  page('real', 'wordpress', wordpress),
  page('hidden', 'wordpress', wordpress.replace(/<meta[^>]+>/, '')),
  page('copied', null, '<meta name="generator" content="WordPress 6.5">'),
  page('other', null, '<title>None</title>'),
]

test('both sides are counted on the systems that both know', async (t) => {
  const folder = await emptyFolder(t)
  mkdirSync(join(folder, 'src/technologies'), { recursive: true })
  const set = {
    WordPress: { meta: { generator: '^WordPress(?: ([\\d.]+))?\\;version:\\1' } },
    'Nobody knows this': { html: '.' },
  }
  writeFileSync(join(folder, 'src/technologies/w.json'), JSON.stringify(set))
  const found = judge(pages, readSet(folder))
  t.like(found, {
    systems: 1,
    pages: 2,
    ours: { precision: 1, recall: 1 },
    theirs: { precision: 0.5, recall: 0.5 },
  })
  t.deepEqual(found.onlyOurs, ['wordpress: hidden'])
  t.deepEqual(found.theirsWrong, ['wordpress: copied'])
})

test('each kind of rule that a page can answer is asked', (t) => {
  const looked = page(
    'x',
    'wordpress',
    '<script src="/a/wp-embed.min.js"></script><div id="w" data-a="b">words</div>',
    {
      'X-Pingback': 'https://example.com/xmlrpc.php',
      'set-cookie': ['wp=1; path=/'],
    },
  )
  const rules: Record<string, object> = {
    header: { headers: { 'x-pingback': '/xmlrpc\\.php$' } },
    cookie: { cookies: { WP: '' } },
    script: { scriptSrc: ['wp-embed\\.min\\.js\\;confidence:50'] },
    html: { html: '<div id="w"' },
    url: { url: '^https://example' },
    selector: { dom: '#w' },
    attribute: { dom: { '#w': { attributes: { 'data-a': '^b$' } } } },
    text: { dom: { '#w': { text: 'WORDS' } } },
  }
  for (const [name, rule] of Object.entries(rules))
    t.is(judge([looked], new Map([['WordPress', rule]])).theirs.recall, 1, name)
  t.is(
    judge([looked], new Map([['WordPress', { dom: { '#w': { attributes: { 'data-a': '^c$' } } } }]])).theirs
      .recall,
    0,
  )
})

test('varied pages lose their claim, their headers, and both', (t) => {
  const [claimless, headless, both] = varied([page('a', 'wordpress', wordpress, { a: 'b' })])
  t.notRegex(claimless!.page.html, /generator/)
  t.deepEqual([claimless!.page.headers, headless!.page.headers, both!.page.headers], [{ a: 'b' }, {}, {}])
  t.notRegex(both!.page.html, /generator/)
})
