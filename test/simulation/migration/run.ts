import { createContext, runInContext } from 'node:vm'
import { applyEdits } from '../../../src/migrate/edits.ts'
import type { Rewrite } from '../../../src/migrate/plan.ts'
import { planSite } from '../../../src/migrate/site.ts'
import { purchaseFlow } from '../../../src/migrate/templates/flow.ts'
import { findGiven } from '../../../src/migrate/templates/given.ts'
import { rewriteTemplate } from '../../../src/migrate/templates/index.ts'
import { payments, purchasedPrices, purchases, showPhp, v1, v2 } from '../../support/php-world.ts'
import { createChance } from '../chance.ts'
import { phpProgram } from './php-programs.ts'
import { scriptProgram } from './script-programs.ts'

/** The outcome of a run: how many programs were what, and those that were green and show something else. */
export interface Outcome {
  readonly language: 'php' | 'script'
  readonly programs: number
  /** Programs that fail with the data of version 1 already: they prove nothing. */
  readonly invalid: number
  readonly green: number
  /** Programs that are listed and show something else, or throw, in version 2. */
  readonly listedRightly: number
  /** Programs that are listed and show the same. */
  readonly alarms: number
  readonly unsound: readonly string[]
}

export interface MigrationRun {
  readonly seed: string
  readonly programs: number
  /** An empty folder for PHP's files. */
  readonly folder: string
  /** Changes what the migration says: a rule that is wrong on purpose. */
  readonly spoil?: (rewrite: Rewrite, text: string) => Rewrite
}

const facts = { provider: 'stripe', prefix: 'membership', field: 'stripe' }

/** Migrates random PHP, runs it with the data of each version, and compares what it prints. */
export function simulatePhpMigration(run: MigrationRun): Outcome {
  const chance = createChance(run.seed, 'php migration')
  const programs = Array.from({ length: run.programs }, () => migrated(phpProgram(chance), 'main.php', run))
  const shown = showPhp(
    run.folder,
    programs.map((program) => ({ v1: { main: program.v1 }, v2: { main: program.v2 } })),
  )
  return outcomeOf('php', programs, shown)
}

/** The same for JavaScript, in a context of its own for each program. */
export function simulateScriptMigration(run: MigrationRun): Outcome {
  const chance = createChance(run.seed, 'script migration')
  const programs = Array.from({ length: run.programs }, () => migrated(scriptProgram(chance), 'main.js', run))
  const shown = programs.map((program) => ({
    v1: showScript(program.v1, v1, { purchases }, { purchases: purchasedPrices }),
    v2: showScript(program.v2, v2, { payments }, { payments }),
  }))
  return outcomeOf('script', programs, shown)
}

interface Program {
  readonly v1: string
  readonly v2: string
  readonly isGreen: boolean
}

function migrated(text: string, file: string, { spoil }: MigrationRun): Program {
  const source = { file, text, encoding: 'utf8' as const }
  const given = findGiven(() => [source], facts)
  const givenPurchases = findGiven(() => [source], facts, purchaseFlow)
  const rewrite = rewriteTemplate(source, { ...facts, given, givenPurchases })
  const { edits, findings } = spoil ? spoil(rewrite, text) : rewrite
  return { v1: text, v2: applyEdits(text, edits), isGreen: findings.length === 0 }
}

type Lists = Readonly<Record<string, readonly unknown[]>>

function showScript(text: string, subscriptions: readonly unknown[], lists: Lists, stored: Lists): string {
  const printed: unknown[] = []
  const own = structuredClone(subscriptions)
  const data = { customer: 'cus_0', ...structuredClone(stored) }
  const methods = Object.entries(structuredClone(lists)).map(([name, list]) => [name, () => list])
  const provider = { ...Object.fromEntries(methods), getUserData: () => data }
  const context = createContext({
    user: { subscriptions: () => own, content: () => data },
    membership: () => ({ provider: () => provider }),
    print: (...values: unknown[]) => printed.push(...values),
    structuredClone,
  })
  try {
    runInContext(text, context, { timeout: 5000 })
    return printed.map(String).join('\n')
  } catch (error) {
    return `THROWN ${error instanceof Error ? error.message : String((error as { message?: unknown }).message)}`
  }
}

function outcomeOf(
  language: Outcome['language'],
  programs: readonly Program[],
  shown: readonly { readonly v1: string; readonly v2: string }[],
): Outcome {
  const counts = { invalid: 0, green: 0, listedRightly: 0, alarms: 0 }
  const unsound: string[] = []
  for (const [i, program] of programs.entries()) {
    const { v1: before, v2: after } = shown[i]!
    // Where a loop was, blanks may be left out.
    const isSame = before.replace(/\s+/g, ' ').trim() === after.replace(/\s+/g, ' ').trim()
    if (before.startsWith('THROWN')) counts.invalid++
    else if (program.isGreen) {
      counts.green++
      if (!isSame) unsound.push(`${program.v1}→ ${program.v2}${before}\n→ ${after}`)
    } else if (isSame) counts.alarms++
    else counts.listedRightly++
  }
  return { language, programs: programs.length, ...counts, unsound }
}

/** One line for each language. */
export function lineOfOutcome(outcome: Outcome): string {
  const { language, programs, invalid, green, listedRightly, alarms, unsound } = outcome
  const equal = green - unsound.length + alarms
  const share = equal === 0 ? 0 : (100 * alarms) / equal
  return (
    `${language.padEnd(6)} ${programs} programs, ${invalid} fail in version 1; green ${green}, of them different ${unsound.length}; ` +
    `listed ${listedRightly + alarms}, of them equal ${alarms} (${share.toFixed(1)} % of ${equal} equal programs are listed)`
  )
}

/** One line about a folder without memberships: whatever is listed in its code is a false alarm. */
export async function lineOfAlarms(folder: string): Promise<string> {
  const { decisions, files } = await planSite(folder, { only: ['templates'] })
  const alarms = decisions.filter(({ level }) => level !== 'know')
  const withAlarms = new Set(alarms.map(({ file }) => file)).size
  return `${folder}: ${files} files, ${withAlarms} with a false alarm (${alarms.map(({ file, line, code }) => `${file}:${line} ${code}`).join(', ') || 'none'})`
}
