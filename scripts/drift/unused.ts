/**
 * Why an adapter does not make a request that the official package offers for subscriptions, payments or
 * checkouts. The first pattern that fits counts.
 */
export type Reasons = readonly (readonly [reason: string, pattern: RegExp])[]

const rare =
  'Used in cases that the run does not play: an expiry, an open invoice, a pause of before, an old object.'
const byProvider = 'The buyer does it on the provider’s own page.'
const ofList = 'The list, or the object around it, says the same.'
const byHand = 'Invoices and payments made by hand stay in the dashboard; their messages are read.'
const ownGoods = 'Prices and plans are made in the dashboard, and read.'
const usage = 'Usage and credits are not sold here.'
const split = 'For platforms that pass money on.'
const shipping = 'Goods that are shipped are not sold here.'
const noCheckout = 'Every purchase begins on the provider’s page, where the buyer agrees.'

export const unused: Readonly<Record<string, Reasons>> = {
  stripe: [
    [usage, /\/v[12]\/billing\/(?:alerts|credit|meter)/],
    ['Answers about a cancellation are asked on the site.', /\/billing\/feedback_options/],
    [
      'Cards, accounts and money that a seller issues or runs.',
      /issuing|treasury|money_management|financial_connections|climate/,
    ],
    [split, /application_fees/],
    ['Taxes are the account’s own settings.', /\/tax\//],
    ['Only test mode has it.', /test_helpers/],
    ['Pages without a buyer that is known; what is bought there is read.', /payment_links/],
    ['Searching lags behind, and objects are found by their ids.', /\/search$/],
    [
      'Existing subscriptions keep their billing mode, and a pause is made by a trial (docs/reference/stripe.md).',
      /subscriptions\/\{\}\/(?:migrate|pause)$/,
    ],
    [
      rare,
      /sessions\/\{\}\/(?:expire|line_items)|subscription_schedules\/\{\}(?:\/cancel)?$|subscriptions\/\{\}\/resume|GET \/v1\/(?:invoices|charges|payment_intents|refunds)\/\{\}(?:\/lines)?$/,
    ],
    [noCheckout, /POST \/v1\/(?:subscriptions|payment_intents|charges|checkout\/sessions\/\{\})/],
    ['A subscription is changed whole.', /subscription_items|subscriptions\/\{\}\/discount/],
    [ofList, /GET \/v1\/(?:payment_intents|subscription_schedules)/],
    [byHand, /\/invoices|\/refunds/],
  ],
  paddle: [
    ['Figures are counted from what is stored here.', /metrics/],
    [rare, /transactions\/\{\}\/invoice|subscriptions\/\{\}\/resume/],
    [byHand, /subscriptions\/\{\}\/charge|transactions\/\{\}\/revise/],
    ['A trial ends when it ends.', /activate/],
    ['The price is shown by the page that follows.', /transactions\/preview/],
    [rare, /PATCH \/transactions/],
  ],
  mollie: [
    ['Orders are another product of Mollie’s, which it is ending.', /orders/],
    ['Pages without a buyer that is known; what is bought there is read.', /payment-links/],
    ['Nothing is authorized first and taken later.', /captures|release-authorization/],
    [split, /routes/],
    ['Settlements and Mollie’s own invoices are bookkeeping.', /settlements|^GET \/invoices/],
    [ofList, /^GET/],
    ['A refund that was made is not taken back.', /DELETE \/payments\/\{\}\/refunds/],
    ['A payment is not changed once it was asked for.', /PATCH \/payments/],
  ],
  polar: [
    [byProvider, /customer-portal|checkouts\/client/],
    ['Exports are files for people.', /export$/],
    [ofList, /^GET \/v1\/payments/],
    [byHand, /orders\/\{\}\/(?:invoice|receipt|finalize)/],
  ],
  chargebee: [
    [
      'Catalog 1, and adding to what runs: a change says all items.',
      /checkout_new$|checkout_one_time$|checkout_existing|customers\/\{\}\/subscriptions$/,
    ],
    [
      'Gifts, quotes, vouchers and agreements are no part of a membership here.',
      /gift|quote|voucher|agreement/,
    ],
    [
      byProvider,
      /hosted_pages\/(?:manage_payment_sources|update_card|update_payment_method|pre_cancel|extend_subscription)/,
    ],
    ['It serves another kind of page.', /hosted_pages/],
    [shipping, /\/orders/],
    ['Exports are files for people.', /exports/],
    [noCheckout, /subscription_for_items|POST \/subscriptions|payment_intents|create_authorization/],
    [ofList, /^GET \/(?:customers|invoices)/],
    [byHand, /\/invoices|\/transactions/],
  ],
  dodo: [
    [usage, /credit-usage|usage-history|subscriptions\/\{\}\/charge/],
    ['The older way of selling.', /POST \/(?:payments|subscriptions)$/],
    ['A failed payment is tried again by Dodo Payments itself.', /payments\/\{\}\/retry/],
    ['The price is shown by the page that follows.', /checkouts\/preview|supported_countries/],
    ['Bills are files for people; their addresses are shown.', /invoices/],
    [ofList, /GET \/refunds/],
  ],
  creem: [
    [usage, /customer-credits/],
    ['Creem pauses without an end (docs/providers/creem.md).', /subscriptions\/\{\}\/pause/],
  ],
  lemonsqueezy: [
    [usage, /current-usage/],
    [ofList, /^GET/],
    ['Bills are made by Lemon Squeezy; their addresses are shown.', /generate-invoice/],
    [rare, /subscription-invoices\/\{\}\/refund/],
  ],
  paypal: [
    [ownGoods, /billing\/plans/],
    ['Nothing is authorized first and taken later.', /authorize$|authorizations/],
    [shipping, /track/],
    ['It reports with a delay of hours.', /reporting/],
    [
      'It names payments without what was given back; their messages do. See docs/providers/paypal.md.',
      /subscriptions\/\{\}\/transactions/,
    ],
    ['PayPal pauses without an end (docs/providers/paypal.md).', /subscriptions\/\{\}\/suspend/],
    [byProvider, /confirm-payment-source/],
    [rare, /captures|refunds/],
  ],
}
