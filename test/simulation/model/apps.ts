import type { User } from '../../../src/index.ts'
import { type Chance, createChance } from '../chance.ts'
import { type Apps, fateBy, openApps, type Purchase, settingsOf } from '../stores/life.ts'
import { storeKeys } from '../stores/store.ts'
import { type Must, standing } from './laws.ts'
import type { Plan, Step, Who } from './steps.ts'
import type { World } from './world.ts'

export type AppStep = Extract<Step, { do: 'app buy' | 'app act' }>

/** The apps of a world, and who bought what in them. */
export interface WorldApps {
  readonly apps: Apps
  readonly settings: Record<string, unknown>
  /** Owner of each purchase. */
  readonly owners: Map<Purchase, Who>
  readonly chance: Chance
}

/** Opens the apps of a history that buys in them. */
export async function openWorldApps(
  steps: readonly Step[],
  start: Date,
  terms: Parameters<typeof settingsOf>[1],
): Promise<WorldApps | null> {
  if (!steps.some(({ do: kind }) => kind === 'app buy')) return null
  const apps = await openApps(start)
  return { apps, settings: settingsOf(apps, terms), owners: new Map(), chance: createChance('model', 'apps') }
}

/** Posts what the stores have to tell, as messages are at the moment. */
export async function tellOfApps({ apps, messages, site, shops }: World, isSettling = false): Promise<void> {
  if (apps === null || (messages === 'held' && !isSettling)) return
  const chaos = shops[0]!.chaos
  const isLost = chaos.drop === 1
  const isShuffled = (chaos.reorder ?? 0) > 0
  const some = isShuffled ? 1 : 0
  const weights = { comes: isLost ? 0 : 2, twice: some, late: some, lost: isLost ? 1 : 0 }
  const fate = fateBy(apps.chance, isSettling ? { comes: 1, twice: 0, late: 0, lost: 0 } : weights)
  // Nothing but the next message asks Google again, so it comes late.
  await apps.apps.deliver(site, (key, isFirst) => {
    const drawn = fate(key, isFirst)
    return drawn === 'lost' && key === 'google' ? 'late' : drawn
  })
}

/** Does one step in an app, as the account that somebody is logged in to. */
export async function performInApp(world: World, step: AppStep): Promise<string> {
  const { apps: open, journal, m, ids } = world
  if (open === null) throw new Error('there is no app')
  const { apps, owners } = open
  const who = standing(journal, step.who)
  if (journal.deleted.has(who)) return 'is gone'
  const idOf = async (person: Who): Promise<string> => {
    const user = await m.users.findById(ids[person])
    if (user === null) throw new Error(`${person} is gone`)
    return m.appUserId(user)
  }
  const own = [...owners].filter(([{ state }, owner]) => owner === who && state !== 'over').map(([p]) => p)
  if (step.do === 'app buy') {
    const { store, plan, as } = step
    const there = own.filter((each) => each.store.key === store && !each.isTest)
    if (there.some((each) => (each.plan === 'book') === (plan === 'book'))) return 'the store sells it once'
    const bought = apps.buy(store, { user: await idOf(who), plan, isTest: as === 'test' })
    if (as !== 'test') owners.set(bought, who)
    return bought.id
  }
  const purchase = own.findLast(({ store }) => step.store === undefined || store.key === step.store)
  if (purchase === undefined) return 'has nothing in the app'
  const to = step.to === undefined ? undefined : standing(journal, step.to)
  const isDone = apps.act(purchase, step.act, to === undefined ? undefined : await idOf(to))
  if (isDone && step.act === 'transfer' && to !== undefined)
    for (const [other, owner] of owners)
      if (other.store === purchase.store && owner === who) owners.set(other, to)
  return isDone ? purchase.id : 'cannot be done'
}

/** Asks for what no message told. */
export async function catchUpApps({ apps, m, now }: World): Promise<void> {
  for (const { key } of apps?.apps.stores ?? []) {
    const since = new Date(now().getTime() - 29 * 86_400_000)
    if (key === 'revenuecat') await m.operator.compare({ provider: key, write: true, yes: true })
    else for await (const _ of m.webhooks.pull(key, since));
  }
}

/** What purchases in apps do to a gate, by the stores' own records. A change of the last hours may be on its way. */
export function openByApps({ apps, journal, now }: World, who: Who, gate: Plan): Must[] {
  return [...(apps?.owners ?? [])]
    .filter(([{ plan }, owner]) => plan === gate && standing(journal, owner) === who)
    .map(([{ store, id, changedAt }]) => {
      if (now().getTime() - changedAt < 3 * 3_600_000) return 'either'
      return store.isOpen(id) ? 'open' : 'closed'
    })
}

/** The site knows that an app pays for a membership of this person: it must not sell another. */
export function isPaidInApp(user: User): boolean {
  return user
    .subscriptions()
    .some(({ provider, active }) => active && storeKeys.some((key) => key === provider))
}

/** Somebody has, or had, something in an app. */
export function hasInApp({ apps, journal }: World, who: Who): boolean {
  return [...(apps?.owners.values() ?? [])].some((owner) => standing(journal, owner) === who)
}
