import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test from 'ava'
import fc from 'fast-check'
import { rewriteAccount } from '../../src/migrate/accounts/index.ts'
import { planBlueprints } from '../../src/migrate/blueprints/index.ts'
import { planConfig } from '../../src/migrate/config/plan.ts'
import { applyEdits, invertEdits } from '../../src/migrate/edits.ts'
import { proposeRenames, readEnv, rewriteEnv } from '../../src/migrate/env/index.ts'
import { partOf } from '../../src/migrate/find.ts'
import { nothing, type Rewrite } from '../../src/migrate/plan.ts'
import { planSite } from '../../src/migrate/site.ts'
import { toBytes, toSource } from '../../src/migrate/source.ts'
import { rewriteTemplate } from '../../src/migrate/templates/index.ts'
import { emptyFolder } from '../support/migrate.ts'

const facts = { provider: 'stripe', prefix: 'membership', field: 'stripe' }

/** What a file becomes, by the part that its place says. */
function rewrite(file: string, bytes: Buffer): { rewrite: Rewrite; text: string; bytes: Buffer } | null {
  const source = toSource(file, bytes)
  if (typeof source === 'string') return null
  const part = partOf(file)
  const found =
    part === 'config'
      ? planConfig([source], facts).get(file)
      : part === 'env'
        ? rewriteEnv(
            source,
            proposeRenames(
              readEnv(source.text).map(({ name }) => name),
              facts,
            ),
          )
        : part === 'blueprints'
          ? planBlueprints([source], facts).get(file)
          : part === 'accounts'
            ? rewriteAccount(source, facts)
            : rewriteTemplate(source, facts)
  const own = found ?? nothing
  return { rewrite: own, text: source.text, bytes: toBytes(source, applyEdits(source.text, own.edits)) }
}

/** Takes the edits out again, and runs a second time. */
function checkBytes(file: string, bytes: Buffer): string | null {
  const first = rewrite(file, bytes)
  if (first === null) return null
  const source = toSource(file, first.bytes)
  if (typeof source === 'string') return `${file}: is no text any more`
  const back = applyEdits(source.text, invertEdits(first.text, first.rewrite.edits))
  if (!toBytes(source, back).equals(bytes)) return `${file}: other bytes come back`
  const again = rewrite(file, first.bytes)
  return again!.rewrite.edits.length > 0 ? `${file}: a second run changes ${again!.rewrite.summary}` : null
}

const fixtures = join(import.meta.dirname, '..', 'fixtures', 'migrate')
const v1Files = readdirSync(fixtures).flatMap((name) =>
  readdirSync(join(fixtures, name, 'v1'), { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(fixtures, name, 'v1', file)).isFile() && partOf(file) !== 'database')
    .map((file): [string, Buffer] => [file, readFileSync(join(fixtures, name, 'v1', file))]),
)

const corpus = join(import.meta.dirname, '../../../shared/corpora/cms')
const hasCorpus = existsSync(corpus)
if (!hasCorpus) console.warn('The corpus of real sites is not here: its files are not tried.')

/** Where a file of the corpus would lie on a site. */
function placeOf(kind: string, name: string): string {
  return (
    {
      config: `site/config/${name}`,
      'blueprints-users': `site/blueprints/users/${name}`,
      'blueprints-other': `site/blueprints/pages/${name}`,
      content: `site/accounts/a/${name}`,
      env: `.env.${name}`,
      'readme-env': `.env.${name}`,
      'readme-yaml': `config/${name}`,
      'readme-config': `site/config/${name}`,
    }[kind] ?? `site/templates/${name}`
  )
}

const real = hasCorpus
  ? readdirSync(corpus, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name: kind }) =>
        readdirSync(join(corpus, kind)).map((name): [string, Buffer] => [
          placeOf(kind, name),
          readFileSync(join(corpus, kind, name)),
        ]),
      )
  : []

test('in every golden file only the edits change bytes, and a second run changes nothing', (t) => {
  for (const [file, bytes] of v1Files) t.is(checkBytes(file, bytes), null)
})

;(hasCorpus ? test : test.skip)('the same for every file of real sites', (t) => {
  t.true(real.length > 60)
  for (const [file, bytes] of real) t.is(checkBytes(file, bytes), null)
})

;(hasCorpus ? test : test.skip)('a file of a real site without a v1 key is not touched', async (t) => {
  const site = await emptyFolder(t)
  for (const [file, bytes] of real) {
    await mkdir(dirname(join(site, file)), { recursive: true })
    await writeFile(join(site, file), bytes)
  }
  const { changes } = await planSite(site)
  // None of these sites has this plugin.
  t.deepEqual(
    changes.map(({ file, summary }) => [file, summary]),
    [],
  )
})

const mutations = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    what: fc.constantFrom('cut', 'latin1', 'crlf', 'quote', 'brace', 'bom', 'nul', 'words', 'end'),
  }),
  { maxLength: 4 },
)

function mutate(bytes: Buffer, changes: readonly { at: number; what: string }[]): Buffer {
  return changes.reduce((now, { at, what }) => {
    const place = Math.floor(at * now.length)
    const put = (text: string | Buffer) =>
      Buffer.concat([now.subarray(0, place), Buffer.from(text as string), now.subarray(place)])
    switch (what) {
      case 'cut':
        return Buffer.concat([now.subarray(0, place), now.subarray(place + 5)])
      case 'latin1':
        return put(Buffer.from([0xe4, 0xff, 0x80]))
      case 'crlf':
        return Buffer.from(now.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1')
      case 'quote':
        return put("'")
      case 'brace':
        return put('[{(')
      case 'bom':
        return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), now])
      case 'nul':
        return put(Buffer.from([0]))
      case 'words':
        return put("purchases: 'membership.stripe.secret' => manageUsers ")
      default:
        return now.subarray(0, place)
    }
  }, bytes)
}

test('damaged and changed files cause no exception and no other change', (t) => {
  const all = [...v1Files, ...real]
  fc.assert(
    fc.property(fc.nat(all.length - 1), mutations, (i, changes) => {
      const [file, bytes] = all[i]!
      const problem = checkBytes(file, mutate(bytes, changes))
      if (problem) throw new Error(problem)
    }),
    {
      numRuns: Number(process.env.FC_RUNS ?? 1500),
      seed: process.env.FC_SEED === 'random' ? undefined : 11,
    },
  )
  t.pass()
})
