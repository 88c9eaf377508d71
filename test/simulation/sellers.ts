import type { Merchant, MerchantOptions } from '../../src/merchant/index.ts'
import type { FakePayPal } from '../../src/providers/paypal/dialect/index.ts'
import { createMerchant } from '../../src/testkit/index.ts'

/** What stands apart between one provider and another in a simulated year. */
export interface Seller {
  readonly key: string
  readonly webhook: string
  readonly prices: { readonly month: string; readonly team: string; readonly book: string }
  open(options: MerchantOptions): Promise<Merchant>
  /** Settings below `membership.providers.{key}` besides `webhook`, `secret`, `api_base` and the plans. */
  settings?(merchant: Merchant): Readonly<Record<string, unknown>>
  /** What `merchant.pay` takes, from the address to which a buyer is sent; null for a page of the site itself, which leads
   *  to what was bought already. */
  checkoutIn(url: string): string | null
  /** It ends a cancelled subscription at once, and what is paid stays open until its end. */
  readonly endsAtOnce?: true
  /** Another price counts with its first payment, whatever was agreed to before. */
  readonly changesWhenPaid?: true
}

const usual = { month: 'price_month', team: 'price_team', book: 'price_book' }

/** Every provider with a dialect of the merchant. */
export const sellers: readonly Seller[] = [
  {
    key: 'stripe',
    webhook: 'whsec_of_the_year',
    prices: usual,
    open: (options) => createMerchant('stripe', options),
    checkoutIn: (url) => /\/(cs_\w+)$/.exec(url)?.[1] ?? null,
  },
  {
    key: 'paddle',
    webhook: 'pdl_ntfset_of_the_year',
    prices: { month: 'pri_month', team: 'pri_team', book: 'pri_book' },
    open: (options) => createMerchant('paddle', options),
    checkoutIn: (url) => new URL(url).searchParams.get('_ptxn'),
  },
  {
    key: 'paypal',
    webhook: '96605875FF6516633',
    prices: { month: 'P-MONTH', team: 'P-TEAM', book: 'book' },
    open: (options) => createMerchant('paypal', options),
    settings: (merchant) => ({ client_id: (merchant as unknown as FakePayPal).clientId }),
    checkoutIn: (url) => {
      const { searchParams } = new URL(url)
      return searchParams.get('token') ?? searchParams.get('ba_token')?.replace(/^BA-/, '') ?? null
    },
    endsAtOnce: true,
    changesWhenPaid: true,
  },
]
