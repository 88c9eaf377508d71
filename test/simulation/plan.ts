import type { MembershipOptions } from '../../src/index.ts'

/** What the simulated site sells. Plans of one group exclude each other; `trial_days` are those of the first price. */
export const plans = {
  pro: {
    group: 'membership',
    prices: [{ id: 'price_month', trial_days: 14 }, 'price_year'],
  },
  team: { group: 'membership', prices: ['price_team'] },
  book: { prices: [{ id: 'price_book', amount: 1900, currency: 'EUR' }] },
}

/** Gate → the prices that open it, written out by hand for the oracle. */
export const gates: Readonly<Record<string, readonly string[]>> = {
  pro: ['price_month', 'price_year'],
  team: ['price_team'],
  book: ['price_book'],
  price_month: ['price_month'],
  price_year: ['price_year'],
  price_team: ['price_team'],
  price_book: ['price_book'],
}

export const pricesOfGroup = ['price_month', 'price_year', 'price_team']
export const planOf: Readonly<Record<string, string>> = {
  price_month: 'pro',
  price_year: 'pro',
  price_team: 'team',
}
/** A failed renewal keeps access so long. */
export const graceDays = 3

export const prices = [
  {
    id: 'price_month',
    lookup_key: 'pro_month',
    unit_amount: 900,
    currency: 'eur',
    recurring: { interval: 'month' },
  },
  { id: 'price_year', unit_amount: 9000, currency: 'eur', recurring: { interval: 'year' } },
  { id: 'price_team', unit_amount: 2500, currency: 'eur', recurring: { interval: 'month' } },
  { id: 'price_book', unit_amount: 1900, currency: 'eur' },
] as const

export const webhookSecret = 'whsec_of_the_simulation'

export function configuration(given: {
  database: string
  site: string
  fake: { url: string; secret: string }
}): MembershipOptions {
  return {
    'membership.url': given.site,
    'membership.secret': 'a secret of the simulation, long enough',
    'membership.database.url': given.database,
    'membership.database.synchronous': 'normal',
    'membership.provider.handler': 'stripe',
    'membership.providers.stripe.secret': given.fake.secret,
    'membership.providers.stripe.webhook': webhookSecret,
    'membership.providers.stripe.api_base': given.fake.url,
    'membership.providers.stripe.plans': plans,
    'membership.gates.past_due': graceDays,
    'membership.ratelimit.limit': 10_000_000,
    install: false,
    root: false,
  }
}
