import { isMembershipError, type Payment } from '../../src/index.ts'
import { chargebee } from '../providers/chargebee/selling.ts'
import { creem } from '../providers/creem/selling.ts'
import { dodo } from '../providers/dodo/selling.ts'
import { lemonsqueezy } from '../providers/lemonsqueezy/selling.ts'
import { paddle } from '../providers/paddle/selling.ts'
import { polar } from '../providers/polar/selling.ts'
import type { SellingCase } from '../providers/selling-case.ts'
import { stripe } from '../providers/stripe/selling.ts'
import { choose, memberOf, openSellingSite, purchase } from '../support/selling-site.ts'
import { createChance } from './chance.ts'

/** The providers whose members live with offers. */
export const offerCases: readonly SellingCase[] = [
  stripe,
  paddle,
  polar,
  creem,
  dodo,
  lemonsqueezy,
  chargebee,
]

/** The laws of limits, by name. */
export const limitLaws = {
  'never over': 'no window and no top-up gives more than its amount',
  'never lost': 'what was not used can be used',
  'only what is paid': 'nothing is included without access, and a refunded top-up gives nothing more',
  'as shown': 'view.limit says what use then gives or refuses',
} as const

export interface OfferLife {
  readonly provider: string
  readonly counts: ReadonlyMap<string, number>
  readonly broken: readonly string[]
}

const included = 5
const topUp = 3

/** Lets one member live with a limit at a provider: uses, top-ups, refunds, months, a cancellation and its end. What may be
 *  used is worked out from what this life did, and compared after each step with what the site says and gives. */
export async function liveWithLimits(one: SellingCase, seed: string, steps: number): Promise<OfferLife> {
  const undo: (() => unknown)[] = []
  const counts = new Map<string, number>()
  const broken: string[] = []
  try {
    const { key, prices } = one
    const priced = {
      ...one,
      settings: (merchant: Parameters<NonNullable<SellingCase['settings']>>[0]) => ({
        ...one.settings?.(merchant),
        plans: plansOf(prices),
      }),
    }
    const opened = await openSellingSite(
      { teardown: (run: () => unknown) => undo.unshift(run) } as never,
      priced,
    )
    const { m, merchant } = opened
    const email = 'ann@example.com'
    const { visitor } = await purchase(opened, email)
    const chance = createChance(seed, `limits ${key}`)
    let usedHere = 0
    let month = windowOf(merchant.now())
    const topUps: { left: number; payment: Payment | null }[] = []
    let isOpen = true
    const did = (what: string) => {
      counts.set(what, (counts.get(what) ?? 0) + 1)
    }
    const law = (name: keyof typeof limitLaws, isKept: boolean, about: string) => {
      if (!isKept) broken.push(`${key}: ${name}: ${about}`)
    }
    const check = async (after: string): Promise<void> => {
      const member = await memberOf(m, email)
      isOpen = member.hasGate('pro' as never)
      if (windowOf(merchant.now()) !== month) {
        month = windowOf(merchant.now())
        usedHere = 0
      }
      const left =
        (isOpen ? Math.max(0, included - usedHere) : 0) + topUps.reduce((sum, t) => sum + t.left, 0)
      const shown = member.limit('exports' as never)
      law(
        'as shown',
        shown.left === left,
        `after ${after}: ${shown.left} shown, ${left} expected (${JSON.stringify(shown)})`,
      )
      if (!isOpen)
        law('only what is paid', shown.amount === 0, `after ${after}: ${shown.amount} included while closed`)
    }
    const use = async (amount: number): Promise<void> => {
      const member = await memberOf(m, email)
      const left =
        (isOpen ? Math.max(0, included - usedHere) : 0) + topUps.reduce((sum, t) => sum + t.left, 0)
      try {
        await m.use(member, 'exports' as never, amount)
        did('used')
        law('never over', amount <= left, `${amount} were given of ${left}`)
        let missing = amount
        if (isOpen) {
          const taken = Math.min(missing, Math.max(0, included - usedHere))
          usedHere += taken
          missing -= taken
        }
        for (const t of topUps) {
          const taken = Math.min(missing, t.left)
          t.left -= taken
          missing -= taken
        }
      } catch (error) {
        if (!isMembershipError(error, 'ERR_LIMIT')) throw error
        did('refused')
        law('never lost', amount > left, `${amount} were refused of ${left}`)
      }
    }
    const buyTopUp = async (): Promise<void> => {
      const known = new Set((await memberOf(m, email)).payments().map(({ id }) => id))
      const chosen = await choose(opened, 'book', visitor)
      await merchant.pay(chosen.url, { email })
      await merchant.deliver()
      await m.runDueJobs()
      const bought = (await memberOf(m, email))
        .payments()
        .find((p) => !known.has(p.id) && p.purpose === 'one_time')
      if (bought === undefined) return
      did('top-up')
      topUps.push({ left: topUp, payment: bought })
    }
    const refund = async (): Promise<void> => {
      const t = topUps.find(({ payment }) => payment !== null)
      if (!t?.payment) return
      await m.payments.refund({ payment: t.payment })
      await merchant.deliver()
      await m.runDueJobs()
      did('refund')
      t.left = 0
      t.payment = null
    }
    for (let i = 0; i < steps; i++) {
      const what = chance.of(['use', 'use', 'use', 'use', 'topup', 'refund', 'days', 'month'] as const)
      if (what === 'use') await use(chance.number(1, 4))
      else if (what === 'topup') await buyTopUp()
      else if (what === 'refund') await refund()
      else {
        await merchant.advance({ days: what === 'days' ? 6 : 31 })
        await merchant.deliver()
        await m.runDueJobs()
        did(what)
      }
      await check(what)
    }
  } finally {
    for (const run of undo) await run()
  }
  return { provider: one.key, counts, broken }
}

const plansOf = (prices: SellingCase['prices']) => ({
  pro: {
    limits: { exports: { amount: included, every: 'month' } },
    prices: [{ id: prices.month, amount: 900, currency: 'EUR', interval: 'month' }],
  },
  book: { prices: [{ id: prices.book, amount: 1900, currency: 'EUR', adds: { exports: topUp } }] },
})

const windowOf = (at: Date): string => at.toISOString().slice(0, 7)
