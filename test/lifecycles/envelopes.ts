import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import { createSigner } from '../../src/fakes/apple/signing.ts'
import { createFakeGoogle } from '../../src/fakes/google/index.ts'
import { signed } from '../../src/testkit/index.ts'
import { startObjects } from '../providers/mollie/objects.ts'
import { paypalSign, sandboxCertificate } from '../providers/paypal/certificate.ts'
import type { Played } from './lifecycle.ts'

type Fields = Readonly<Record<string, unknown>>
type Test = Pick<ExecutionContext, 'teardown'>

/** How a provider's messages are signed and posted, and what its API answers. */
export interface Envelope {
  readonly settings: Fields
  /** True for the stores of apps, whose purchases name the app's user. */
  readonly isStore: boolean
  /** True where a message only names what is then asked for. */
  readonly isAsked: boolean
  wrap(event: unknown): Promise<{ readonly body: Buffer; readonly headers: Readonly<Record<string, string>> }>
  /** Adds to what the API answers. */
  answer(more: Fields): void
  readonly acknowledged: readonly string[]
}

/** Opens the envelope of a provider; its API, where there is one, is closed with the test. */
export async function openEnvelope(t: Test, provider: Played, now: () => Date): Promise<Envelope> {
  switch (provider) {
    case 'apple':
      return apple(now)
    case 'google':
      return google(t, now)
    case 'mollie':
      return mollie(t, now)
    case 'revenuecat':
      return revenuecat(t, now)
    default:
      return signedBody(provider, now)
  }
}

const json = { 'content-type': 'application/json' }
const asked = { isStore: false, isAsked: false, acknowledged: [], answer: () => {} } as const

const webhooks: Partial<Record<Played, string>> = {
  paypal: '96605875FF6516633',
  polar: 'polar_whs_lifecycles-of-a-member',
  dodo: 'whsec_bGlmZWN5Y2xlcyBvZiBhIG1lbWJlcg==',
}

function signedBody(provider: Played, now: () => Date): Envelope {
  const webhook = webhooks[provider] ?? 'whsec_lifecycles'
  const isPayPal = provider === 'paypal'
  return {
    ...asked,
    settings: isPayPal ? { webhook, certificate: sandboxCertificate } : { webhook },
    wrap: async (event) => {
      const body = Buffer.from(JSON.stringify(event))
      const proof = isPayPal
        ? paypalSign(body, webhook, now())
        : signed(provider, body, { secret: webhook, now: now() }).headers
      return { body, headers: { ...json, ...proof } }
    },
  }
}

const signer = createSigner()
let notified = 0

/** https://developer.apple.com/documentation/appstoreservernotifications/responsebodyv2decodedpayload */
function apple(now: () => Date): Envelope {
  const bundleId = 'com.example.app'
  return {
    ...asked,
    isStore: true,
    settings: { webhook: bundleId, app_id: 1_234_567_890, root_certificate: signer.root },
    wrap: async (event) => {
      const { transaction, renewal, status, ...notification } = event as Fields
      const stamp = { bundleId, environment: 'Sandbox', signedDate: now().getTime() }
      const payload = {
        ...notification,
        notificationUUID: `00000000-0000-4000-8000-${String(++notified).padStart(12, '0')}`,
        version: '2.0',
        signedDate: now().getTime(),
        data: {
          bundleId,
          environment: 'Sandbox',
          status,
          signedTransactionInfo: signer.sign({ ...(transaction as Fields), ...stamp }),
          ...(renewal === undefined
            ? {}
            : { signedRenewalInfo: signer.sign({ ...(renewal as Fields), ...stamp }) }),
        },
      }
      return { body: Buffer.from(JSON.stringify({ signedPayload: signer.sign(payload) })), headers: json }
    },
  }
}

/** https://developer.android.com/google/play/billing/rtdn-reference */
async function google(t: Test, now: () => Date): Promise<Envelope> {
  const store = await createFakeGoogle({ products: {}, start: now() })
  t.teardown(() => store.close())
  const api = await openApi(t, now, async ({ method, url = '' }) => {
    const [, token] = /\/tokens\/([^:/]+):acknowledge$/.exec(url) ?? []
    if (method === 'POST' && token !== undefined) {
      acknowledged.push(decodeURIComponent(token))
      return {}
    }
    return url === '/token' ? { access_token: 'of-the-tests', expires_in: 3599 } : null
  })
  const acknowledged: string[] = []
  const account = JSON.parse(String(store.settings.secret)) as Fields
  return {
    isStore: true,
    isAsked: true,
    acknowledged,
    answer: api.answer,
    settings: {
      ...store.settings,
      secret: JSON.stringify({ ...account, token_uri: `${api.url}/token` }),
      api_base: api.url,
    },
    wrap: async (event) => {
      store.clock.moveTo(now().getTime())
      const notification = {
        version: '1.0',
        packageName: store.settings.package,
        eventTimeMillis: String(now().getTime()),
        ...(event as Fields),
      }
      const message = {
        data: Buffer.from(JSON.stringify(notification)).toString('base64'),
        messageId: String(++notified),
        publishTime: now().toISOString(),
      }
      const body = Buffer.from(
        JSON.stringify({ message, subscription: 'projects/example/subscriptions/play' }),
      )
      return { body, headers: { ...json, authorization: `Bearer ${await store.sign()}` } }
    },
  }
}

/** The classic webhook names a payment, and nothing else. */
async function mollie(t: Test, now: () => Date): Promise<Envelope> {
  const objects = await startObjects(t, now)
  return {
    ...asked,
    isAsked: true,
    settings: { secret: 'test_of_the_tests', api_base: `${objects.url}` },
    answer: (more) => objects.put(...Object.values(more)),
    wrap: async (event) => ({
      body: Buffer.from(String(event)),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  }
}

async function revenuecat(t: Test, now: () => Date): Promise<Envelope> {
  const webhook = 'a signing secret'
  const api = await openApi(t, now, async () => null)
  return {
    ...asked,
    isStore: true,
    isAsked: true,
    settings: { webhook, secret: 'sk_of_the_tests', project: 'proj1', api_base: api.url },
    answer: api.answer,
    wrap: async (event) => {
      const body = Buffer.from(JSON.stringify({ api_version: '1.0', event }))
      return {
        body,
        headers: { ...json, ...signed('revenuecat', body, { secret: webhook, now: now() }).headers },
      }
    },
  }
}

/** An API that answers by the end of the address; 404 for what no script gave. An answer with an `error` has its code. */
async function openApi(
  t: Test,
  now: () => Date,
  first: (request: IncomingMessage) => Promise<unknown>,
): Promise<{ readonly url: string; answer(more: Fields): void }> {
  const answers = new Map<string, unknown>()
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname)
    const found =
      (await first(request)) ?? [...answers].find(([end]) => path.endsWith(`/${end}`))?.[1] ?? null
    const { code = 200 } = ((found as { error?: { code?: number } } | null)?.error ?? {}) as { code?: number }
    response.writeHead(found === null ? 404 : code, { ...json, date: now().toUTCString() })
    response.end(JSON.stringify(found ?? {}))
  }).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (more) => {
      for (const [end, value] of Object.entries(more)) answers.set(end, value)
    },
  }
}
