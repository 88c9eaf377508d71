import { z } from 'zod'
import type { Price } from '../../core/dto/index.ts'
import { lazy } from '../../core/lazy.ts'
import { apiBase, webhookTolerance } from '../api-keys.ts'
import type { Provider, ProviderContext } from '../contract.ts'
import { defineProvider } from '../define.ts'
import { createPayPalApi, type PayPalApi, paypalHost } from './api.ts'
import { paypalPrices } from './catalogue.ts'
import { createCertificates } from './certificates.ts'
import { readChain } from './chain.ts'
import { paypalChanges } from './changes.ts'
import { completePayPal } from './complete.ts'
import { connectPayPal, paypalEndpoints } from './endpoints.ts'
import { listAll } from './list.ts'
import { paypalDigits } from './minor-units.ts'
import { createPostBack } from './post-back.ts'
import { pullEvents } from './pull.ts'
import { readPayPal } from './read.ts'
import { createObjects } from './read-objects.ts'
import { refundPayPal } from './refunds.ts'
import { paypalSecrets } from './secrets.ts'
import { paypalSessions } from './sessions.ts'
import { paypalSubscriptions } from './subscriptions.ts'
import { verifyPayPal } from './verify.ts'

const options = z.object({
  client_id: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Client ID of the app in PayPal’s Developer Dashboard. With `secret` PayPal can be asked, and sells.',
    ),
  secret: z.string().min(1).optional().describe('The secret of the same app.'),
  api_base: apiBase,
  // PayPal repeats deliveries for three days, and does not say if they keep the old time.
  webhook_tolerance: webhookTolerance(345_600),
  certificate: z
    .string()
    .optional()
    .describe(
      'The certificate that signs webhooks, as PEM, where a server cannot fetch it from PayPal. It changes whenever PayPal renews it.',
    ),
})

type Options = z.infer<typeof options>

/**
 * PayPal: subscriptions and orders, which buyers approve on its pages and we complete; refunds and disputes.
 */
export const paypal = defineProvider({
  key: 'paypal',
  lacks: {
    discount: 'This package asks it for no discount on a running subscription.',
    resume:
      'PayPal ends a cancelled subscription at once and for good; it stays open until the end of what is paid. One that was suspended goes on.',
    change_now:
      'PayPal charges no difference: another plan or quantity is agreed to on its page, and counts from the next payment on.',
    pause:
      'PayPal suspends at once and goes on only when somebody says so: no pause that ends by itself can be promised.',
    open_invoice:
      'PayPal has no page for an open payment. It retries by itself, and buyers choose another way to pay in their own accounts.',
    customer: 'PayPal’s buyers keep their name and address themselves.',
    bills: 'PayPal lists no bills of a buyer.',
  },
  options,
  mode: 'host',
  // No limit is published; traffic that looks like abuse is limited.
  rate: {
    requests: 5,
    seconds: 1,
    source: 'https://developer.paypal.com/reference/guidelines/rate-limiting/',
  },
  secrets: paypalSecrets,
  minorDigits: paypalDigits,
  create: (context: ProviderContext<Options>): Provider => {
    const { webhook_tolerance: toleranceSeconds, certificate } = context.options
    const { livemode, plans } = context
    const fetched = createCertificates({ base: context.options.api_base })
    const own = lazy(() => readChain(certificate ?? ''))
    const find = certificate === undefined ? fetched : async () => own()
    const priceOf = (id: string) =>
      plans()
        .flatMap(({ prices }) => prices)
        .find((price) => price.id === id)
    // Without credentials, only PayPal's webhooks are received.
    const api = toApi(context)
    const postBack = api && createPostBack(api)
    return {
      key: 'paypal',
      verify: (delivery, secrets, now) =>
        verifyPayPal({ delivery, secrets, now, toleranceSeconds, find, livemode, postBack }),
      read: readPayPal,
      changes: (event) => paypalChanges(event, priceOf),
      ...(api && calls(api, context, priceOf)),
    }
  },
  testMode: { base: () => paypalHost(false), proof: 'host' },
  fake: async () => (await import('../../fakes/paypal/index.ts')).createFakePayPal,
})

function toApi({ options, livemode, now }: ProviderContext<Options>): PayPalApi | undefined {
  const { client_id: clientId, secret, api_base: base = paypalHost(livemode ?? false) } = options
  return clientId === undefined || secret === undefined
    ? undefined
    : createPayPalApi({ clientId, secret, base, now })
}

/** Methods that need credentials. */
function calls(
  api: PayPalApi,
  { livemode, now, log }: ProviderContext<Options>,
  priceOf: (id: string) => Price | undefined,
): Partial<Provider> {
  const objects = createObjects(api, priceOf)
  return {
    // The signature covers the body only by its CRC-32, so the headers of one delivery can be used with a
    // forged body. An event therefore only says what to fetch.
    trust: 'credentials',
    fetch: objects.fetch,
    ...paypalSessions(api, { now, priceOf }),
    complete: (request) => completePayPal(api, objects, request),
    capabilities: { takes_back_end: false, changes_now: false, asks_buyer: true, choose_amount: 'once' },
    ...paypalSubscriptions({ api, objects, priceOf, now }, livemode ?? false),
    refund: (request) => refundPayPal(api, objects, request),
    trialAmount: 'of_price',
    prices: () => paypalPrices(api),
    list: (from) => listAll({ api, objects, log, now }, from),
    pull: (since) => pullEvents(api, since, { now }),
    endpoints: () => paypalEndpoints(api),
    connect: (request) => connectPayPal(api, request),
  }
}
