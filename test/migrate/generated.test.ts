import test, { type ExecutionContext } from 'ava'
import type { Rewrite } from '../../src/migrate/plan.ts'
import {
  lineOfOutcome,
  type MigrationRun,
  simulatePhpMigration,
  simulateScriptMigration,
} from '../simulation/migration/run.ts'
import { emptyFolder } from '../support/migrate.ts'
import { thorough } from '../support/parts.ts'
import { hasPhp } from '../support/php-world.ts'

const withPhp = hasPhp ? test : test.skip
const thoroughWithPhp = hasPhp ? thorough(test) : test.skip
async function runOf(t: ExecutionContext, run: Partial<MigrationRun> = {}): Promise<MigrationRun> {
  return {
    seed: '2026',
    programs: 100,
    folder: await emptyFolder(t),
    ...run,
  }
}

withPhp('no random PHP is green and shows something else (skipped without php)', async (t) => {
  const outcome = simulatePhpMigration(await runOf(t))
  t.log(lineOfOutcome(outcome))
  t.deepEqual(outcome.unsound, [])
  // Programs that fail, or are all listed, prove nothing.
  t.true(outcome.green >= 10)
  t.true(outcome.listedRightly >= 10)
})

test('no random JavaScript passes as proven and behaves differently', async (t) => {
  const outcome = simulateScriptMigration(await runOf(t))
  t.log(lineOfOutcome(outcome))
  t.deepEqual(outcome.unsound, [])
  t.true(outcome.green >= 10)
  t.true(outcome.listedRightly >= 10)
})

/** Drops what is said about some lines, as a rule would that takes them for known. */
function without(pattern: RegExp) {
  return (rewrite: Rewrite, text: string): Rewrite => ({
    ...rewrite,
    findings: rewrite.findings.filter(
      ({ code, at }) => code !== 'not-followed' || !pattern.test(text.slice(at, text.indexOf('\n', at))),
    ),
  })
}

thoroughWithPhp('a rule that is wrong on purpose is found in PHP (skipped without php)', async (t) => {
  for (const spoil of [without(/./), without(/array_chunk|\$s\b/)])
    t.true(simulatePhpMigration(await runOf(t, { programs: 300, spoil })).unsound.length > 0)
})

thorough(test)('a deliberately wrong rule is detected in JavaScript', async (t) => {
  for (const spoil of [without(/./), without(/JSON\.stringify/)])
    t.true(simulateScriptMigration(await runOf(t, { programs: 1000, spoil })).unsound.length > 0)
})
