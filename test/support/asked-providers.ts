import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import { defineProvider, MembershipError, type Provider } from '../../src/index.ts'
import type { Fetched, ProviderDefinition, Ref, SubscriptionChange } from '../../src/providers/contract.ts'

/** A subscription as these providers have it. */
export interface Held {
  readonly id: string
  readonly email: string
  readonly price: string
  readonly status: 'active' | 'canceled'
}

/** The API of a provider whose deliveries do not prove what they say: objects by id, and who asked for them. */
export async function startAskedApi() {
  const objects = new Map<string, Held>()
  const asked: string[] = []
  const inHand = new Map<string, number>()
  const api = {
    url: '',
    objects,
    /** Every id that was asked for, in order. */
    asked,
    /** The most questions about one object that were open at once. */
    mostAtOnce: 0,
    isAway: false,
    /** Runs while a question is open; its answer is made up before that. */
    meanwhile: async (_id: string): Promise<void> => {},
    close: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
  const server = createServer(async (request, response) => {
    const id = request.url!.slice(1)
    asked.push(id)
    const open = (inHand.get(id) ?? 0) + 1
    inHand.set(id, open)
    api.mostAtOnce = Math.max(api.mostAtOnce, open)
    const held = objects.get(id)
    const { isAway } = api
    await api.meanwhile(id)
    inHand.set(id, inHand.get(id)! - 1)
    response.statusCode = isAway ? 503 : held ? 200 : 404
    response.end(JSON.stringify(held ?? {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  api.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return api
}
export type AskedApi = Awaited<ReturnType<typeof startAskedApi>>

function toChange({ id, email, price, status }: Held): SubscriptionChange {
  return {
    type: 'subscription',
    id,
    stage: 'updated',
    contact: { email, name: null },
    data: {
      id,
      customer_id: `c_${email}`,
      price_id: price,
      product_id: null,
      quantity: 1,
      items: [],
      status,
      provider_status: null,
      currency: 'EUR',
      unit_amount: 900,
      interval: 'month',
      interval_count: 1,
      started_at: '2026-01-01T00:00:00Z',
      trial_ends_at: null,
      current_period_start: null,
      current_period_end: '2099-01-01T00:00:00Z',
      cancel_at_period_end: false,
      cancel_at: null,
      canceled_at: null,
      ended_at: null,
      paused_at: null,
      resumes_at: null,
      metadata: {},
    },
  }
}

function asking(url: string, now: () => Date): NonNullable<Provider['fetch']> {
  return async ({ id }: Ref): Promise<Fetched | null> => {
    const began = now().getTime()
    const answer = await fetch(`${url}/${id}`)
    const text = await answer.text()
    if (answer.status === 404) return null
    if (!answer.ok) throw new Error(`answered ${answer.status}`)
    return {
      changes: [toChange(JSON.parse(text) as Held)],
      at: new Date(began - 1000).toISOString(),
    }
  }
}

function unreadable() {
  return new MembershipError('ERR_BODY_UNREADABLE', 'The body is nothing of ours.')
}
const options = z.strictObject({ api: z.string().optional() }).prefault({})

/** Sends `id=sub_…` as a form, signed by nobody, like Mollie's classic webhooks. */
export const pinged: ProviderDefinition = defineProvider({
  key: 'pinged',
  options,
  create: ({ options: { api }, now }) => ({
    key: 'pinged',
    trust: 'ping',
    verify: () => '',
    read: ({ body }) => {
      const ids = new URLSearchParams(body.toString()).getAll('id')
      if (ids.length === 0) throw unreadable()
      return ids.map((id) => ({
        id: null,
        type: 'ping',
        occurred_at: '',
        livemode: null,
        object_id: id,
        object: id,
      }))
    },
    changes: ({ object, type }) =>
      type === 'ping' && typeof object === 'string'
        ? [{ type: 'touch', ref: { kind: 'subscription', id: object } }]
        : [],
    ...(api === undefined ? {} : { fetch: asking(api, now) }),
  }),
})

/** Sends whole objects with a name and a password, and signs nothing, like Chargebee. */
export const credentialed: ProviderDefinition = defineProvider({
  key: 'credentialed',
  options,
  create: ({ options: { api }, now }) => ({
    key: 'credentialed',
    trust: 'credentials',
    verify: ({ headers }, secrets) => {
      const known = secrets.find(({ secret }) => headers.authorization === basic(secret))
      if (known) return known.label
      throw new MembershipError('ERR_WEBHOOK_SIGNATURE', 'Not these credentials.', {
        action: 'Compare them.',
      })
    },
    sign: (_body, secret) => ({ authorization: basic(secret) }),
    read: ({ body }) => {
      try {
        const { id, type, at, object } = JSON.parse(body.toString())
        return [{ id, type, occurred_at: at, livemode: null, object_id: null, object }]
      } catch {
        throw unreadable()
      }
    },
    changes: ({ type, object }) => {
      const held = z.object({ id: z.string(), email: z.string(), price: z.string() }).safeParse(object)
      if (!held.success || (type !== 'changed' && type !== 'deleted')) return []
      const status = type === 'deleted' ? 'canceled' : 'active'
      const change = toChange({ ...held.data, status })
      return [type === 'deleted' ? { ...change, stage: 'deleted' } : change]
    },
    ...(api === undefined ? {} : { fetch: asking(api, now) }),
  }),
})

function basic(secret: string): string {
  return `Basic ${Buffer.from(secret).toString('base64')}`
}
