import { createRandom } from '../../../src/fakes/engine/random.ts'
import { reportOf, run } from './run.ts'
import type { History, ProviderKey, Step, Who } from './steps.ts'

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
const alphabet = <const Name extends string>(all: Readonly<Record<Name, Action<NoInfer<Name>>>>) => all

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
  const before: ActionName[] = []
  names.forEach((name, at) => {
    const done = [...before, ...names.slice(0, at)]
    for (const need of actions[name].after ?? []) {
      const isThere =
        done.includes(need) || (need === 'buy a plan' && done.some((each) => purchases.has(each)))
      if (isThere) continue
      before.push(need)
      done.push(need)
    }
  })
  const all = [...before, ...names].map((name) => actions[name])
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

export interface Triples {
  /** Actions in each history: 3 unless given. */
  readonly depth?: number
  /** Each history has one of these. */
  readonly only?: readonly string[]
  /** The k-th of n parts, in a mixed order that is the same for each run. */
  readonly part?: readonly [k: number, n: number]
  /** How long, and at most how many. */
  readonly ms: number
  readonly most?: number
  readonly database?: (() => Promise<string>) | undefined
  readonly print?: (line: string) => void
}

/** Plays the selections of a part. Answers how many there are, were left out as equal, and were played, and each kind of
 *  broken law once, with the shortest history that breaks it. */
export async function playTriples({
  depth = 3,
  only = [],
  part: [k, n] = [1, 1],
  ms,
  most = Number.POSITIVE_INFINITY,
  database,
  print = () => {},
}: Triples) {
  const { all, chosen } = selections(depth, only)
  const mine = mixed(chosen).filter((_, at) => at % n === k - 1)
  const end = Date.now() + ms
  const kinds = new Map<string, { count: number; readonly first: string }>()
  let played = 0
  for (const names of mine) {
    if (played >= most || Date.now() >= end) break
    const history = historyOf(names)
    const { broken } = await run(history, await database?.())
    played++
    if (broken.length > 0) {
      const kind = broken.map(withoutIds).sort().join('\n')
      const known = kinds.get(kind)
      if (known) known.count++
      else {
        kinds.set(kind, { count: 1, first: `${names.join(', ')}\n${await reportOf(history)}` })
        print(`broken: ${names.join(', ')}: ${broken.join('; ')}`)
      }
    }
    if (played % 100 === 0) print(`${played} of ${mine.length} played`)
  }
  return { all, equal: all - chosen.length, mine: mine.length, played, kinds: [...kinds.values()] }
}

// Two histories break the same law although their ids and amounts differ.
const withoutIds = (law: string): string => law.replace(/\w*\d\w*/g, '#')

/** In an order that has nothing to do with the alphabet, so that a part is a sample. */
const mixed = <T>(list: readonly T[]): T[] => {
  const random = createRandom('triples', 'order')
  const order = [...list]
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[order[at], order[other]] = [order[other]!, order[at]!]
  }
  return order
}
