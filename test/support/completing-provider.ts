import { z } from 'zod'
import { defineProvider, MembershipError } from '../../src/index.ts'
import type {
  Change,
  CheckoutRequest,
  CompleteRequest,
  Fetched,
  ProviderDefinition,
} from '../../src/providers/contract.ts'

/** An order at the counter: a buyer agrees to it, and only a call of the site takes the money. */
export interface Order {
  readonly id: string
  readonly request: CheckoutRequest
  state: 'created' | 'agreed' | 'paid'
  /** When that was last another. */
  at: string
  /** How often money was taken. */
  taken: number
}

/** The provider's side of `counter`, which leaves taking the money to the site, as PayPal's orders do. */
export function createCounter(now: () => Date, traits: Pick<ProviderDefinition, 'customers'> = {}) {
  const orders = new Map<string, Order>()
  const become = (order: Order, state: Order['state']): void => {
    Object.assign(order, { state, at: now().toISOString() })
  }
  const counter = {
    orders,
    /** Every key under which the money was to be taken. */
    keys: [] as string[],
    isAway: false,
    declines: false,
    /** Runs when the money is taken and before the site hears of it. */
    meanwhile: async (_request: CompleteRequest): Promise<void> => {},
    agree: () => {
      for (const order of orders.values()) if (order.state === 'created') become(order, 'agreed')
    },
    changesOf: (order: Order): Change[] => toChanges(order),
  }
  const answer = (order: Order | undefined): Fetched | null =>
    order ? { changes: toChanges(order), at: new Date(now().getTime() - 1000).toISOString() } : null
  const complete = async (request: CompleteRequest): Promise<Fetched | null> => {
    counter.keys.push(request.idempotencyKey)
    if (counter.isAway) throw new Error('not now')
    const order = orders.get(request.checkoutId)
    if (order?.state === 'agreed' && !request.isClosed) {
      if (counter.declines) {
        become(order, 'created')
        throw new MembershipError('ERR_PAYMENT_DECLINED', 'The bank said no.')
      }
      become(order, 'paid')
      order.taken++
      await counter.meanwhile(request)
    }
    return answer(order)
  }
  const definition = defineProvider({
    key: 'counter',
    ...traits,
    options: z.strictObject({}).prefault({}),
    create: () => ({
      key: 'counter',
      verify: () => '',
      read: ({ body }) => {
        const { id, changes } = JSON.parse(body.toString())
        const occurred_at = now().toISOString()
        return [{ id, type: 'said', occurred_at, livemode: null, object_id: null, object: changes }]
      },
      changes: ({ object }) => object as Change[],
      fetch: async ({ kind, id }) => (kind === 'checkout' ? answer(orders.get(id)) : null),
      checkout: async (request) => {
        const id = `order_${request.intentId}`
        if (!orders.has(id))
          orders.set(id, { id, request, state: 'created', at: now().toISOString(), taken: 0 })
        return {
          id,
          provider: 'counter',
          intent_id: request.intentId,
          mode: request.mode,
          price_id: request.priceId,
          quantity: request.quantity,
          url: `https://counter.example/${id}`,
          customer_id: null,
          email: null,
          status: 'open',
          expires_at: null,
          metadata: {},
        }
      },
      complete,
    }),
  })
  return Object.assign(counter, { definition })
}

function toChanges({ id, request, state, at }: Order): Change[] {
  const isPaid = state === 'paid'
  return [
    {
      type: 'money',
      kind: 'checkout',
      id,
      at,
      stage: 'updated',
      data: {
        id,
        intent_id: request.intentId,
        customer_id: 'c_ann',
        email: 'ann@example.com',
        name: 'Ann',
        amount: 900,
        currency: 'EUR',
        purpose: 'one_time',
        refs: [],
        state: isPaid ? 'paid' : 'pending',
        checkout_status: isPaid ? 'complete' : 'open',
        ...(isPaid ? { paid_at: '2026-03-01T12:00:00Z' } : {}),
      },
    },
  ]
}
