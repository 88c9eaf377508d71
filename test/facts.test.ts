import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { configKeys } from '../src/core/config/index.ts'
import { siteOptions } from '../src/site/runtime/start.ts'
import { definitions } from '../src/testkit/definitions.ts'

// A fact that stands in two places: here the places are compared.

const root = join(import.meta.dirname, '..')
function read(name: string) {
  return readFileSync(join(root, name), 'utf8')
}
const pages = ['README.md', 'MIGRATION.md', 'docs', 'docs/providers'].flatMap((name) =>
  name.endsWith('.md')
    ? [name]
    : readdirSync(join(root, name))
        .filter((file) => file.endsWith('.md'))
        .map((file) => `${name}/${file}`),
)

test('docs/office.md says of the office of the demo what the demo has', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'membership-demo-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const options = (await siteOptions({ folder })) as {
    'membership.office.enabled'?: boolean
    office?: { who?: () => { role: string } }
  }
  t.true(options['membership.office.enabled'])
  t.is(options.office?.who?.().role, 'viewer')
  t.regex(read('docs/office.md'), /The demo [^.]*has an office that everybody may look into\./)
  for (const page of pages) t.notRegex(read(page), /demo[^.]* has no office/, page)
})

test('the page of the sandbox knows of its promotion codes', (t) => {
  const page = read('docs/providers/sandbox.md')
  const own = configKeys(definitions).filter(({ key }) =>
    key.startsWith('membership.providers.sandbox.codes'),
  )
  t.true(own.length > 0)
  t.true(page.includes('`membership.providers.sandbox.codes`'))
  t.notRegex(page, /no coupons/)
})

test('only rules-of-access.md says what a refund closes; other pages of sellers link there', (t) => {
  const say = /refund[^.|]*\bcloses?\b[^.|]*\bgates?\b|\bcloses? (the|a) gate\b[^.|]*refund/i
  const found = pages.filter((page) => page !== 'docs/rules-of-access.md' && say.test(read(page)))
  t.deepEqual(found, [])
})

test('a default that a page names is that of the configuration', (t) => {
  const keys = configKeys(definitions)
  let compared = 0
  for (const page of pages) {
    const sentences = read(page).matchAll(
      /`(membership(?:\.[\w{}]+)+)`[^.|]{0,40}?: (\d+) (day|hour|minute|second)s?\b[^.|;]*by default|`(membership(?:\.[\w{}]+)+)` is the number[^.|]*, (\d+) by default|`(membership(?:\.[\w{}]+)+)` (day|hour|minute|second)s \(default (\d+)\)/g,
    )
    for (const [sentence, timed, amount, unit, counted, number, key, ofKey, byDefault] of sentences) {
      const found = keys.find((item) => item.key === (timed ?? counted ?? key))
      t.not(found, undefined, sentence)
      t.is(String(found?.default), (amount ?? number ?? byDefault)!, `${page}: ${sentence}`)
      const inUnit = unit ?? ofKey
      if (inUnit !== undefined)
        t.regex(found?.description ?? '', new RegExp(inUnit, 'i'), `${page}: ${sentence}`)
      compared++
    }
  }
  t.true(compared >= 2)
})
