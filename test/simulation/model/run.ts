import fc from 'fast-check'
import { check } from './laws.ts'
import { play, settle } from './play.ts'
import { type History, histories, type ProviderKey, textOf } from './steps.ts'
import { openWorld } from './world.ts'

/** Plays a history on a site of its own, and answers which laws are broken at the end, or were on the way. */
export async function run(history: History, database?: string) {
  const world = await openWorld(history, database)
  const broken: string[] = []
  try {
    for (const step of [...history.steps, { do: 'settle' as const }]) {
      if (step.do === 'settle') await settle(world)
      else await play(world, step)
      broken.push(...(step.do === 'settle' ? await check(world) : world.journal.broken))
      if (broken.length > 0) break
    }
    return { broken: [...new Set(broken)], log: world.journal.log }
  } finally {
    await world.close()
  }
}

export interface Search {
  readonly keys: readonly ProviderKey[]
  readonly seed: number
  /** How long, and at most how many histories. */
  readonly ms: number
  readonly runs?: number
  readonly only?: readonly string[] | undefined
  /** Addresses of empty databases; SQLite's own unless given. */
  readonly database?: (() => Promise<string>) | undefined
}

/** Plays random histories until a law is broken, and makes the history that breaks it as short as it can be. */
export async function search({ keys, seed, ms, runs = 1_000_000, only, database }: Search) {
  let played = 0
  let found: History | null = null
  const property = fc.asyncProperty(histories(keys, only), async (history) => {
    played++
    const isBroken = (await run(history, await database?.())).broken.length > 0
    if (isBroken) found = history
    return !isBroken
  })
  await fc.check(property, {
    ...{ seed, numRuns: runs, endOnFailure: true },
    ...{ interruptAfterTimeLimit: ms, markInterruptAsFailure: false },
  })
  return { played, report: found === null ? null : await reportOf(found, seed) }
}

async function reportOf(found: History, seed: number): Promise<string> {
  const shortest = await shorten(found)
  const { broken, log } = await run(shortest)
  return [`seed ${seed}`, ...broken, textOf(shortest), ...log].join('\n')
}

/** Leaves out one step after another, and the second provider and the trial, as long as something is broken. */
async function shorten(history: History): Promise<History> {
  const { to: _to, ...alone } = history
  const { trial: _trial, ...unfree } = history
  const shorter = [
    ...history.steps.map((_, n) => ({ ...history, steps: history.steps.toSpliced(n, 1) })),
    ...(history.to === undefined ? [] : [alone]),
    ...(history.trial === undefined ? [] : [unfree]),
  ]
  for (const next of shorter) if ((await run(next)).broken.length > 0) return shorten(next)
  return history
}
