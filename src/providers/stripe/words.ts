import type { ApiWords } from '../api-errors.ts'

/** What errors say of Stripe's API. */
export const stripeWords: ApiWords = {
  name: 'Stripe',
  option: 'membership.providers.stripe.secret',
  keys: 'the Stripe dashboard (Developers, API keys)',
  requests: 'in the Stripe dashboard under Developers, Logs',
}
