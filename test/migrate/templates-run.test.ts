import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { applyEdits } from '../../src/migrate/edits.ts'
import { findGiven } from '../../src/migrate/templates/given.ts'
import { rewriteTemplate } from '../../src/migrate/templates/index.ts'
import { emptyFolder } from '../support/migrate.ts'
import { phpCrossings, phpIdioms } from '../support/php-idioms.ts'
import { hasPhp, showPhp } from '../support/php-world.ts'

const facts = { provider: 'stripe', prefix: 'membership', field: 'stripe' }
const withPhp = hasPhp ? test : test.skip

interface Program {
  /** Files by name, of which `main` is run. */
  readonly v1: Record<string, string>
  readonly v2: Record<string, string>
  readonly isEdited: boolean
  readonly hasFindings: boolean
}
function migrated(main: string): Program {
  return migratedTogether({ main })
}
function migratedTogether(v1: Record<string, string>): Program {
  const sources = Object.entries(v1).map(([name, text]) => ({
    file: `${name}.php`,
    text,
    encoding: 'utf8' as const,
  }))
  const given = findGiven(() => sources, facts)
  const rewrites = sources.map((source) => rewriteTemplate(source, { ...facts, given }))
  const v2 = Object.fromEntries(
    Object.entries(v1).map(([name, text], i) => [name, applyEdits(text, rewrites[i]!.edits)]),
  )
  return {
    v1,
    v2,
    isEdited: rewrites.some(({ edits }) => edits.length > 0),
    hasFindings: rewrites.some(({ findings }) => findings.some(({ code }) => code !== 'search-stays')),
  }
}

/** Those of the programs, run before and after, that print something else and of which nothing was said. */
async function silent(t: ExecutionContext, programs: readonly Program[]): Promise<string[]> {
  const shown = showPhp(await emptyFolder(t), programs)
  return programs.flatMap(({ v1, v2, hasFindings }, i) => {
    const { v1: before, v2: after } = shown[i]!
    t.false(before.startsWith('THROWN'), `${before}\n${toText(v1)}`)
    // Where a loop was, lines may be left out.
    const isSame = before.replace(/\s+/g, ' ').trim() === after.replace(/\s+/g, ' ').trim()
    return isSame || hasFindings ? [] : [`${toText(v1)}\n→ ${toText(v2)}\n${before}\n→ ${after}`]
  })
}

function toText(files: Record<string, string>): string {
  return Object.values(files).join('\n')
}

withPhp(
  'what another file does with a subscription shows the same before and after, or something is said (skipped without php)',
  async (t) => {
    const programs = phpCrossings().map(migratedTogether)
    t.true(programs.length > 150)
    t.deepEqual(await silent(t, programs), [])
    // What is not edited in version 1's brackets dies in version 2: each of those is said.
    t.true(programs.filter(({ hasFindings }) => hasFindings).length > 100)
  },
)

withPhp(
  'template idioms show the same before and after, or something is said (skipped without php)',
  async (t) => {
    const programs = phpIdioms().map((text) => migrated(text))
    t.deepEqual(await silent(t, programs), [])
    t.true(programs.filter(({ isEdited, hasFindings }) => isEdited && !hasFindings).length > 180)
  },
)

const golden = join(import.meta.dirname, '../fixtures/migrate')

withPhp('the golden templates show the same before and after (skipped without php)', async (t) => {
  const files = readdirSync(golden, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^templates-[^/]+\/v1\/.*(?<!blade)\.php$/.test(file),
  )
  const programs = files
    .map((file) => migrated(readFileSync(join(golden, file), 'utf8')))
    .filter(({ hasFindings, isEdited }) => isEdited && !hasFindings)
  t.true(programs.length > 0)
  t.deepEqual(await silent(t, programs), [])
})

test('a subscription passed on repeatedly is tracked in few rounds', (t) => {
  const steps = Array.from({ length: 2000 }, (_, i) => `$v${2000 - i} = f($v${1999 - i});`)
  const text = `<?php $v0 = [$user->subscriptions()[0]]; ${steps.join(' ')} echo $v2000['status'];`
  const begun = process.cpuUsage()
  const { findings } = rewriteTemplate({ file: 'a.php', text, encoding: 'utf8' }, facts)
  t.deepEqual(
    findings.map(({ code }) => code),
    ['unknown-value'],
  )
  // Half a minute, if every step were a round.
  t.true(process.cpuUsage(begun).user < 10_000_000)
})
