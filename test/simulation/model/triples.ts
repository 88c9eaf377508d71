import { createRandom } from '../../../src/fakes/engine/random.ts'
import { differsApart, withoutMerge } from './run.ts'
import type { History, ProviderKey, Step, Who } from './steps.ts'
import { type Ended, type Playing, playTree } from './tree.ts'
import { siteOf } from './world.ts'

/** One thing that can happen to a member, and what has to have happened before it. */
interface Action<Name extends string = ActionName> {
  readonly steps: readonly Step[]
  /** Actions without which it does nothing. */
  readonly after?: readonly Name[]
  /** The provider at which it can happen; Stripe unless named. */
  readonly at?: ProviderKey
  /** Settings of the site that it needs. */
  readonly site?: Pick<History, 'to' | 'trial' | 'patient'>
}

const ann: { readonly who: Who } = { who: 'ann' }
const ben: { readonly who: Who } = { who: 'ben' }
const month: Step = { do: 'time', days: 32 }

/** Actions that may name each other. */
function alphabet<const Name extends string>(all: Readonly<Record<Name, Action<NoInfer<Name>>>>) {
  return all
}

/** The alphabet: Ann is who it happens to, Ben is given, invited and merged into. */
const actions = alphabet({
  'buy a plan': { steps: [{ do: 'buy', ...ann, plan: 'pro' }] },
  'buy the dear plan': { steps: [{ do: 'buy', ...ann, plan: 'team' }] },
  'buy seats': { steps: [{ do: 'buy', ...ann, plan: 'team', seats: 3 }] },
  'buy a book': { steps: [{ do: 'buy', ...ann, plan: 'book' }] },
  'buy months for oneself': { steps: [{ do: 'buy', ...ann, plan: 'months' }] },
  'buy a top-up': { steps: [{ do: 'buy', ...ann, plan: 'pack' }] },
  'buy by debit': { steps: [{ do: 'buy', ...ann, plan: 'pro', card: 'debit' }] },
  'buy and not come back': { steps: [{ do: 'buy', ...ann, plan: 'pro', returns: false }] },
  'leave a page open': { steps: [{ do: 'buy', ...ann, plan: 'pro', pays: 'later' }] },
  'pay the open page': { steps: [{ do: 'pay', ...ann }], after: ['leave a page open'] },
  'buy as another': { steps: [{ do: 'buy', ...ben, plan: 'pro', card: 'shared' }] },
  trial: { steps: [{ do: 'buy', ...ann, plan: 'pro', card: 'shared' }], site: { trial: 14 } },
  'support with an amount': { steps: [{ do: 'support', ...ann, amount: 503 }] },
  'choose another amount': {
    steps: [{ do: 'choose', ...ann, amount: 1003 }],
    after: ['support with an amount'],
  },
  give: { steps: [{ do: 'give', ...ann, to: 'ben' }] },
  redeem: { steps: [{ do: 'redeem', ...ben }], after: ['give'] },
  'revoke the gift': { steps: [{ do: 'revoke gift', ...ann }], after: ['give'] },
  pause: { steps: [{ do: 'pause', ...ann }], after: ['buy a plan'] },
  resume: { steps: [{ do: 'resume', ...ann }], after: ['buy a plan', 'pause'] },
  'change up': { steps: [{ do: 'change', ...ann, plan: 'team' }], after: ['buy a plan'] },
  'change down': { steps: [{ do: 'change', ...ann, plan: 'pro' }], after: ['buy the dear plan'] },
  'more seats': { steps: [{ do: 'change', ...ann, seats: 4 }], after: ['buy seats'] },
  'fewer seats': { steps: [{ do: 'change', ...ann, seats: 1 }], after: ['buy seats'] },
  'cancel at the end': { steps: [{ do: 'cancel', ...ann, when: 'period_end' }], after: ['buy a plan'] },
  'cancel now': { steps: [{ do: 'cancel', ...ann, when: 'now' }], after: ['buy a plan'] },
  'undo the cancellation': {
    steps: [{ do: 'resume', ...ann }],
    after: ['buy a plan', 'cancel at the end'],
  },
  'refund in full': { steps: [{ do: 'refund', ...ann, by: 'office' }], after: ['buy a plan'] },
  'refund in the dashboard': { steps: [{ do: 'refund', ...ann, by: 'dashboard' }], after: ['buy a plan'] },
  'refund a part': { steps: [{ do: 'refund', ...ann, by: 'office', amount: 100 }], after: ['buy a plan'] },
  'refund that is rejected': {
    steps: [{ do: 'refund', ...ann, by: 'office', is: 'rejected' }],
    after: ['buy a plan'],
    at: 'paddle',
  },
  dispute: { steps: [{ do: 'dispute', ...ann }], after: ['buy a plan'] },
  'dispute won': { steps: [{ do: 'decide', outcome: 'won' }], after: ['buy a plan', 'dispute'] },
  'dispute lost': { steps: [{ do: 'decide', outcome: 'lost' }], after: ['buy a plan', 'dispute'] },
  'card fails': { steps: [{ do: 'card', ...ann, is: 'declined' }], after: ['buy a plan'] },
  'card recovers': { steps: [{ do: 'card', ...ann, is: 'good' }], after: ['buy a plan', 'card fails'] },
  'dunning ends': {
    steps: [{ do: 'card', ...ann, is: 'declined' }, month, { do: 'time', days: 10 }],
    after: ['buy a plan'],
  },
  'pay late': { steps: [{ do: 'pay late', ...ann }], after: ['buy a plan', 'dunning ends'] },
  'join a seat': {
    steps: [
      { do: 'invite', ...ann, person: 'ben', role: 'member' },
      { do: 'join', ...ben },
    ],
    after: ['buy seats'],
  },
  'leave the seat': { steps: [{ do: 'leave', ...ben }], after: ['buy seats', 'join a seat'] },
  'use a limit': { steps: [{ do: 'use', ...ann, amount: 4, key: 'a' }], after: ['buy a plan'] },
  reserve: { steps: [{ do: 'reserve', ...ann, amount: 2, key: 'b' }], after: ['buy a plan'] },
  'read behind the wall': { steps: [{ do: 'read', ...ann, page: 1, isIn: true }] },
  merge: { steps: [{ do: 'merge', ...ann, into: 'ben' }] },
  'merge back': { steps: [{ do: 'merge back', ...ann }], after: ['merge'] },
  delete: { steps: [{ do: 'delete', ...ann }] },
  'delete the other': { steps: [{ do: 'delete', ...ben }] },
  grant: { steps: [{ do: 'grant', ...ann, plan: 'pro' }] },
  'revoke the grant': { steps: [{ do: 'revoke', ...ann }], after: ['grant'] },
  import: { steps: [{ do: 'import', ...ann, plan: 'book' }] },
  raise: { steps: [{ do: 'raise', needsConsent: false }], after: ['buy a plan'] },
  'stop the raise': { steps: [{ do: 'stop raise' }], after: ['buy a plan', 'raise'] },
  'undo the raise': { steps: [{ do: 'undo raise' }], after: ['buy a plan', 'raise'] },
  switch: { steps: [{ do: 'switch' }], after: ['buy a plan'], site: { to: 'paddle' } },
  'undo the switch': {
    steps: [{ do: 'undo switch' }],
    after: ['buy a plan', 'switch'],
    site: { to: 'paddle' },
  },
  'sell by another account': { steps: [{ do: 'change account' }] },
  'a month passes': { steps: [month] },
  'messages are held': { steps: [{ do: 'messages', are: 'held' }] },
  'messages are lost': { steps: [{ do: 'messages', are: 'lost' }] },
  'an answer is lost': { steps: [{ do: 'outage', kind: 'after', requests: 1 }] },
  'a process dies': { steps: [{ do: 'die', after: 1 }] },
  'free days': { steps: [{ do: 'free days', ...ann, days: 10 }], after: ['buy a plan'] },
  'a book on the invoice': { steps: [{ do: 'add book', ...ann }], after: ['buy a plan'] },
})
export type ActionName = keyof typeof actions
export const actionNames = Object.keys(actions) as ActionName[]

