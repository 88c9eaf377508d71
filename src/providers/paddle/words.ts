import type { ApiWords } from '../api-errors.ts'

/** Names of Paddle's API in error messages. */
export const paddleWords: ApiWords = {
  name: 'Paddle',
  option: 'membership.providers.paddle.secret',
  keys: 'the Paddle dashboard (Developer tools, Authentication)',
  requests: 'in Paddle’s documentation of errors, by its code',
}
