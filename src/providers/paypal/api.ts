import { createHash } from 'node:crypto'
import { MembershipError } from '../../core/errors.ts'
import { type ApiWords, failureOf } from '../api-errors.ts'
import { createClientCredentials } from '../client-credentials.ts'
import { list, obj, str, whole } from '../narrow.ts'
import { createRest, type Rest, type RestRequest } from '../rest.ts'
import type { ErrorAnswer, Token } from './payload.ts'

/** Names of PayPal's API in error messages. */
export const paypalWords: ApiWords = {
  name: 'PayPal',
  option: 'membership.providers.paypal.client_id and .secret',
  keys: 'the PayPal Developer Dashboard (Apps & Credentials)',
  requests: 'in the PayPal Developer Dashboard under Event Logs, API calls',
}

/** Credentials and address of PayPal's API. */
export interface PayPalApiOptions {
  readonly clientId: string
  readonly secret: string
  readonly base: string
  readonly now: () => Date
}

/**
 * PayPal's API, without its package, which cannot use another address and hides the moment of an answer.
 * https://developer.paypal.com/api/rest/
 */
export interface PayPalApi extends Rest {
  /** Checks the credentials by getting a token, unless one is at hand. @throws ERR_PROVIDER_ANSWER */
  greet(): Promise<unknown>
}

/** Each mode has its own host. */
export function paypalHost(isLive: boolean): string {
  return isLive ? 'https://api-m.paypal.com' : 'https://api-m.sandbox.paypal.com'
}

/** Creates the client; it makes no request before the first call. */
export function createPayPalApi({ clientId, secret, base, now }: PayPalApiOptions): PayPalApi {
  const common = { base, words: paypalWords, now, faultOf }
  const authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`
  const desk = createRest({ ...common, headers: () => ({ authorization }) })
  const headers = createClientCredentials({ now, ask: () => askToken(desk) })
  return { ...createRest({ ...common, headers }), greet: async () => headers() }
}

/**
 * Adds an idempotency key to a request; only some requests accept one.
 * https://developer.paypal.com/api/rest/reference/idempotency/
 */
export function keyed(key: string): Pick<RestRequest, 'headers' | 'isRepeatable'> {
  return {
    headers: { 'paypal-request-id': shortKey(key), prefer: 'return=representation' },
    isRepeatable: true,
  }
}

/** Returns PayPal's code for a refusal, from its details or from the error itself. */
export function issueOf(error: unknown): string | null {
  return error instanceof MembershipError ? failureOf(error.cause).code : null
}

// Orders accept 108 characters.
function shortKey(key: string): string {
  return key.length <= 100 ? key : createHash('sha256').update(key).digest('hex')
}

// https://developer.paypal.com/api/rest/responses/
function faultOf(body: ErrorAnswer) {
  const [detail] = list(body.details)
  return { code: str(detail?.issue) ?? str(body.name) ?? str(body.error), field: str(detail?.field) }
}

// https://developer.paypal.com/api/rest/authentication/
async function askToken(desk: Rest) {
  const { raw } = await desk.ask<Token>('an access token', {
    method: 'POST',
    path: '/v1/oauth2/token',
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    reads: true,
  })
  const token = str(raw.access_token)
  if (token !== null) return { token, seconds: whole(raw.expires_in) ?? 0 }
  throw new MembershipError('ERR_PROVIDER_ANSWER', 'PayPal gave no access token.', {
    action: `Check ${paypalWords.option}.`,
    cause: obj(raw.error),
  })
}

/** Formats a moment as PayPal reads it, without fractions of a second. */
export function toMoment(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`
}
