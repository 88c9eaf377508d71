import type Stripe from 'stripe'
import { MembershipError } from '../../core/errors.ts'
import { nextTurn } from '../../core/jobs/pacing.ts'
import { loadFromSite } from '../../core/package-folder.ts'
import { createRecent } from '../../core/recent.ts'
import { createAnswerMoments } from '../answer-moments.ts'
import { type Answer as Answered, allPages } from '../api.ts'
import { type ApiWords, toApiError } from '../api-errors.ts'
import type { Change, Fetched, Ref } from '../contract.ts'
import { idOf, list, obj, str } from '../narrow.ts'
import { fetchedChange } from './changes.ts'
import { type StripeKind, stripeKindOf, toRef } from './facts.ts'
import { type AskAll, isExcerpt, type Part, withWholeLists } from './long-lists.ts'
import type { Charge, InvoicePayment, ListAnswer, Price, StripeObjects, Subscription } from './payload.ts'
import { stripeSecrets } from './secrets.ts'
import { hidesAmount, withPrice } from './subscription.ts'

/** Names of Stripe's API in error messages. */
export const stripeWords: ApiWords = {
  name: 'Stripe',
  option: 'membership.providers.stripe.secret',
  keys: 'the Stripe dashboard (Developers, API keys)',
  requests: 'in the Stripe dashboard under Developers, Logs',
}

export interface StripeApiOptions {
  readonly secret: string
  readonly apiBase: string | undefined
  readonly now: () => Date
}

/** Stripe's API through its own package, which is loaded with the first call. */
export interface StripeApi {
  /**
   * Makes one call, and returns the answer as plain JSON. `what` names it in the error.
   * @throws ERR_PROVIDER_ANSWER, ERR_PAYMENT_DECLINED, and ERR_CONFIG when the package `stripe` is missing
   */
  ask<T = unknown>(what: string, call: (api: Stripe) => Promise<object>): Promise<Answered<T>>
  /**
   * Reads every object of a list, all pages, as of the moment of the first.
   * @throws as `ask`
   */
  askAll: AskAll
  /** Changes one object, and returns it as ledger changes, with all its lists. @throws as `ask` */
  done(kind: StripeKind, what: string, call: (api: Stripe) => Promise<object>): Promise<Fetched>
  /** Fetches the current state of one object; null when Stripe does not know it. @throws as `ask` */
  fetch(ref: Ref): Promise<Fetched | null>
  /** Returns the package's client, for reading lists. */
  client(): Promise<Stripe>
  /** Reads changes from one raw object, after fetching the missing parts of its lists. @throws as `ask` */
  wholeChanges<K extends StripeKind>(kind: K, raw: StripeObjects[K]): Promise<readonly Change[]>
}

/**
 * Creates the client. Nothing is loaded or requested before the first call; the key shows the mode, live or
 * test.
 */
export function createStripeApi(options: StripeApiOptions): StripeApi {
  let client: Promise<Stripe> | undefined
  const isLive = stripeSecrets.livemode(options.secret) === true
  const connect = () => {
    client ??= loadClient(options)
    return client
  }
  const toChange = <K extends StripeKind>(kind: K, raw: StripeObjects[K]) => fetchedChange(kind, raw, isLive)

  const momentOf = createAnswerMoments(options.now)

  const carryOut = async <T>(
    what: string,
    call: (api: Stripe) => Promise<object>,
    kind: 'read' | 'write',
  ): Promise<Answered<T>> => {
    const api = await connect()
    await nextTurn()
    const { answer, at } = await momentOf(kind, async () => {
      const answer: Answer = await call(api).catch((error: unknown) => {
        throw toApiError(stripeWords, what, error)
      })
      return { answer, date: answer.lastResponse?.headers?.date }
    })
    return { raw: toPlain(answer) as T, at }
  }
  const ask = <T = unknown>(what: string, call: (api: Stripe) => Promise<object>) =>
    carryOut<T>(what, call, 'read')
  const askAll = <T>(what: string, page: (api: Stripe, part: Part) => Promise<object>) =>
    allPages<T>(async (after) => {
      const part: Part = { limit: 100, ...(after === null ? {} : { starting_after: after }) }
      const { raw, at } = await ask<ListAnswer<{ readonly id?: unknown }>>(what, (api) => page(api, part))
      const items = list(raw.data)
      const next = raw.has_more === true ? str(items.at(-1)?.id) : null
      return { items: items as readonly T[], at, next }
    })
  const wholeChanges = async <K extends StripeKind>(kind: K, raw: StripeObjects[K]): Promise<Change[]> => {
    const listed = await withWholeLists(askAll, kind, raw)
    const whole = kind === 'subscription' ? await withAmount(listed as Subscription) : listed
    // No event contained those beyond the tenth.
    const refunds = kind === 'charge' && isExcerpt(kind, raw) ? list((whole as Charge).refunds) : []
    return [toChange(kind, whole), ...refunds.map((refund) => toChange('refund', refund))].filter(
      (change) => change !== null,
    )
  }
  // A price that is sold in several currencies lists the others on request only, and a list of subscriptions cannot
  // ask that deep: https://docs.stripe.com/api/expanding_objects
  const amounts = createRecent<Price>(1000, 60_000)
  const withAmount = async (raw: Subscription): Promise<Subscription> => {
    const id = hidesAmount(raw) ? idOf(list(raw.items)[0]?.price) : null
    if (id === null) return raw
    const price =
      amounts.get(id) ??
      (await ask<Price>(`price ${id}`, (api) =>
        api.prices.retrieve(id, { expand: ['currency_options'] }),
      ).then((answer) => answer.raw, noneIfRefused))
    if (price === null) return raw
    amounts.set(id, price)
    return withPrice(raw, price)
  }
  const read = async <K extends StripeKind>(
    kind: K,
    { raw, at }: Answered<StripeObjects[K]>,
  ): Promise<Fetched> => ({
    changes: await wholeChanges(kind, raw),
    at,
  })
  return {
    ask,
    askAll,
    done: async (kind, what, call) =>
      read(kind, await carryOut<StripeObjects[typeof kind]>(what, call, 'write')),
    client: connect,
    wholeChanges,
    fetch: async (ref) => {
      try {
        const kind = stripeKindOf(ref)
        const fetched = await read(
          kind,
          await ask<StripeObjects[typeof kind]>(`${kind} ${ref.id}`, (api) => reads[kind](api, ref.id)),
        )
        const more = await billedBy(askAll, fetched.changes[0], isLive)
        return { ...fetched, changes: [...fetched.changes, ...more] }
      } catch (error) {
        if (error instanceof MembershipError && isMissing(error.cause)) return null
        throw error
      }
    },
  }
}

