import type { ApiWords } from '../api-errors.ts'

/** Names of Stripe's API in error messages. */
export const stripeWords: ApiWords = {
  name: 'Stripe',
  option: 'membership.providers.stripe.secret',
  keys: 'the Stripe dashboard (Developers, API keys)',
  requests: 'in the Stripe dashboard under Developers, Logs',
}
