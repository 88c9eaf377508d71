import fc from 'fast-check'

/** Accounts of a history; two of them may turn out to be one person. */
export const people = ['ann', 'ben', 'cleo'] as const
export type Who = (typeof people)[number]
export type Plan = 'pro' | 'team' | 'book'
/**
 * What is bought: a plan, a top-up of exports, months of pro for oneself, pro at the price of the sale, an
 * amount of one's own each month, or a plan whose price the provider has with another amount.
 */
export type Goods = Plan | 'pack' | 'months' | 'sale' | 'support' | 'differing'
const keys = ['a', 'b', 'c'] as const
const stores = ['apple', 'google', 'revenuecat'] as const
const acts = [
  ...(['turn off', 'turn on', 'fail', 'fail without grace', 'recover', 'pause', 'refund'] as const),
  ...(['refund an earlier payment', 'upgrade', 'transfer'] as const),
] as const

/** One thing that happens. Whoever is merged into another account acts as that account. */
export type Step =
  /**
   * `at`: the provider that a switch leads to. `pays: 'later'` leaves the page open; `returns: false` never
   * comes back. `card: 'shared'` is the card of a household, `'debit'` an account at Stripe that its bank
   * debits in days.
   */
  | {
      do: 'buy'
      who: Who
      plan: Goods
      at?: 'to'
      seats?: number
      pays?: 'later'
      returns?: false
      card?: 'shared' | 'debit'
    }
  /** Pays the oldest page that is still open. */
  | { do: 'pay'; who: Who }
  | { do: 'change'; who: Who; plan?: 'pro' | 'team'; seats?: number }
  | { do: 'cancel'; who: Who; when: 'now' | 'period_end' }
  | { do: 'pause' | 'resume'; who: Who }
  /** `is: 'rejected'`: the provider decides against it afterwards; at Paddle. */
  | { do: 'refund'; who: Who; by: 'office' | 'dashboard'; amount?: number; is?: 'rejected' }
  /**
   * The card of whoever pays from now on, also of a membership that ended: it is declined, it pays, or it is
   * an account that a bank debits.
   */
  | { do: 'card'; who: Who; is: 'declined' | 'good' | 'debit' }
  /** Pays the oldest open invoice on the provider's page, also after the end; at Stripe. */
  | { do: 'pay late'; who: Who }
  /** The dashboard puts a book on the next invoice of a membership; at Stripe. */
  | { do: 'add book'; who: Who }
  /** Seats that are changed in the provider's dashboard, and charged at once. */
  | { do: 'seats'; who: Who; seats: number }
  | { do: 'dispute'; who: Who }
  | { do: 'decide'; outcome: 'won' | 'lost' }
  /** The next renewal is refused by the bank. */
  | { do: 'fail'; who: Who }
  /** Free days that the provider's dashboard gives. */
  | { do: 'free days'; who: Who; days: number }
  | { do: 'grant' | 'import'; who: Who; plan: Plan; days?: number }
  | { do: 'revoke'; who: Who }
  | { do: 'delete'; who: Who }
  | { do: 'merge'; who: Who; into: Who }
  | { do: 'merge back'; who: Who }
  | { do: 'switch' | 'undo switch' }
  /** New checkouts go to another account of the first provider. */
  | { do: 'change account' }
  | { do: 'time'; days: number }
  | { do: 'messages'; are: 'usual' | 'held' | 'lost' | 'shuffled' }
  /** The provider does what the next requests ask, and its answers are lost; or it is away. */
  | { do: 'outage'; kind: 'after' | '503'; requests: number }
  /** The process dies when it has committed so many more times, and starts again after the step in which it did. */
  | { do: 'die'; after: number }
  | { do: 'use' | 'reserve'; who: Who; amount: number; key: (typeof keys)[number] }
  | { do: 'release'; who: Who; key: (typeof keys)[number] }
  /** Orders a gift for somebody and pays it. */
  | { do: 'give'; who: Who; to?: Who }
  /** The newest gift that has a code. */
  | { do: 'redeem'; who: Who }
  | { do: 'send gift' | 'revoke gift' | 'make code'; who: Who }
  /** `who` pays for a team, and invites `person` to a seat. */
  | { do: 'invite'; who: Who; person: Who; role: 'member' | 'manager' }
  | { do: 'join' | 'leave' | 'remove' | 'transfer'; who: Who }
  /** Begins to pay an amount of one's own each month; at Stripe. */
  | { do: 'support'; who: Who; amount: number }
  /** Chooses another amount. */
  | { do: 'choose'; who: Who; amount: number }
  /** Opens a page behind the wall, in a browser that is logged in or not. */
  | { do: 'read'; who: Who; page: number; isIn: boolean }
  /** Everybody who pays the old price of pro is to pay more, ten days after a notice at the earliest. */
  | { do: 'raise'; needsConsent: boolean }
  | { do: 'agree' | 'bounce' | 'notice again'; who: Who }
  | { do: 'stop raise' | 'resume raise' | 'undo raise' }
  /** `as: 'test'`: in TestFlight, as a licence tester or in a sandbox. */
  | { do: 'app buy'; who: Who; plan: Plan; store: (typeof stores)[number]; as?: 'test' }
  /** Something happens to the newest purchase in an app, or in the app of one store. */
  | { do: 'app act'; who: Who; act: (typeof acts)[number]; store?: (typeof stores)[number]; to?: Who }
  /**
   * The site sells by other plans from now on. `without`: the prices of pro and of the book leave. `moved`:
   * the price of pro is another plan's. `fewer`: a top-up adds less. Nothing is bought until the plans are
   * the usual ones again.
   */
  | { do: 'plans'; are: PlansAre }
  /** Everything arrives, and the laws are checked. */
  | { do: 'settle' }

