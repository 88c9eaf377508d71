import fc from 'fast-check'
import { check, checkStep } from './laws.ts'
import { play, settle } from './play.ts'
import { type History, histories, type ProviderKey, people, type Step, textOf } from './steps.ts'
import { addressOf, openWorld, type World } from './world.ts'

/** Plays a history on a site of its own, and answers which laws are broken at the end, or were on the way. */
export async function run(history: History, database?: string) {
  const { broken, log, end } = await playWhole(history, database)
  const alone = broken.length > 0 ? null : withoutMerge(history)
  if (alone === null) return { broken, log }
  return { broken: differsApart(end, (await playWhole(alone)).end), log }
}

/** One with a merge and a refund is played without the merge, too; null for others. */
export function withoutMerge(history: History): History | null {
  const has = (kind: Step['do']): boolean => history.steps.some((step) => step.do === kind)
  if (!has('merge') || !has('refund')) return null
  const steps = history.steps.filter((step) => step.do !== 'merge' && step.do !== 'merge back')
  return { ...history, steps }
}

/** A refund closes the same with a merge and without. */
export function differsApart(end: End, apart: End): string[] {
  const isSame = end.books === apart.books && end.open !== apart.open
  return isSame ? [`open is ${end.open || 'nothing'}, and without the merge ${apart.open || 'nothing'}`] : []
}

/** What stands in the providers' books, and what is open. */
export interface End {
  readonly books: string
  readonly open: string
}

async function playWhole(history: History, database?: string) {
  const world = await openWorld(history, database)
  const broken: string[] = []
  try {
    for (const step of [...history.steps, { do: 'settle' as const }]) {
      broken.push(...(await playStep(world, step)))
      if (broken.length > 0) break
    }
    return { broken: [...new Set(broken)], log: world.journal.log, end: await endOf(world) }
  } finally {
    await world.close()
  }
}

/** Plays a step under the laws, and answers what is broken. */
export async function playStep(world: World, step: Step): Promise<string[]> {
  if (step.do === 'settle') await settle(world)
  else await play(world, step)
  const broken = step.do === 'settle' ? await check(world) : await checkStep(world)
  return [...new Set([...world.journal.broken, ...broken])]
}

/** What stands in the providers' books, whoever it belongs to, and what is open for anybody. */
export async function endOf({ m, shops, journal, apps }: World): Promise<End> {
  const books = shops.flatMap(({ fake }) => [
    ...fake.books
      .list('charge')
      .map(({ status, amount, refunded, disputed }) => [status, amount, refunded, disputed]),
    ...fake.books
      .list('subscription')
      .map(({ status, items, cancel_at }) => [
        status,
        cancel_at === null,
        ...items.map(({ price, quantity }) => `${quantity} ${price.id}`),
      ]),
  ])
  const inApps = [...(apps?.owners.keys() ?? [])].map(({ store, id, plan }) => [
    store.key,
    plan,
    store.isOpen(id),
  ])
  const users = await Promise.all(people.map((who) => m.users.findByEmail(addressOf(who))))
  const isOpen = (gate: string): boolean => users.some((user) => user?.hasGate(gate as never))
  const given = journal.grants.map(({ gate, isRevoked }) => `${gate} ${isRevoked}`)
  return {
    books: JSON.stringify([
      [...books, ...inApps].map((each) => JSON.stringify(each)).sort(),
      given,
      [...journal.deleted],
    ]),
    open: ['pro', 'team', 'book'].filter(isOpen).join(' and '),
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
    seed,
    numRuns: runs,
    endOnFailure: true,
    interruptAfterTimeLimit: ms,
    markInterruptAsFailure: false,
  })
  return { played, report: found === null ? null : [`seed ${seed}`, await reportOf(found)].join('\n') }
}

/** The shortest history that breaks what this one breaks, with its log. */
export async function reportOf(found: History): Promise<string> {
  const shortest = await shorten(found)
  const { broken, log } = await run(shortest)
  return [...broken, textOf(shortest), ...log].join('\n')
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
