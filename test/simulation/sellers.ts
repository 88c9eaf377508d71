import type { FakeServer, FakeServerOptions } from '../../src/fakes/engine/index.ts'
import type { FakePayPal } from '../../src/fakes/paypal/index.ts'
import { createFakeServer } from '../../src/testkit/index.ts'

/** What is sold, in the smallest unit. No two cost the same: where a provider knows no prices, what was paid says for what. */
export const costs = { month: 900, team: 2500, book: 1900 } as const

/** What stands apart between one provider and another in a simulated year. */
export interface Seller {
  readonly key: string
  readonly webhook: string
  readonly prices: Readonly<Record<keyof typeof costs, string>>
  open(options: FakeServerOptions): Promise<FakeServer>
  /** Where its API is, below the fake's address. */
  readonly apiPath?: string
  /** Settings below `membership.providers.{key}` besides `webhook`, `secret`, `api_base` and the plans. */
  settings?(fake: FakeServer): Readonly<Record<string, unknown>>
  /**
   * What `fake.pay` takes, from the address to which a buyer is sent; null for a page of the site itself,
   * which leads to what was bought already.
   */
  checkoutIn(url: string): string | null
  /** It ends a cancelled subscription at once, and what is paid stays open until its end. */
  readonly endsAtOnce?: true
  /** Another price counts with its first payment, whatever was agreed to before. */
  readonly changesWhenPaid?: true
  /** It asks no buyer for an address: they log in before. */
  readonly asksNoAddress?: true
  /** It keeps no messages: what it has is compared instead. */
  readonly keepsNoMessages?: true
  /** It tells nobody what a bank took back. */
  readonly hidesDisputes?: true
  /** What a bank took back of a membership is owed, as if it had failed. */
  readonly owesWhatIsTakenBack?: true
}

const usual = { month: 'price_month', team: 'price_team', book: 'price_book' }

/** Every provider with a fake server. */
export const sellers: readonly Seller[] = [
  {
    key: 'stripe',
    webhook: 'whsec_of_the_year',
    prices: usual,
    open: (options) => createFakeServer('stripe', options),
    checkoutIn: (url) => /\/(cs_\w+)$/.exec(url)?.[1] ?? null,
  },
  {
    key: 'paddle',
    webhook: 'pdl_ntfset_of_the_year',
    prices: { month: 'pri_month', team: 'pri_team', book: 'pri_book' },
    open: (options) => createFakeServer('paddle', options),
    checkoutIn: (url) => new URL(url).searchParams.get('_ptxn'),
  },
  {
    key: 'chargebee',
    webhook: 'chargebee:a password of the year',
    prices: { month: 'pro-USD-monthly', team: 'team-USD-monthly', book: 'book-USD' },
    open: (options) => createFakeServer('chargebee', options),
    checkoutIn: (url) => /\/pages\/v4\/([^/]+)\//.exec(url)?.[1] ?? null,
  },
  {
    key: 'polar',
    webhook: 'polar_whs_of_the_year',
    // Ids are UUIDs: https://polar.sh/docs/api-reference/products/get
    prices: {
      month: '6f0c4a52-7d1e-4b39-8c55-0a1d2e3f4001',
      team: '6f0c4a52-7d1e-4b39-8c55-0a1d2e3f4002',
      book: '6f0c4a52-7d1e-4b39-8c55-0a1d2e3f4003',
    },
    open: (options) => createFakeServer('polar', options),
    checkoutIn: (url) => url.split('polar_c_')[1] ?? null,
  },
  {
    key: 'paypal',
    webhook: '96605875FF6516633',
    prices: { month: 'P-MONTH', team: 'P-TEAM', book: 'book' },
    open: (options) => createFakeServer('paypal', options),
    settings: (fake) => ({ client_id: (fake as unknown as FakePayPal).clientId }),
    checkoutIn: (url) => {
      const { searchParams } = new URL(url)
      return searchParams.get('token') ?? searchParams.get('ba_token')?.replace(/^BA-/, '') ?? null
    },
    endsAtOnce: true,
    changesWhenPaid: true,
  },
  {
    key: 'mollie',
    webhook: 'a signing secret of the year',
    prices: usual,
    open: (options) => createFakeServer('mollie', options),
    apiPath: '/v2',
    checkoutIn: (url) => /\/checkout\/(tr_\w+)$/.exec(url)?.[1] ?? null,
    endsAtOnce: true,
    asksNoAddress: true,
    keepsNoMessages: true,
    owesWhatIsTakenBack: true,
  },
  {
    key: 'lemonsqueezy',
    webhook: 'a signing secret of the year',
    prices: { month: '2001', team: '2002', book: '2003' },
    open: (options) => createFakeServer('lemonsqueezy', options),
    checkoutIn: (url) => /\/checkout\/custom\/([\w-]+)/.exec(url)?.[1] ?? null,
    keepsNoMessages: true,
    hidesDisputes: true,
  },
  {
    key: 'creem',
    webhook: 'whsec_of_the_year',
    prices: { month: 'prod_month', team: 'prod_team', book: 'prod_book' },
    open: (options) => createFakeServer('creem', options),
    checkoutIn: (url) => /\/checkout\/(ch_\w+)$/.exec(url)?.[1] ?? null,
    keepsNoMessages: true,
  },
  {
    key: 'dodo',
    webhook: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
    prices: { month: 'pdt_month', team: 'pdt_team', book: 'pdt_book' },
    open: (options) => createFakeServer('dodo', options),
    checkoutIn: (url) => /\/session\/(cks_\w+)$/.exec(url)?.[1] ?? null,
    keepsNoMessages: true,
  },
]