// One purchase is as good as another for what only needs somebody who pays.
const purchases: ReadonlySet<ActionName> = new Set([
  ...([
    'buy a plan',
    'buy the dear plan',
    'buy seats',
    'buy by debit',
    'buy and not come back',
    'trial',
  ] as const),
])

/**
 * The history of these actions in this order: first the states that they need, then each of them, then everything arrives
 * and two periods pass.
 */
export function historyOf(names: readonly ActionName[]): History {
  const order: ActionName[] = []
  for (const name of names) {
    for (const need of actions[name].after ?? []) ensure(order, need)
    order.push(name)
  }
  const all = order.map((name) => actions[name])
  const from = all.find(({ at }) => at !== undefined)?.at ?? 'stripe'
  const { to, ...site } = Object.assign({}, ...all.map(({ site = {} }) => site)) as NonNullable<
    Action['site']
  >
  const settled: Step = { do: 'settle' }
  return {
    from,
    ...(to === undefined ? {} : { to: from === to ? 'stripe' : to }),
    ...site,
    steps: [...all.flatMap(({ steps }) => steps), settled, month, settled, month],
  }
}

/** Puts a state before all others that it does not need itself. */
function ensure(order: ActionName[], need: ActionName): void {
  if (placeOf(order, need) >= 0) return
  const needs = actions[need].after ?? []
  for (const each of needs) ensure(order, each)
  order.splice(Math.max(-1, ...needs.map((each) => placeOf(order, each))) + 1, 0, need)
}

