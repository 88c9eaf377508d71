import fc from 'fast-check'

/** Accounts of a history; two of them may turn out to be one person. */
export const people = ['ann', 'ben', 'cleo'] as const
export type Who = (typeof people)[number]
export type Plan = 'pro' | 'team' | 'book'

/** One thing that happens. Whoever is merged into another account acts as that account. */
export type Step =
  /** `at`: the provider that a switch leads to. `pays: 'later'` leaves the page open; `returns: false` never comes back.
   *  `card: 'shared'` is the card of a household. */
  | {
      do: 'buy'
      who: Who
      plan: Plan
      at?: 'to'
      seats?: number
      pays?: 'later'
      returns?: false
      card?: 'shared'
    }
  /** Pays the oldest page that is still open. */
  | { do: 'pay'; who: Who }
  | { do: 'change'; who: Who; plan?: 'pro' | 'team'; seats?: number }
  | { do: 'cancel'; who: Who; when: 'now' | 'period_end' }
  | { do: 'pause' | 'resume'; who: Who }
  /** `is: 'rejected'`: the provider decides against it afterwards; at Paddle. */
  | { do: 'refund'; who: Who; by: 'office' | 'dashboard'; amount?: number; is?: 'rejected' }
  /** Seats that are changed in the provider's dashboard. */
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
  /** Everything arrives, and the laws are checked. */
  | { do: 'settle' }

export const providers = ['stripe', 'paddle', 'polar', 'lemonsqueezy'] as const
export type ProviderKey = (typeof providers)[number]

/** What happens on one site, from its first day. */
export interface History {
  readonly from: ProviderKey
  /** A second provider; the switch leads to it. */
  readonly to?: ProviderKey
  /** Days that the first provider's prices of pro are free. */
  readonly trial?: number
  readonly steps: readonly Step[]
}

const who = fc.constantFrom(...people.slice(0, 2), ...people)
const plan = fc.constantFrom<Plan>('pro', 'pro', 'pro', 'team', 'team', 'book')
const seats = fc.integer({ min: 1, max: 4 })

/** How often each kind of step happens, beside the others. */
const weighted: { readonly [kind: string]: readonly [number, fc.Arbitrary<Step>] } = {
  buy: [
    14,
    fc.record(
      {
        do: fc.constant('buy' as const),
        who,
        plan,
        at: fc.constant('to' as const),
        seats,
        pays: fc.constant('later' as const),
        returns: fc.constant(false as const),
        card: fc.constant('shared' as const),
      },
      { requiredKeys: ['do', 'who', 'plan'] },
    ),
  ],
  pay: [4, fc.record({ do: fc.constant('pay' as const), who })],
  change: [
    6,
    fc.oneof(
      fc.record({ do: fc.constant('change' as const), who, plan: fc.constantFrom('pro' as const, 'team') }),
      fc.record({ do: fc.constant('change' as const), who, seats }),
    ),
  ],
  cancel: [
    5,
    fc.record({
      do: fc.constant('cancel' as const),
      who,
      when: fc.constantFrom('now' as const, 'period_end'),
    }),
  ],
  pause: [2, fc.record({ do: fc.constant('pause' as const), who })],
  resume: [4, fc.record({ do: fc.constant('resume' as const), who })],
  refund: [
    5,
    fc.record(
      {
        do: fc.constant('refund' as const),
        who,
        by: fc.constantFrom('office' as const, 'dashboard'),
        amount: fc.constant(100),
        is: fc.constant('rejected' as const),
      },
      { requiredKeys: ['do', 'who', 'by'] },
    ),
  ],
  seats: [2, fc.record({ do: fc.constant('seats' as const), who, seats })],
  dispute: [1, fc.record({ do: fc.constant('dispute' as const), who })],
  decide: [
    1,
    fc.record({ do: fc.constant('decide' as const), outcome: fc.constantFrom('won' as const, 'lost') }),
  ],
  fail: [2, fc.record({ do: fc.constant('fail' as const), who })],
  'free days': [
    1,
    fc.record({ do: fc.constant('free days' as const), who, days: fc.integer({ min: 5, max: 20 }) }),
  ],
  grant: [2, fc.record({ do: fc.constantFrom('grant' as const, 'import'), who, plan })],
  revoke: [1, fc.record({ do: fc.constant('revoke' as const), who })],
  delete: [1, fc.record({ do: fc.constant('delete' as const), who })],
  merge: [6, fc.record({ do: fc.constant('merge' as const), who, into: who })],
  'merge back': [4, fc.record({ do: fc.constant('merge back' as const), who })],
  switch: [3, fc.constantFrom<Step>({ do: 'switch' }, { do: 'switch' }, { do: 'undo switch' })],
  'change account': [1, fc.constant({ do: 'change account' })],
  time: [8, fc.record({ do: fc.constant('time' as const), days: fc.constantFrom(1, 3, 10, 20, 32) })],
  messages: [
    3,
    fc.record({
      do: fc.constant('messages' as const),
      are: fc.constantFrom('usual' as const, 'held', 'lost', 'shuffled'),
    }),
  ],
  outage: [
    2,
    fc.record({
      do: fc.constant('outage' as const),
      kind: fc.constantFrom('after' as const, '503'),
      requests: fc.integer({ min: 1, max: 4 }),
    }),
  ],
  die: [2, fc.record({ do: fc.constant('die' as const), after: fc.integer({ min: 0, max: 4 }) })],
  settle: [2, fc.constant({ do: 'settle' })],
}
export const kinds = Object.keys(weighted)

/** Histories of these providers, made of these kinds of steps. */
export function histories(
  keys: readonly ProviderKey[],
  only: readonly string[] = kinds,
): fc.Arbitrary<History> {
  const step = fc.oneof(
    ...only.map((kind) => ({ weight: weighted[kind]![0], arbitrary: weighted[kind]![1] })),
  )
  // A provider cannot be left for itself.
  const pair = fc
    .tuple(fc.constantFrom(...keys), fc.constantFrom(...providers))
    .map(([from, to]) => (from === to ? { from } : { from, to }))
  const trial = fc.option(fc.constant({ trial: 14 }), { nil: {} })
  return fc
    .tuple(pair, trial, fc.array(step, { minLength: 3, maxLength: 14 }))
    .map(([ends, free, steps]) => ({ ...ends, ...free, steps }))
}

/** A history in a few lines. */
export function textOf({ steps, ...site }: History): string {
  return [JSON.stringify(site), ...steps.map((each) => `  ${JSON.stringify(each)}`)].join('\n')
}
