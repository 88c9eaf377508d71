import type { Chance } from '../chance.ts'
import { type InApp, openStore, type Store, type StoreKey, type StoreMessage, storeKeys } from './store.ts'

/** One purchase in an app, from its first day to its last. */
export interface Purchase {
  readonly store: Store
  id: string
  /** Ids that it had before an upgrade. */
  readonly earlier: string[]
  /** Id under which the app knows its owner. */
  user: string
  plan: InApp
  readonly isTest: boolean
  state: 'running' | 'grace' | 'hold' | 'paused' | 'over'
  /** What happens at the end of the period. */
  next: 'renew' | 'end' | 'grace' | 'hold' | 'pause'
  /** Moment of the next change that nobody asked for. */
  at: number
  /** Moment of the last change. */
  changedAt: number
}

/** Fate of a message: it comes, comes twice, comes later, or never. */
export type Fate = 'comes' | 'twice' | 'late' | 'lost'

/** Apps of one site in all stores, and what became of their messages. */
export interface Apps {
  readonly stores: readonly Store[]
  readonly purchases: readonly Purchase[]
  readonly sent: ReadonlyMap<string, number>
  /** Lets time pass in every store: renewals, ends, pauses and failed payments happen on their day. */
  moveTo(at: Date): void
  buy(key: StoreKey, wish: { user: string; plan: InApp; isTest?: boolean; isAnonymous?: boolean }): Purchase
  /** Does something to a purchase; false if it cannot be done to it. */
  act(purchase: Purchase, what: Act, to?: string): boolean
  /** Posts what waits; `fate` decides over each message once. A message that the site refuses stays. */
  deliver(site: string, fate: (key: StoreKey, isFirst: boolean) => Fate): Promise<void>
  close(): Promise<void>
}

/** Acts of a buyer, or of a store. */
export const acts = [
  ...(['turn off', 'turn on', 'fail', 'fail without grace', 'recover', 'pause', 'refund'] as const),
  ...(['refund an earlier payment', 'upgrade', 'transfer', 'log in'] as const),
] as const
export type Act = (typeof acts)[number]

const dayMs = 86_400_000
const holdDays = 30
const pauseDays = 20

