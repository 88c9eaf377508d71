import type Stripe from 'stripe'
import { MembershipError } from '../../errors.ts'
import type { Fetched, Ref } from '../contract.ts'
import { isObject, obj } from '../narrow.ts'
import { fetchedChange } from './changes.ts'

export interface StripeApiOptions {
  readonly secret: string
  readonly apiBase: string | undefined
  readonly now: () => Date
}

/** Stripe's API through its own package, which is loaded with the first call. */
export const createStripeApi = (options: StripeApiOptions) => {
  let client: Promise<Stripe> | undefined
  // `sk_live_…`, `rk_live_…`: https://docs.stripe.com/keys
  const isLive = /^[a-z]+_live_/.test(options.secret)
  const connect = () => {
    client ??= loadClient(options)
    return client
  }
  return {
    /** Reads one object as it is now; null when Stripe does not know it.
     *  @throws ERR_PROVIDER_ANSWER, and ERR_CONFIG when the package `stripe` is missing. */
    async fetch(ref: Ref): Promise<Fetched | null> {
      const api = await connect()
      const started = options.now().getTime()
      const answer = await retrieve(api, ref)
      if (answer === null) return null
      const ended = options.now().getTime()
      const change = fetchedChange(ref.kind, toPlain(answer), isLive)
      return {
        changes: change === null ? [] : [change],
        at: toMoment(answer.lastResponse?.headers?.date, { started, ended }),
      }
    },
  }
}

const loadClient = async ({ secret, apiBase }: StripeApiOptions): Promise<Stripe> => {
  const Client = (await import('stripe').catch(missing)).default
  return new Client(secret, {
    ...toAddress(apiBase),
    maxNetworkRetries: 2,
    timeout: 20_000,
    telemetry: false,
  })
}

const missing = (cause: unknown): never => {
  throw new MembershipError('ERR_CONFIG', 'The package "stripe" could not be loaded', {
    action: 'npm install stripe',
    cause,
  })
}

const toAddress = (apiBase: string | undefined) => {
  if (apiBase === undefined) return {}
  const { protocol, hostname, port } = new URL(apiBase)
  const scheme = protocol === 'http:' ? ('http' as const) : ('https' as const)
  return { protocol: scheme, host: hostname, port: port || (scheme === 'http' ? '80' : '443') }
}

type Answer = object & { lastResponse?: { headers?: Record<string, string> } }

const read: Record<Ref['kind'], (api: Stripe, id: string) => Promise<Answer>> = {
  subscription: (api, id) => api.subscriptions.retrieve(id),
  customer: (api, id) => api.customers.retrieve(id),
  charge: (api, id) => api.charges.retrieve(id),
  intent: (api, id) => api.paymentIntents.retrieve(id),
  // Since API 2025-03-31 an invoice names what paid it only here.
  invoice: (api, id) => api.invoices.retrieve(id, { expand: ['payments'] }),
  invoice_payment: (api, id) => api.invoicePayments.retrieve(id),
  checkout: (api, id) => api.checkout.sessions.retrieve(id, { expand: ['line_items'] }),
  refund: (api, id) => api.refunds.retrieve(id),
  dispute: (api, id) => api.disputes.retrieve(id),
}

const retrieve = async (api: Stripe, { kind, id }: Ref): Promise<Answer | null> => {
  try {
    return await read[kind](api, id)
  } catch (cause) {
    const error = isObject(cause) ? cause : obj(null)
    if (error.code === 'resource_missing' && error.statusCode === 404) return null
    const status = error.statusCode === undefined ? 'no answer' : `status ${error.statusCode}`
    // Stripe's own text may repeat the key, so it stays in `cause`.
    throw new MembershipError(
      'ERR_PROVIDER_ANSWER',
      `Stripe could not be asked for ${kind} ${id}: ${status}`,
      {
        action:
          error.statusCode === 401
            ? 'Check `membership.providers.stripe.secret`.'
            : 'It is tried again later.',
        cause,
      },
    )
  }
}

/** The JSON that came, without the package's own classes (decimals). */
const toPlain = (answer: Answer) => obj(JSON.parse(JSON.stringify(answer)))

/** No later than the moment at which Stripe read the object: its clock has whole seconds, and the call took time. */
const toMoment = (
  date: string | undefined,
  { started, ended }: { started: number; ended: number },
): string => {
  const answered = Date.parse(date ?? '')
  const base = Number.isNaN(answered) ? ended : answered
  return new Date(base - Math.max(0, ended - started) - 1000).toISOString()
}