const changedPlans = ['without', 'moved', 'fewer'] as const
export type PlansAre = 'usual' | (typeof changedPlans)[number]

export const providers = ['stripe', 'paddle', 'polar', 'lemonsqueezy'] as const
export type ProviderKey = (typeof providers)[number]

/** What happens on one site, from its first day. */
export interface History {
  readonly from: ProviderKey
  /** A second provider; the switch leads to it. */
  readonly to?: ProviderKey
  /** Days that the first provider's prices of pro are free. */
  readonly trial?: number
  /** The providers never give up a failed payment. Each ends the membership after a week by default. */
  readonly patient?: true
  readonly steps: readonly Step[]
}

function only<const T>(value: T) {
  return fc.constant(value)
}

// Most of what goes wrong needs two people, and none of it four.
const who = fc.constantFrom<Who>('ann', 'ann', 'ann', 'ben', 'ben', 'cleo')
const plan = fc.constantFrom<Plan>('pro', 'pro', 'pro', 'team', 'team', 'book')
const seats = fc.integer({ min: 1, max: 4 })
// From 301 to 50001 are allowed, and no other price has one of these amounts.
const amount = fc.constantFrom(300, 301, 503, 1003, 2003, 50_001, 50_002)
const buying = fc.record({
  do: only('buy'),
  who,
  plan,
  at: fc.option(only('to'), { nil: undefined, freq: 1 }),
  seats: fc.option(seats, { nil: undefined, freq: 1 }),
  pays: fc.oneof({ weight: 4, arbitrary: only(undefined) }, { weight: 1, arbitrary: only('later') }),
  returns: fc.oneof({ weight: 5, arbitrary: only(undefined) }, { weight: 1, arbitrary: only(false) }),
  card: fc.oneof(
    { weight: 5, arbitrary: only(undefined) },
    { weight: 3, arbitrary: only('shared') },
    { weight: 1, arbitrary: only('debit') },
  ),
})