/** Opens an app of one site in every store. */
export async function openApps(start: Date): Promise<Apps> {
  const stores = await Promise.all(storeKeys.map((key) => openStore(key, start)))
  const purchases: Purchase[] = []
  const waiting: { key: StoreKey; message: StoreMessage; isFirst: boolean; isJudged: boolean }[] = []
  const sent = new Map<string, number>()
  let now = start.getTime()

  const gather = (store: Store, isFirst = false): void => {
    for (const message of store.take()) waiting.push({ key: store.key, message, isFirst, isJudged: false })
  }

  /** What a purchase does by itself when its time has come: its new state, and the moment of the next change. */
  const turnOver = ({ store, id, at, state, next }: Purchase): [Purchase['state'], number] => {
    const wish = state === 'running' ? next : state === 'grace' ? 'hold' : state === 'hold' ? 'end' : 'renew'
    if (wish === 'pause' && store.pause(id, at + pauseDays * dayMs)) return ['paused', store.endOf(id)]
    if (wish === 'grace' || wish === 'hold') {
      store.fail(id, wish === 'grace')
      return [wish, wish === 'grace' ? store.endOf(id) : at + holdDays * dayMs]
    }
    if (wish === 'end') {
      store.expire(id)
      return ['over', Number.POSITIVE_INFINITY]
    }
    store.renew(id)
    return ['running', store.endOf(id)]
  }

  const moveTo = (to: Date): void => {
    for (;;) {
      const [due] = purchases.filter(({ at }) => at <= to.getTime()).sort((a, b) => a.at - b.at)
      if (due === undefined) break
      due.store.moveTo(due.at)
      const changedAt = due.at
      const [state, at] = turnOver(due)
      Object.assign(due, { state, at, changedAt, next: 'renew' })
      gather(due.store)
    }
    now = to.getTime()
    for (const store of stores) store.moveTo(now)
  }

  const end = (p: Purchase): boolean => {
    Object.assign(p, { state: 'over', at: Number.POSITIVE_INFINITY })
    return true
  }

  const doTo = (p: Purchase, what: Act, to: string | undefined): boolean => {
    const { store, id, state } = p
    const isSubscription = p.plan !== 'book'
    const isRunning = isSubscription && state === 'running'
    switch (what) {
      case 'turn off':
      case 'turn on': {
        if (!isRunning || (p.next === 'end') === (what === 'turn off')) return false
        store.turn(id, what === 'turn on')
        p.next = what === 'turn on' ? 'renew' : 'end'
        return true
      }
      case 'fail':
      case 'fail without grace':
        if (!isRunning || p.next === 'end') return false
        p.next = what === 'fail' ? 'grace' : 'hold'
        return true
      case 'pause':
        if (!isRunning || p.next !== 'renew' || store.key !== 'google') return false
        p.next = 'pause'
        return true
      case 'recover':
        if (state !== 'grace' && state !== 'hold' && state !== 'paused') return false
        store.renew(id)
        Object.assign(p, { state: 'running', next: 'renew', at: store.endOf(id) })
        return true
      case 'refund':
        if (state === 'over' || !store.refund(id, 'last')) return false
        return end(p)
      case 'refund an earlier payment':
        return isRunning && store.refund(id, 'earlier')
      case 'upgrade': {
        if (!isRunning || p.plan !== 'pro' || p.next === 'end') return false
        const replaced = store.upgrade(id)
        if (replaced === null) return false
        if (replaced !== id) p.earlier.push(id)
        Object.assign(p, { id: replaced, plan: 'team', at: store.endOf(replaced), next: 'renew' })
        return true
      }
      case 'transfer':
      case 'log in': {
        const isAnonymous = p.user.startsWith('$')
        const give = what === 'log in' ? store.logIn : store.transfer
        if (give === undefined || to === undefined || to === p.user || isAnonymous !== (what === 'log in'))
          return false
        const from = p.user
        give(from, to)
        for (const other of purchases)
          if (other.store === store && other.user === from) Object.assign(other, { user: to, changedAt: now })
        return true
      }
      default:
        throw new TypeError(`unhandled ${what satisfies never}`)
    }
  }

  const count = (name: string): void => void sent.set(name, (sent.get(name) ?? 0) + 1)

  return {
    stores,
    purchases,
    sent,
    moveTo,
    buy: (key, { user, plan, isTest = false, isAnonymous = false }) => {
      const store = stores.find((each) => each.key === key)!
      const id = store.buy({ user: isAnonymous ? null : user, plan, isTest })
      const purchase: Purchase = {
        store,
        id,
        earlier: [],
        user: isAnonymous ? store.ownerOf(id) : user,
        plan,
        isTest,
        state: 'running',
        next: 'renew',
        at: plan === 'book' ? Number.POSITIVE_INFINITY : store.endOf(id),
        changedAt: now,
      }
      purchases.push(purchase)
      gather(store, true)
      return purchase
    },
    act: (purchase, what, to) => {
      if (!doTo(purchase, what, to)) return false
      purchase.changedAt = now
      gather(purchase.store, what === 'upgrade')
      return true
    },
    deliver: async (site, fate) => {
      for (const item of waiting.splice(0)) {
        const what = item.isJudged ? 'comes' : fate(item.key, item.isFirst)
        if (!item.isJudged) count(what)
        item.isJudged = true
        if (what === 'lost') continue
        if (what === 'late') {
          waiting.push(item)
          continue
        }
        for (let n = what === 'twice' ? 2 : 1; n > 0; n--)
          if (!(await post(site, item))) {
            waiting.push(item)
            break
          }
      }
    },
    close: async () => {
      for (const store of stores) await store.close()
    },
  }
}

async function post(
  site: string,
  { key, message }: { readonly key: StoreKey; readonly message: StoreMessage },
): Promise<boolean> {
  try {
    const answer = await fetch(`${site}/membership/webhooks/${key}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(await message.headers()) },
      body: message.body,
    })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}

/** Fate of a message by chance. What no list brings back, Pub/Sub sends again until it is taken. */
export function fateBy(chance: Chance, weights: Readonly<Record<Fate, number>>) {
  return (key: StoreKey, isFirst: boolean): Fate => {
    const fate = chance.weighted(weights)
    return fate === 'lost' && key === 'google' && isFirst ? 'late' : fate
  }
}

/**
 * Settings of a site that reads every store, with plans of the same names as on the web. `terms` are those
 * that the plans have there.
 */
export function settingsOf(
  { stores }: Apps,
  terms: Readonly<Partial<Record<InApp, object>>> = {},
): Record<string, unknown> {
  return Object.fromEntries(
    stores.map(({ key, settings, prices }) => [
      `membership.providers.${key}`,
      {
        ...settings,
        plans: {
          pro: { group: 'membership', prices: [prices.pro], ...terms.pro },
          team: { group: 'membership', prices: [prices.team], ...terms.team },
          book: { prices: [{ id: prices.book, type: 'one_time' }] },
        },
      },
    ]),
  )
}
