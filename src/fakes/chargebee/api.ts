import {
  ApiError,
  type ApiHandlerOf,
  type Asked,
  createApi,
  createIdempotency,
  type Tracking,
  type World,
} from '../engine/index.ts'
import type { Account } from './account.ts'
import { buyingRoutes } from './api-buying.ts'
import { eventRoutes } from './api-events.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { errorAnswer, keyTrouble, missing, toApiError } from './errors.ts'
import { pageOf, readParams } from './routes.ts'

/** Answers API requests. */
export const chargebeeApi: ApiHandlerOf<Account> = (account, secret, context) =>
  createApi({
    account,
    routes: [...buyingRoutes, ...subscriptionRoutes, ...eventRoutes(context)],
    wait: context.wait,
    replica: context.replica,
    owns: (path) => path.startsWith('/api/'),
    admit: ({ headers }) => {
      if (headers.authorization === `Basic ${Buffer.from(`${secret}:`).toString('base64')}`) return
      const message = 'Sorry, authentication failed. Invalid api key'
      throw new ApiError(401, message, { code: 'api_authentication_failed' })
    },
    read: ({ body }) => readParams(body),
    show: (result, _asked, query) => ({
      status: 200,
      body: Array.isArray(result.list) ? pageOf(result.list, query) : result,
    }),
    unknown: ({ path }) => missing('The path', path),
    refused: toApiError,
    failed: errorAnswer,
    previews: (path) => path.includes('/estimates/'),
    keyOf,
    once: onceForKey(account.world, context.saving),
  })

function keyOf({ headers }: Asked): string | undefined {
  const key = headers['chargebee-idempotency-key']
  return typeof key === 'string' ? key : undefined
}

// https://apidocs.chargebee.com/docs/api/idempotency: for half an hour, per address
const keptSeconds = 30 * 60
const longestKey = 100

function onceForKey(
  { clock }: World,
  saving: Tracking,
): NonNullable<Parameters<typeof createApi>[0]['once']> {
  const { seconds } = clock
  const keys = createIdempotency({ seconds, keptSeconds, maxLength: Infinity, refuse: keyTrouble, saving })
  return (asked, run) => {
    const given = keyOf(asked)
    if (given === undefined || asked.method !== 'POST') return run()
    if (given.length > longestKey) throw keyTrouble('too long')
    const key = `${asked.path} ${given}`
    const before = keys.begin(key, asked.body)
    if (before !== null) return { ...before, headers: { 'chargebee-idempotency-replayed': 'true' } }
    const made = run()
    keys.end(key, made)
    return made
  }
}
