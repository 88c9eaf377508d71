import { lazy } from '../../core/lazy.ts'
import { type ApiOptions, fetchBy } from '../api.ts'
import type { ApiWords } from '../api-errors.ts'
import { createClientCredentials } from '../client-credentials.ts'
import type { Change, Fetched, Ref } from '../contract.ts'
import { int, list, str } from '../narrow.ts'
import { address, createRest, type Rest, unlessMissing } from '../rest.ts'
import { boughtChanges, paymentChanges } from './changes.ts'
import { payloadIn } from './jws.ts'
import type { Bought, ErrorAnswer, StatusAnswer, TransactionAnswer, TransactionsAnswer } from './payload.ts'
import { boughtIn } from './read.ts'

/** Names of Apple's API in error messages. */
export const appleWords: ApiWords = {
  name: 'The App Store',
  option: 'membership.providers.apple.secret',
  keys: 'App Store Connect (Users and Access, Integrations, In-App Purchase)',
  requests: 'nowhere: Apple shows no log of requests',
}

/** Access to the API: a key, its id, its issuer, and the app. */
export interface AppleAccess extends ApiOptions {
  readonly keyId: string
  readonly issuerId: string
  readonly bundleId: string
}

/** Apple's API. */
export interface AppleApi {
  readonly ask: Rest['ask']
  /** Reads one subscription or transaction; null when Apple does not know it. */
  fetch(ref: Ref): Promise<Fetched | null>
}

/**
 * Our own client: Apple's package has no time limit, and hides the time of an answer.
 * https://developer.apple.com/documentation/appstoreserverapi
 */
export function createAppleApi(access: AppleAccess): AppleApi {
  const { base, now } = access
  const { ask } = createRest({
    base,
    words: appleWords,
    now,
    headers: createClientCredentials({ ask: () => signToken(access), now }),
    faultOf: (body: ErrorAnswer) => ({ code: int(body.errorCode)?.toString() }),
  })
  return {
    ask,
    fetch: fetchBy({
      subscription: (id) => unlessMissing(readSubscription(ask, id)),
      payment: (id) => unlessMissing(readTransaction(ask, id)),
      customer: null,
      checkout: null,
      refund: null,
      dispute: null,
      link: null,
    }),
  }
}

/**
 * Reads a subscription with all its payments.
 * https://developer.apple.com/documentation/appstoreserverapi/get-all-subscription-statuses
 */
async function readSubscription(ask: Rest['ask'], id: string): Promise<Fetched> {
  const { raw, at } = await ask<StatusAnswer>('a subscription', {
    path: address`/inApps/v1/subscriptions/${id}`,
  })
  const last = list(raw.data)
    .flatMap(({ lastTransactions }) => list(lastTransactions))
    .find(({ originalTransactionId }) => originalTransactionId === id)
  if (last === undefined) return { changes: [], at }
  const bought = boughtIn(last)
  const earlier = await readEarlier(ask, id, bought)
  return { changes: [...boughtChanges(bought, { isLast: true }), ...earlier], at }
}

/**
 * Reads the payments before the last one. Only the history shows that one of them was refunded, or that its
 * refund was reversed. https://developer.apple.com/documentation/appstoreserverapi/get-transaction-history
 */
async function readEarlier(ask: Rest['ask'], id: string, { transaction: last, renewal }: Bought) {
  const changes: Change[] = []
  for (let revision: string | null = null; ; ) {
    const { raw }: { readonly raw: TransactionsAnswer } = await ask('the transactions of a subscription', {
      path: address`/inApps/v2/history/${id}`,
      query: { productType: 'AUTO_RENEWABLE', ...(revision === null ? {} : { revision }) },
    })
    for (const signed of list(raw.signedTransactions)) {
      const transaction = payloadIn(signed)
      const isOurs = transaction.originalTransactionId === id
      if (isOurs && transaction.transactionId !== last.transactionId)
        changes.push(...paymentChanges({ transaction, renewal }))
    }
    const next = str(raw.revision)
    if (raw.hasMore !== true || next === null || next === revision) return changes
    revision = next
  }
}

/** https://developer.apple.com/documentation/appstoreserverapi/get-transaction-info */
async function readTransaction(ask: Rest['ask'], id: string): Promise<Fetched> {
  const { raw, at } = await ask<TransactionAnswer>('a transaction', {
    path: address`/inApps/v1/transactions/${id}`,
  })
  const { signedTransactionInfo } = raw
  return { changes: boughtChanges(boughtIn({ signedTransactionInfo }), { isLast: false }), at }
}

const jose = lazy(() => import('jose'))
// Apple accepts at most an hour.
const tokenSeconds = 1200

/** https://developer.apple.com/documentation/appstoreserverapi/generating-json-web-tokens-for-api-requests */
async function signToken({ secret, keyId, issuerId, bundleId, now }: AppleAccess) {
  const { importPKCS8, SignJWT } = await jose()
  const issued = Math.floor(now().getTime() / 1000)
  const token = await new SignJWT({ bid: bundleId })
    .setProtectedHeader({ alg: 'ES256', kid: keyId, typ: 'JWT' })
    .setIssuer(issuerId)
    .setIssuedAt(issued)
    .setExpirationTime(issued + tokenSeconds)
    .setAudience('appstoreconnect-v1')
    .sign(await importPKCS8(secret, 'ES256'))
  return { token, seconds: tokenSeconds }
}
