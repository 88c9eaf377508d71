import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import test from 'ava'
import { v1Keys } from '../../src/core/config/index.ts'
import { toDraft, valueAt } from '../../src/migrate/config/file.ts'
import { applyEdits } from '../../src/migrate/edits.ts'
import { type Plan, parts } from '../../src/migrate/plan.ts'
import { isDone, planSite } from '../../src/migrate/site.ts'
import { toBytes, toSource } from '../../src/migrate/source.ts'
import { copied } from '../support/migrate.ts'

const cases = join(import.meta.dirname, '..', 'fixtures', 'migrate')

/** Every file of a folder with its bytes, the name below the folder first. */
function filesOf(folder: string): [string, Buffer][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(folder, file)).isFile())
    .sort()
    .map((file) => [file, readFileSync(join(folder, file))])
}

// A case is about the part that its name begins with; `site-…` is about all of them together.
function optionsOf(name: string) {
  const file = join(cases, name, 'options.json')
  const own = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const part = parts.find((part) => name.startsWith(`${part}-`))
  return { ...(part ? { only: [part] } : {}), ...own }
}

for (const name of readdirSync(cases).sort()) {
  const folder = (version: string) => join(cases, name, version)

  test(`golden: ${name}`, async (t) => {
    const plan = await planSite(folder('v1'), optionsOf(name))
    const changed = new Map(plan.changes.map((change) => [change.file, change]))
    const result = filesOf(folder('v1')).map(([file, bytes]): [string, string] => {
      const change = changed.get(file)
      const source = toSource(file, bytes)
      if (!change || typeof source === 'string') return [file, bytes.toString('latin1')]
      return [file, toBytes(source, applyEdits(source.text, change.edits)).toString('latin1')]
    })
    t.deepEqual(
      result,
      filesOf(folder('v2')).map(([file, bytes]) => [file, bytes.toString('latin1')]),
    )
    const notes = plan.decisions.map(({ part, code, file, line }) => ({ part, code, file, line }))
    t.deepEqual(notes, JSON.parse(readFileSync(join(cases, name, 'notes.json'), 'utf8')))
  })

  test(`golden: ${name} has nothing left to change afterwards`, async (t) => {
    const plan = await planSite(folder('v2'), optionsOf(name))
    t.deepEqual(
      plan.changes.map(({ file, summary }) => ({ file, summary })),
      [],
    )
    // What was left to a person is still there, and nothing is found that was not found before.
    const codes = (of: Plan) =>
      of.decisions.filter(({ level }) => level !== 'know').map(({ code, file }) => `${code} ${file}`)
    const before = codes(await planSite(folder('v1'), optionsOf(name)))
    t.deepEqual(
      codes(plan).filter((code) => !before.includes(code)),
      [],
    )
    t.is(isDone(plan), codes(plan).length === 0)
  })
}

test('a plan changes nothing on the disk', async (t) => {
  const [name] = readdirSync(cases)
  const site = await copied(t, join(cases, name!, 'v1'))
  const before = filesOf(site)
  await planSite(site)
  t.deepEqual(filesOf(site), before)
  t.is(relative(site, site), '')
})

test('work is left while something changes, and while a decision needs a change', async (t) => {
  const only = { only: ['config'] as const }
  t.true(isDone(await planSite(join(cases, 'config-php-flat', 'v2'), only)))
  t.false(isDone(await planSite(join(cases, 'config-php-flat', 'v1'), only)))
  t.false(isDone(await planSite(join(cases, 'config-php-both-forms-differ', 'v1'), only)))
})

test('every v1 key occurs in every configuration format, in enough cases', (t) => {
  const names = readdirSync(cases)
  t.true(names.length >= 60, String(names.length))
  const facts = { provider: 'stripe', prefix: 'membership', field: 'stripe' }
  const keys = v1Keys.map(({ v1 }) => v1.replace('{provider}', 'stripe'))
  const seen = new Map<string, Set<string>>()
  for (const name of names.filter((name) => name.startsWith('config-')))
    for (const [file, bytes] of filesOf(join(cases, name, 'v1'))) {
      const draft = toDraft({ file, text: bytes.toString(), encoding: 'utf8' }, facts)
      const format = file.split('.').at(-1)!.replace('mts', 'ts')
      for (const key of keys)
        if (draft && valueAt(draft, key.split('.')))
          seen.set(format, (seen.get(format) ?? new Set()).add(key))
    }
  for (const format of ['php', 'json', 'jsonc', 'yml', 'js', 'ts'])
    t.deepEqual([...(seen.get(format) ?? [])].sort(), [...keys].sort(), format)
})