/** How often each kind of step happens, beside the others. */
const weighted: { readonly [kind: string]: readonly [number, fc.Arbitrary<object>] } = {
  buy: [14, buying],
  'buy once': [3, fc.record({ do: only('buy'), who, plan: fc.constantFrom('pack', 'months') })],
  use: [
    5,
    fc.record({
      do: only('use'),
      who,
      amount: fc.integer({ min: 1, max: 4 }),
      key: fc.constantFrom(...keys),
    }),
  ],
  reserve: [1, fc.record({ do: only('reserve'), who, amount: only(2), key: fc.constantFrom(...keys) })],
  release: [2, fc.record({ do: only('release'), who, key: fc.constantFrom(...keys) })],
  give: [4, fc.record({ do: only('give'), who, to: fc.option(who, { nil: undefined }) })],
  redeem: [6, fc.record({ do: only('redeem'), who })],
  'make code': [1, fc.record({ do: only('make code'), who })],
  'send gift': [1, fc.record({ do: only('send gift'), who })],
  'revoke gift': [1, fc.record({ do: only('revoke gift'), who })],
  invite: [
    4,
    fc.record({
      do: only('invite'),
      who,
      person: fc.constantFrom<Who>('ben', 'cleo', 'ann'),
      role: fc.constantFrom('member', 'member', 'manager'),
    }),
  ],
  join: [5, fc.record({ do: only('join'), who: fc.constantFrom<Who>('ben', 'cleo', 'ann') })],
  'buy sale': [
    1,
    fc.record({ do: only('buy'), who, plan: only('sale'), pays: fc.constantFrom(undefined, 'later') }),
  ],
  read: [5, fc.record({ do: only('read'), who, page: fc.integer({ min: 1, max: 6 }), isIn: fc.boolean() })],
  support: [2, fc.record({ do: only('support'), who, amount })],
  choose: [3, fc.record({ do: only('choose'), who, amount })],
  raise: [3, fc.record({ do: only('raise'), needsConsent: fc.constantFrom(false, false, true) })],
  agree: [1, fc.record({ do: only('agree'), who })],
  bounce: [1, fc.record({ do: fc.constantFrom('bounce', 'notice again'), who })],
  'stop raise': [1, fc.record({ do: fc.constantFrom('stop raise', 'resume raise', 'undo raise') })],
  leave: [1, fc.record({ do: only('leave'), who })],
  remove: [1, fc.record({ do: only('remove'), who })],
  transfer: [1, fc.record({ do: only('transfer'), who })],
  pay: [4, fc.record({ do: only('pay'), who })],
  change: [
    6,
    fc.oneof(
      fc.record({ do: only('change'), who, plan: fc.constantFrom('pro', 'pro', 'team') }),
      fc.record({ do: only('change'), who, seats }),
    ),
  ],
  cancel: [5, fc.record({ do: only('cancel'), who, when: fc.constantFrom('now', 'period_end') })],
  pause: [2, fc.record({ do: only('pause'), who })],
  resume: [3, fc.record({ do: only('resume'), who })],
  refund: [
    5,
    fc.oneof(
      fc.record({ do: only('refund'), who, by: fc.constantFrom('office', 'dashboard') }),
      fc.record({ do: only('refund'), who, by: fc.constantFrom('office', 'dashboard'), amount: only(100) }),
      fc.record({ do: only('refund'), who, by: only('office'), is: only('rejected') }),
    ),
  ],
  seats: [1, fc.record({ do: only('seats'), who, seats })],
  dispute: [1, fc.record({ do: only('dispute'), who })],
  decide: [1, fc.record({ do: only('decide'), outcome: fc.constantFrom('won', 'lost') })],
  fail: [1, fc.record({ do: only('fail'), who })],
  card: [
    2,
    fc.record({ do: only('card'), who, is: fc.constantFrom('declined', 'declined', 'good', 'debit') }),
  ],
  'pay late': [2, fc.record({ do: only('pay late'), who })],
  'add book': [1, fc.record({ do: only('add book'), who })],
  'free days': [1, fc.record({ do: only('free days'), who, days: fc.integer({ min: 5, max: 20 }) })],
  grant: [3, fc.record({ do: fc.constantFrom('grant', 'import'), who, plan })],
  revoke: [1, fc.record({ do: only('revoke'), who })],
  delete: [1, fc.record({ do: only('delete'), who })],
  merge: [
    8,
    fc.constantFrom(
      { do: 'merge', who: 'ann', into: 'ben' },
      { do: 'merge', who: 'ben', into: 'ann' },
      { do: 'merge', who: 'cleo', into: 'ann' },
    ),
  ],
  'merge back': [6, fc.record({ do: only('merge back'), who: fc.constantFrom('ann', 'ann', 'ben', 'cleo') })],
  switch: [6, fc.constantFrom({ do: 'switch' }, { do: 'switch' }, { do: 'undo switch' })],
  'change account': [2, only({ do: 'change account' })],
  time: [5, fc.record({ do: only('time'), days: fc.constantFrom(1, 3, 10, 20, 32) })],
  messages: [
    3,
    fc.record({
      do: only('messages'),
      are: fc.constantFrom('usual', 'held', 'held', 'lost', 'shuffled'),
    }),
  ],
  outage: [
    1,
    fc.record({
      do: only('outage'),
      kind: fc.constantFrom('after', '503'),
      requests: fc.integer({ min: 1, max: 4 }),
    }),
  ],
  die: [4, fc.record({ do: only('die'), after: fc.integer({ min: 0, max: 3 }) })],
  'app buy': [
    3,
    fc.record({
      do: only('app buy'),
      who,
      plan,
      store: fc.constantFrom(...stores),
      as: fc.option(only('test'), { nil: undefined, freq: 5 }),
    }),
  ],
  'app act': [
    5,
    fc.record({
      do: only('app act'),
      who,
      act: fc.constantFrom(...acts),
      to: fc.constantFrom<Who>('ben', 'cleo', 'ann'),
    }),
  ],
  plans: [3, fc.record({ do: only('plans'), are: fc.constantFrom<PlansAre>('usual', ...changedPlans) })],
  settle: [1, only({ do: 'settle' })],
}
export const kinds = Object.keys(weighted)