function placeOf(order: readonly ActionName[], need: ActionName): number {
  return order.findIndex((name) => name === need || (need === 'buy a plan' && purchases.has(name)))
}

/** Every ordered selection of so many actions that has one of `only`, and how many give a history that another gives, too. */
export function selections(depth: number, only: readonly string[] = []) {
  const unknown = only.filter((name) => !(actionNames as string[]).includes(name))
  if (unknown.length > 0)
    throw new TypeError(`No action: ${unknown.join(', ')}. There are: ${actionNames.join(', ')}`)
  const chosen = new Map<string, readonly ActionName[]>()
  let all = 0
  const add = (names: readonly ActionName[]): void => {
    if (names.length < depth) {
      for (const name of actionNames) add([...names, name])
      return
    }
    if (only.length > 0 && !names.some((name) => only.includes(name))) return
    all++
    const text = JSON.stringify(historyOf(names))
    if (!chosen.has(text)) chosen.set(text, names)
  }
  add([])
  return { all, chosen: [...chosen.values()] }
}

/** Selections that begin with the same actions. */
export type Branch = readonly (readonly ActionName[])[]

/** The k-th of n parts of all branches, in an order that has nothing to do with the alphabet, so that a part is a sample. */
export function branchesOf(chosen: Branch, [k, n]: readonly [k: number, n: number]): Branch[] {
  const branches = new Map<string, (readonly ActionName[])[]>()
  for (const names of chosen) {
    const key = names.slice(0, -1).join(', ')
    branches.set(key, [...(branches.get(key) ?? []), names])
  }
  return mixed([...branches.values()]).filter((_, at) => at % n === k - 1)
}

/** A selection, and the laws that its history breaks. */
export interface Broken {
  readonly names: readonly ActionName[]
  readonly broken: readonly string[]
}

/** Plays a branch as a tree; answers how many came to the same state as another, and which break a law. */
export async function playBranch(playing: Playing, branch: Branch) {
  const histories = branch.map((names) => historyOf(names))
  const sites = new Map<string, History[]>()
  for (const history of histories.flatMap((each) => [each, withoutMerge(each)])) {
    if (history === null) continue
    const key = siteOf(history)
    sites.set(key, [...(sites.get(key) ?? []), history])
  }
  const ends = new Map<string, Ended>()
  for (const site of sites.values())
    for (const [at, ended] of (await playTree(playing, site)).entries())
      ends.set(JSON.stringify(site[at]), ended)
  const endOf = (history: History): Ended => ends.get(JSON.stringify(history))!
  const outcomes = histories.map((history, at): Broken => {
    const { broken, end } = endOf(history)
    const alone = withoutMerge(history)
    const apart = alone === null ? null : endOf(alone).end
    return {
      names: branch[at]!,
      broken: end === null || apart === null ? broken : differsApart(end, apart),
    }
  })
  return {
    twins: histories.filter((history) => endOf(history).isTwin).length,
    broken: outcomes.filter(({ broken }) => broken.length > 0),
  }
}

// Two histories break the same law although their ids and amounts differ.
export function withoutIds(law: string): string {
  return law.replace(/\w*\d\w*/g, '#')
}

/** In an order that has nothing to do with the alphabet, so that a part is a sample. */
function mixed<T>(list: readonly T[]): T[] {
  const random = createRandom('triples', 'order')
  const order = [...list]
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[order[at], order[other]] = [order[other]!, order[at]!]
  }
  return order
}