async function loadClient({ secret, apiBase }: StripeApiOptions): Promise<Stripe> {
  const Client = load()
  return new Client(secret, {
    ...toAddress(apiBase),
    maxNetworkRetries: 2,
    timeout: 20_000,
    telemetry: false,
  })
}

function load(): typeof Stripe {
  try {
    // With require(), the module is the class itself or contains it, depending on the version.
    const loaded = loadFromSite('stripe') as typeof Stripe & { default?: typeof Stripe }
    return loaded.default ?? loaded
  } catch (cause) {
    throw missing(cause)
  }
}

function missing(cause: unknown): MembershipError {
  return new MembershipError('ERR_CONFIG', 'The package "stripe" could not be loaded', {
    action: 'npm install stripe',
    cause,
  })
}

function toAddress(apiBase: string | undefined) {
  if (apiBase === undefined) return {}
  const { protocol, hostname, port } = new URL(apiBase)
  const scheme = protocol === 'http:' ? ('http' as const) : ('https' as const)
  return { protocol: scheme, host: hostname, port: port || (scheme === 'http' ? '80' : '443') }
}

type Answer = object & { lastResponse?: { headers?: Record<string, string> } }

const reads: Record<StripeKind, (api: Stripe, id: string) => Promise<Answer>> = {
  // Events contain only the ids of both.
  subscription: (api, id) => api.subscriptions.retrieve(id, { expand: ['schedule', 'latest_invoice'] }),
  customer: (api, id) => api.customers.retrieve(id),
  charge: (api, id) => api.charges.retrieve(id, { expand: ['refunds'] }),
  intent: (api, id) => api.paymentIntents.retrieve(id),
  // Since API 2025-03-31 an invoice names its payment only here.
  invoice: (api, id) => api.invoices.retrieve(id, { expand: ['payments'] }),
  invoice_payment: (api, id) => api.invoicePayments.retrieve(id),
  // A session does not show a failed debit, but the objects that it created do.
  checkout: (api, id) =>
    api.checkout.sessions.retrieve(id, { expand: ['line_items', 'payment_intent', 'subscription'] }),
  refund: (api, id) => api.refunds.retrieve(id),
  dispute: (api, id) => api.disputes.retrieve(id),
}

/** Returns the received JSON, without the package's own classes (decimals). */
function toPlain(answer: Answer) {
  return obj(JSON.parse(JSON.stringify(answer)))
}

/**
 * Finds the purpose of a payment intent that does not contain it: the invoices that it pays, or, without any,
 * a one-time purchase. Since API 2025-03-31 only this list shows it; older versions lack the list.
 * https://docs.stripe.com/api/invoice-payment/list
 */
export async function billedBy(
  askAll: AskAll,
  change: Change | undefined,
  livemode: boolean,
): Promise<readonly Change[]> {
  if (change?.type !== 'money' || change.part !== 'collection') return []
  if (change.data.state !== 'paid' || change.data.purpose !== undefined) return []
  const { id } = change
  const all = await askAll<InvoicePayment>(`the invoices of intent ${id}`, (api, part) =>
    api.invoicePayments.list({ payment: { type: 'payment_intent', payment_intent: id }, ...part }),
  ).then((answer) => answer.all, noneIfMissing)
  if (all === null) return []
  return all.length === 0 ? [boughtOnce(id, livemode)] : all.flatMap((item) => linked(item, livemode))
}

// The amount stays unknown. Everything else that the answer says counts, also after a change that was carried out.
function noneIfRefused(error: unknown): null {
  if (error instanceof MembershipError) return null
  throw error
}

function linked(raw: InvoicePayment, livemode: boolean): Change[] {
  const [link, invoice] = [fetchedChange('invoice_payment', raw, livemode), idOf(raw.invoice)]
  return [
    ...(link === null ? [] : [link]),
    ...(invoice === null ? [] : [{ type: 'touch', ref: toRef('invoice', invoice) } as const]),
  ]
}

function boughtOnce(intent: string, livemode: boolean): Change {
  const id = `unbilled:${intent}`
  const data = {
    livemode,
    id,
    refs: [toRef('intent', intent)],
    state: 'succeeded',
    purpose: 'one_time',
  } as const
  return { type: 'money', kind: 'link', id, stage: 'updated', data }
}

function noneIfMissing(error: unknown): null {
  if (error instanceof MembershipError && isMissing(error.cause)) return null
  throw error
}

/** Returns true if Stripe does not have the object: `resource_missing` with status 404. */
export function isMissing(cause: unknown): boolean {
  const error = obj(cause)
  return error.code === 'resource_missing' && error.statusCode === 404
}
