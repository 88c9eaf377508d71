const noMembership = 'it is about nobody’s membership'
const apiAnswer = 'an answer of the API, which no webhook brings'

/** Why a public payload means no change, by the beginning of its file name. */
const reasons: Readonly<Record<string, readonly (readonly [pattern: RegExp, reason: string])[]>> = {
  stripe: [
    [
      /^(account|billing_portal|credit_note|customer\.tax_id|entitlements|payment_method|price|product|promotion_code|setup_intent|subscription_item)\b/,
      noMembership,
    ],
    [/^event--/, 'a plan was created, which changes no subscription'],
    [/^invoice\.upcoming/, 'a preview of an invoice has no id'],
    [/^subscription_schedule--/, 'a bare schedule has no event; those in events lead to its subscription'],
    [/^thin\./, 'a thin event about no object'],
  ],
  paddle: [
    [/^(address|business|discount|price|product|payout)\./, noMembership],
    [/^invoice\.paid/, 'an older event beside `transaction.completed`, which says the same'],
    [/^payment_method\./, 'a stored card changes no subscription'],
    [/^transaction\.created/, 'a page that somebody opened; nobody has bought anything'],
  ],
  chargebee: [
    [/^(card_expired|plan_updated)/, noMembership],
    [/--chargebee-node/, 'an example without objects, or with an id alone'],
    [/^object\./, apiAnswer],
  ],
  creem: [
    [/^(checkout|checkout_create|customer|discount|license|product|transaction)--/, apiAnswer],
    [/^checkout\.completed--creem-php-noxomix/, 'its subscription’s own messages say more'],
  ],
  dodo: [
    [/^abandoned_checkout/, 'a page on which nothing was bought'],
    [/^license_key/, noMembership],
  ],
  lemonsqueezy: [
    [/^license_key/, noMembership],
    [/^order_created\.minimal/, 'an order without a single attribute'],
    [/Response--/, apiAnswer],
  ],
  polar: [
    [/^(benefit|benefit_grant|product)\./, noMembership],
    [/^checkout\./, 'a page for buyers that this site did not begin'],
    [/^unknown\./, 'a type that Polar does not have'],
  ],
  paypal: [
    [/^(GetPlans|ListSubscriptionTransactions|UpdateSubscriptionItems|VerifyWebHookSignature)/, apiAnswer],
    [/^PAYMENT\.AUTHORIZATION/, 'an authorization moves no money'],
    [/^order\.(created|pending)/, 'an order that nobody has paid'],
  ],
  mollie: [
    [/^capture|^list\.captures/, 'what was captured shows in its payment'],
    [/^(error|unprocessable)/, 'an error of the API'],
    [/mandate/, 'a mandate is the right to charge; the charges say the rest'],
    [/^payment-link/, 'a page on which payments are made; they say the rest'],
    [/sales[-_]invoice/, 'an invoice of the seller’s own, which no purchase on the site makes'],
    [/^session/, noMembership],
    [/^webhook/, 'a webhook’s own settings'],
    [/^next-gen/, 'an id without a prefix does not say what it is'],
  ],
}

/** The reason why a public payload means no change; undefined without one. */
export function ignoredBecause(provider: string, file: string): string | undefined {
  return reasons[provider]?.find(([pattern]) => pattern.test(file))?.[1]
}
