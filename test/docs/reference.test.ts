import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { register } from 'tsx/esm/api'
import type { Examples } from '../../examples/reference/site.ts'
import { filesOfKind } from '../../scripts/prose/measure.ts'
import { examplesIn, type Part, pages, referenceFiles } from '../../scripts/reference-pages.ts'
import { thorough } from '../support/parts.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'examples/reference')

type Module = Readonly<Record<string, Examples>>
// The examples are no part of the suite that is translated at once.
const translated = process.env.TEST_BUILT ? register({ namespace: 'reference' }) : null
function load(file: string): Promise<unknown> {
  const path = join(folder, `${file}.ts`)
  return translated === null ? import(path) : translated.import(path, import.meta.url)
}
const { openSite, equal } = (await load('site')) as typeof import('../../examples/reference/site.ts')

async function examplesOf({ examples: [file, name] }: Part): Promise<Examples> {
  return ((await load(file)) as Module)[name]!
}

test('docs/reference is made from the types and the examples (mend: npm run docs)', async (t) => {
  const files = await referenceFiles()
  // Rules that people wrote stand in the same folder, and in the sidebar.
  const byHand = filesOfKind(root, 'reference').flatMap((file) => {
    const name = file.replace('docs/reference/', '')
    return name === file || files.has(name) ? [] : [name]
  })
  t.deepEqual(readdirSync(join(root, 'docs/reference')).sort(), [...files.keys(), ...byHand].sort())
  for (const [name, text] of files) t.is(readFileSync(join(root, 'docs/reference', name), 'utf8'), text, name)
})

/** The names of the calls of an object, and of the objects in it: `outbox.list`. */
function callsOf(object: object, without: readonly string[] = []): string[] {
  return Object.entries(object).flatMap(([name, value]) => {
    if (without.includes(name)) return []
    if (typeof value === 'function') return [name]
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? callsOf(value as object).map((call) => `${name}.${call}`)
      : []
  })
}

/** The package's own calls, which no type of the interface has. */
const inner = [
  'm.users.findWithSession',
  'm.users.departed',
  'm.operator.audit.noting',
  'm.operator.audit.step',
  'm.operator.audit.page',
  'm.operator.audit.find',
]

/** Calls between the index and the rest of the package, which its type has since 2.0.0-rc.1. */
const betweenParts = ['m.reports.keys.admit', 'm.reports.keys.forget', 'm.reports.audit.step']

test('every call of the instance, of a view and of a member has one example', async (t) => {
  const { m, ann, close } = await openSite()
  t.teardown(close)
  const view = await m.viewOf(ann)
  // The storage is the site's database.
  const { reports, operator, ...rest } = m
  const calls = [
    ...callsOf(rest, ['storage']).map((name) => `m.${name}`),
    ...callsOf(reports).map((name) => `m.reports.${name}`),
    ...callsOf(operator, ['config']).map((name) => `m.operator.${name}`),
    ...callsOf(view).map((name) => `view.${name}`),
    ...callsOf(view.provider()).map((name) => `provider.${name}`),
    ...callsOf(ann).map((name) => `user.${name}`),
  ]
  const parts = pages.flatMap((page) => page.parts)
  const shown = await Promise.all(
    parts.map(async (part) => Object.keys(await examplesOf(part)).map((name) => `${part.prefix}.${name}`)),
  )
  t.true(calls.length > 150)
  const examples = shown.flat()
  t.deepEqual(
    calls.filter((name) => !examples.includes(name) && ![...inner, ...betweenParts].includes(name)),
    [],
    'calls without an example',
  )
  t.deepEqual(
    examples.filter((name) => !calls.includes(name)),
    [],
    'examples of calls that are not there',
  )
})

test('each example shows a value or an error that is compared', (t) => {
  for (const { prefix, examples } of pages.flatMap((page) => page.parts)) {
    const [file, constant] = examples
    for (const [name, code] of examplesIn(readFileSync(join(folder, `${file}.ts`), 'utf8'), constant))
      t.regex(code, /console\.log\([\s\S]*\) \/\/ |\/\/ throws ERR_/, `${prefix}.${name}`)
  }
})

test('an expectation that does not hold fails', (t) => {
  t.throws(() => equal(['pro'], []), { code: 'ERR_ASSERTION' })
})

// Members and money run each time.
const ordinary = ['users', 'checkout', 'subscriptions', 'payments']
for (const { file, parts } of pages)
  (ordinary.includes(file) ? test : thorough(test)).serial(
    `the examples of docs/reference/${file}.md run`,
    async (t) => {
      for (const part of parts)
        for (const [name, run] of Object.entries(await examplesOf(part))) {
          const { close, ...given } = await openSite()
          try {
            await run(given)
          } catch (error) {
            t.fail(`${part.prefix}.${name}: ${error}`)
          } finally {
            await close()
          }
        }
      t.pass()
    },
  )
