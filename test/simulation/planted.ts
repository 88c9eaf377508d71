import type { Fault, Trial } from './model/without.ts'
import type { OpeningSteps, termLaws } from './terms.ts'

/** A life in which a planted fault shows, as `replay-terms.ts` plays it. */
export interface Life {
  readonly provider: string
  /** Other first steps than the usual ones. */
  readonly first?: OpeningSteps
}

interface Planted extends Pick<Fault, 'fix'> {
  readonly law: keyof typeof termLaws
  readonly life: Life
}

const walls = 'src/memberships/members/walls.ts'
const raises = 'src/memberships/raises/raises.ts'
const decide = 'src/memberships/raises/decide.ts'
const chosen = 'src/memberships/checkout/chosen-amount.ts'
function change(file: string, lines: string, without: string) {
  return [{ file, lines, without }]
}

const reading: OpeningSteps = Array.from({ length: 6 }, () => ['read', 'ben'] as const)
const sold: OpeningSteps = [
  ['month', 'ann'],
  ['subscribe', 'cid'],
  ['raise', 'ann'],
]

/** One fault for each law of walls, lessons, chosen amounts, raises and sales, and a life that has to find it. */
const planted: readonly Planted[] = [
  {
    law: 'free pages',
    life: { provider: 'stripe', first: reading },
    fix: change(walls, 'memberId === null ? wall.free : wall.loggedIn', 'wall.loggedIn + 1'),
  },
  {
    law: 'counted once',
    life: { provider: 'stripe', first: reading },
    fix: change(walls, 'if (count?.pages.includes(mark)) return', "if (mark === '') return"),
  },
  {
    law: 'wall as told',
    life: { provider: 'paddle' },
    fix: change('src/core/access/wall.ts', 'free - count.pages.length', 'free - count.pages.length + 1'),
  },
  {
    law: 'members read',
    life: {
      provider: 'stripe',
      first: [
        ['subscribe', 'ann'],
        ['read', 'ann'],
      ],
    },
    fix: change(
      'src/memberships/members/view.ts',
      'wall: (gate) => (allows(gate) ? null : (',
      'wall: (gate) => (gate === "" ? null : (',
    ),
  },
  {
    law: 'cached rightly',
    life: { provider: 'stripe' },
    fix: change(
      'src/memberships/members/gates.ts',
      "ctx.set('Cache-Control', 'private, no-store')",
      "ctx.set('Cache-Control', 'public, max-age=60')",
    ),
  },
  {
    law: 'paid time',
    life: {
      provider: 'paddle',
      first: [
        ['subscribe', 'ann'],
        ['month', 'ann'],
        ['refund', 'ann'],
        ['days', 'ann'],
      ],
    },
    fix: change('src/core/access/paid-time.ts', 'isPaid(due.at(-1)!) &&', ''),
  },
  {
    law: 'opens in time',
    life: {
      provider: 'mollie',
      first: [
        ['subscribe', 'ann'],
        ['days', 'ann'],
        ['days', 'ann'],
        ['days', 'ann'],
      ],
    },
    fix: change(
      'src/memberships/members/user.ts',
      'const seconds = secondsAfter(after)',
      'const seconds = secondsAfter(after) * 2',
    ),
  },
  {
    law: 'sold where it can',
    life: { provider: 'dodo' },
    fix: change(
      'src/memberships/catalogue/plans.ts',
      'return choose === undefined ||',
      'return choose !== null ||',
    ),
  },
  {
    law: 'as chosen',
    life: { provider: 'mollie' },
    fix: change(chosen, ': { amount, currency, interval,', ': { amount: amount + 10, currency, interval,'),
  },
  {
    law: 'in range',
    life: { provider: 'stripe' },
    fix: change(chosen, 'minor < choose.min ||', 'minor < choose.min - 100 ||'),
  },
  {
    law: 'refund ends it',
    life: {
      provider: 'stripe',
      first: [
        ['tip', 'cid'],
        ['refund a tip', 'cid'],
      ],
    },
    fix: change(
      'src/core/dto/rules.ts',
      'isPaid(p) &&\n    p.subscription_id === null',
      "p.status !== 'failed' &&\n    p.subscription_id === null",
    ),
  },
  {
    law: 'with notice',
    life: {
      provider: 'stripe',
      first: [
        ...sold.slice(0, 2),
        ['days', 'ann'],
        ['days', 'ann'],
        ['days', 'ann'],
        ['days', 'ann'],
        ['raise', 'ann'],
        ['month', 'ann'],
      ],
    },
    fix: change(decide, 'renewal < earliest ||', 'renewal < raise.starts_at ||'),
  },
  {
    law: 'raised once',
    life: { provider: 'paddle', first: [...sold, ['month', 'ann'], ['month', 'ann']] },
    fix: change(
      raises,
      "{ kind: 'swap', args: { ...terms, proration: 'none', prorationAt: null }, requestedBy },",
      "{ kind: 'swap', args: { ...terms, proration: 'now', prorationAt: null }, requestedBy },",
    ),
  },
  {
    law: 'raised in time',
    life: { provider: 'polar', first: [...sold, ['month', 'ann'], ['month', 'ann'], ['month', 'ann']] },
    fix: change(decide, 'noticeDays * dayMs', 'noticeDays * 9 * dayMs'),
  },
  {
    law: 'silence keeps',
    life: {
      provider: 'creem',
      first: [...sold.slice(0, 2), ['raise with consent', 'ann'], ['month', 'ann'], ['month', 'ann']],
    },
    fix: change(
      decide,
      "if (raise.needs_consent === 1 && row.agreed_at === null) return close('kept', 'silence')",
      '',
    ),
  },
  {
    law: 'never after an undo',
    life: { provider: 'stripe', first: [...sold, ['undo', 'ann'], ['month', 'ann'], ['month', 'ann']] },
    fix: [
      ...change(
        raises,
        "if (raise.status !== 'running') return takeBack(raise, row, raise.status as 'stopped' | 'undone')",
        '',
      ),
      ...change(raises, 'step(statements.stillRuns, { id: raise.id }, 1),', ''),
      ...change(
        raises,
        'if (isOpenRow(row)) await takeBack(raise, row, to).catch((error: unknown) => logFailure(row, error))',
        'void [row, to]',
      ),
      ...change(
        raises,
        "if (current.status !== 'running') await takeBack(raise, now_, current.status as 'stopped' | 'undone')",
        'if (current.id === null) return',
      ),
    ],
  },
  {
    law: 'sold until its end',
    life: { provider: 'dodo' },
    fix: change(
      'src/memberships/catalogue/sales.ts',
      'until !== undefined && until <= at',
      'until !== undefined && until.slice(0, 4) < at.slice(0, 4)',
    ),
  },
  {
    law: 'said alike',
    life: { provider: 'lemonsqueezy' },
    fix: change(
      'src/memberships/checkout/offer-shown.ts',
      'const text = currency === null ? saleTerms(price, speaking) : null',
      "const text = currency === '' ? saleTerms(price, speaking) : null",
    ),
  },
  {
    law: 'sale price kept',
    life: { provider: 'stripe' },
    fix: change(
      'src/memberships/raises/statements.ts',
      ".where('s.price_id', '=', from_price)",
      ".where('s.price_id', '!=', 'none')",
    ),
  },
]

/** The planted faults, to be tried. */
export const plantedTrials: readonly Trial[] = planted.map(({ law, life, fix }) => ({
  name: law,
  law: `: ${law}: `,
  fix,
  plays: [{ script: 'replay-terms.ts', argument: JSON.stringify(life) }],
}))