/** Histories of these providers, made of these kinds of steps; somebody buys first. */
export function histories(
  keys: readonly ProviderKey[],
  chosen: readonly string[] = kinds,
): fc.Arbitrary<History> {
  const unknown = chosen.filter((kind) => !kinds.includes(kind))
  if (unknown.length > 0)
    throw new TypeError(`No kind of step: ${unknown.join(', ')}. There are ${kinds.join(', ')}`)
  const step = fc.oneof(
    ...chosen.map((kind) => ({ weight: weighted[kind]![0], arbitrary: weighted[kind]![1] })),
  ) as fc.Arbitrary<Step>
  // A provider cannot be left for itself; few can begin what is bought there later, and Stripe is one of them.
  const ends = fc
    .tuple(fc.constantFrom(...keys), fc.constantFrom<ProviderKey>('stripe', 'stripe', ...providers))
    .map(([from, to]) => (from === to ? { from } : { from, to }))
  const trial = fc.constantFrom({}, {}, { trial: 14 })
  const dunning = fc.constantFrom({}, {}, {}, { patient: true as const })
  const first = chosen.includes('buy')
    ? fc.tuple(buying.map(({ at: _, ...rest }) => rest) as fc.Arbitrary<Step>)
    : fc.constant([])
  return fc
    .tuple(ends, trial, dunning, first, fc.array(step, { minLength: 2, maxLength: 10 }))
    .map(([site, free, patience, begun, steps]) =>
      plain({ ...site, ...free, ...patience, steps: [...begun, ...steps] }),
    )
}

// Without what is undefined, a history is what it reads like.
function plain(history: History): History {
  return JSON.parse(JSON.stringify(history)) as History
}

/** A history in a few lines. */
export function textOf({ steps, ...site }: History): string {
  return [JSON.stringify(site), ...steps.map((each) => `  ${JSON.stringify(each)}`)].join('\n')
}
