import { createPublicKey } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { jwtVerify } from 'jose'
import type { FakeClock } from '../engine/index.ts'

/** A notification as it is posted. */
export interface FakeNotification {
  readonly id: string
  readonly type: string
  readonly subtype: string | null
  readonly body: Buffer
  readonly at: number
}

/** A purchase with its transactions, oldest first. */
export interface Held {
  readonly id: string
  product: string
  next: string
  readonly token: string | null
  readonly isShared: boolean
  readonly environment: 'Production' | 'Sandbox'
  readonly transactions: Record<string, unknown>[]
  /** Apple's number: https://developer.apple.com/documentation/appstoreserverapi/status */
  status: 1 | 2 | 3 | 4 | 5
  autoRenew: boolean
  graceEnd: number | null
  priceIncrease: 0 | 1 | null
  expirationIntent: number | null
}

/** A purchase as Apple signs it. */
export interface SignedPurchase {
  readonly status: number
  readonly signedTransactionInfo: string
  readonly signedRenewalInfo: string
}

/** The key that requests have to be signed with. */
interface Access {
  readonly keyId: string
  readonly issuerId: string
  readonly secret: string
  readonly bundleId: string
}

interface Api {
  readonly store: {
    readonly clock: FakeClock
    readonly notifications: readonly FakeNotification[]
    signedOf(id: string, transactionId?: string): SignedPurchase
  }
  readonly held: ReadonlyMap<string, Held>
  /** Each environment has its own address, and knows nothing of the other's purchases. */
  readonly environment: Held['environment']
  readonly access: Access
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

/**
 * Serves the part of the App Store Server API that a site reads.
 * https://developer.apple.com/documentation/appstoreserverapi
 */
export async function startApi(api: Api): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer(async (request, response) => {
    const { status, body } = await answer(api, request)
    response.writeHead(status, {
      'content-type': 'application/json',
      date: api.store.clock.now().toUTCString(),
    })
    response.end(status === 401 ? '' : JSON.stringify(body))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

async function answer(api: Api, request: IncomingMessage): Promise<Answer> {
  if (!(await isAdmitted(api, request))) return { status: 401, body: null }
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const [, kind, id] = /^\/inApps\/v1\/(subscriptions|transactions)\/([^/]+)$/.exec(pathname) ?? []
  if (request.method === 'GET' && kind === 'subscriptions') return subscriptions(api, id ?? '')
  if (request.method === 'GET' && kind === 'transactions') return transaction(api, id ?? '')
  const [, ofWhom] = /^\/inApps\/v2\/history\/([^/]+)$/.exec(pathname) ?? []
  if (request.method === 'GET' && ofWhom !== undefined) return transactions(api, ofWhom, searchParams)
  if (request.method === 'POST' && pathname === '/inApps/v1/notifications/history')
    return history(api, JSON.parse(await textOf(request)), searchParams.get('paginationToken'))
  return { status: 404, body: { errorCode: 4_040_000, errorMessage: 'Not found.' } }
}

/** https://developer.apple.com/documentation/appstoreserverapi/generating-json-web-tokens-for-api-requests */
async function isAdmitted({ access, store }: Api, { headers }: IncomingMessage): Promise<boolean> {
  try {
    const token = (headers.authorization ?? '').replace(/^Bearer /, '')
    const { payload, protectedHeader } = await jwtVerify(token, createPublicKey(access.secret), {
      algorithms: ['ES256'],
      issuer: access.issuerId,
      audience: 'appstoreconnect-v1',
      currentDate: store.clock.now(),
    })
    const seconds = (payload.exp ?? Number.POSITIVE_INFINITY) - (payload.iat ?? 0)
    return protectedHeader.kid === access.keyId && payload.bid === access.bundleId && seconds <= 3600
  } catch {
    return false
  }
}

const unknown: Answer = {
  status: 404,
  body: { errorCode: 4_040_010, errorMessage: 'Transaction id not found.' },
}

function holderOf({ held, environment }: Api, transactionId: string): Held | undefined {
  return [...held.values()].find(
    (item) =>
      item.environment === environment &&
      item.transactions.some((known) => known.transactionId === transactionId),
  )
}

/** All that one person bought. */
function ownOf({ held }: Api, item: Held): Held[] {
  const own = [...held.values()].filter(({ token }) => token !== null && token === item.token)
  return own.length === 0 ? [item] : own
}

function subscriptions(api: Api, id: string): Answer {
  const item = holderOf(api, id)
  if (item === undefined) return unknown
  // The answer has every subscription of the person, by group.
  const shown = ownOf(api, item)
  return {
    status: 200,
    body: {
      environment: item.transactions[0]?.environment,
      bundleId: api.access.bundleId,
      data: [
        {
          subscriptionGroupIdentifier: '20900001',
          lastTransactions: shown
            .filter(({ transactions }) => transactions[0]?.type === 'Auto-Renewable Subscription')
            .map(({ id }) => ({ originalTransactionId: id, ...api.store.signedOf(id) })),
        },
      ],
    },
  }
}

function transaction(api: Api, id: string): Answer {
  const item = holderOf(api, id)
  if (item === undefined) return unknown
  const { signedTransactionInfo } = api.store.signedOf(item.id, id)
  return { status: 200, body: { signedTransactionInfo } }
}

const pageSize = 20

/**
 * Every transaction of one person, also refunded ones, oldest first.
 * https://developer.apple.com/documentation/appstoreserverapi/get-transaction-history
 */
function transactions(api: Api, id: string, asked: URLSearchParams): Answer {
  const item = holderOf(api, id)
  if (item === undefined) return unknown
  const types = asked.getAll('productType')
  const all = ownOf(api, item).flatMap((own) =>
    own.transactions
      .filter(({ type }) => types.length === 0 || types.includes(productTypes[String(type)] ?? ''))
      .map(({ transactionId }) => api.store.signedOf(own.id, String(transactionId)).signedTransactionInfo),
  )
  const from = Number(asked.get('revision')?.replace('revision-', '') ?? 0)
  const next = Math.min(all.length, from + pageSize)
  return {
    status: 200,
    body: {
      revision: `revision-${next}`,
      hasMore: all.length > next,
      bundleId: api.access.bundleId,
      environment: item.environment,
      signedTransactions: all.slice(from, next),
    },
  }
}

/** https://developer.apple.com/documentation/appstoreserverapi/producttype */
const productTypes: Readonly<Record<string, string>> = {
  'Auto-Renewable Subscription': 'AUTO_RENEWABLE',
  'Non-Renewing Subscription': 'NON_RENEWABLE',
  'Non-Consumable': 'NON_CONSUMABLE',
  Consumable: 'CONSUMABLE',
}

/** https://developer.apple.com/documentation/appstoreserverapi/get-notification-history */
function history(
  { store }: Api,
  asked: { startDate: number; endDate: number },
  token: string | null,
): Answer {
  const all = store.notifications.filter(({ at }) => at >= asked.startDate && at <= asked.endDate)
  const from = token === null ? 0 : Number(token.replace('page-', ''))
  const hasMore = all.length > from + pageSize
  return {
    status: 200,
    body: {
      paginationToken: hasMore ? `page-${from + pageSize}` : null,
      hasMore,
      notificationHistory: all.slice(from, from + pageSize).map(({ body }) => ({
        ...JSON.parse(body.toString()),
        sendAttempts: [],
      })),
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}
