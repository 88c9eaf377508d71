import fc from 'fast-check'
import {
  chargeObject,
  checkoutObject,
  customerObject,
  disputeObject,
  intentObject,
  invoiceObject,
  invoicePaymentObject,
  month,
  priceObject,
  refundObject,
  start,
  stripeEvent,
  subscriptionItem,
  subscriptionObject,
} from './stripe-events.ts'

// A small Stripe: it keeps the objects, and every change of one emits the events that Stripe would.

type Raw = Record<string, unknown>
export type ModelEvent = ReturnType<typeof stripeEvent>

/** Before API 2025-03-31 (`old`) a subscription had the period and an invoice named its intent; `basil` is later. */
export type Shape = 'old' | 'basil'

/** What may happen; `pick` chooses the object among those that it can happen to. */
export type Action =
  | { do: 'subscribe'; pick: number; as: 'incomplete' | 'trialing' | 'active' }
  | { do: SubscriptionAction; pick: number }
  // Its customer is known from the start, from the checkout alone, or not at all.
  | {
      do: 'buy'
      pick: number
      customer: 'known' | 'late' | 'none'
      failures: number
      paid: boolean
    }
  | { do: 'address'; pick: number; to: string | null }
  | { do: 'pay again' | 'rename' | 'leave'; pick: number }
  | { do: 'refund'; pick: number; part: boolean; settles: 'now' | 'later' }
  | { do: 'settle refund' | 'fail refund'; pick: number }
  | { do: 'dispute' | 'win' | 'lose'; pick: number }
  | { do: 'wait'; ms: number }

type SubscriptionAction = (typeof subscriptionActions)[number]
const subscriptionActions = [
  'activate',
  'renew',
  'cancel at period end',
  'resume',
  'swap',
  'annotate',
  'past due',
  'pay overdue',
  'unpaid',
  'delete',
  'annotate ended',
  'create anew',
] as const

export const actions: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(200, 700, 1000, 5000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('subscribe' as const),
      pick: fc.nat(3),
      as: fc.constantFrom('incomplete' as const, 'trialing' as const, 'active' as const),
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom(...subscriptionActions), pick: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('buy' as const),
      pick: fc.nat(3),
      customer: fc.constantFrom('known' as const, 'late' as const, 'none' as const),
      failures: fc.nat(2),
      paid: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('address' as const),
      pick: fc.nat(3),
      to: fc.constantFrom(null, 'a@example.com', 'b@example.com'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('pay again' as const, 'rename' as const, 'leave' as const),
      pick: fc.nat(3),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      pick: fc.nat(3),
      part: fc.boolean(),
      settles: fc.constantFrom('now' as const, 'later' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'settle refund' as const,
        'fail refund' as const,
        'dispute' as const,
        'win' as const,
        'lose' as const,
      ),
      pick: fc.nat(3),
    }),
  },
)

export const histories = fc.record({
  shape: fc.constantFrom<Shape>('old', 'basil'),
  actions: fc.array(actions, { minLength: 2, maxLength: 14, size: 'max' }),
})

export type StripeModel = ReturnType<typeof createStripeModel>

export function createStripeModel(shape: Shape) {
  let ms = start * 1000
  const events: ModelEvent[] = []
  const objects = new Map<string, Raw>()
  const counts = new Map<string, number>()
  const seconds = () => Math.floor(ms / 1000)

  const nextId = (prefix: string): string => {
    const n = (counts.get(prefix) ?? 0) + 1
    counts.set(prefix, n)
    return `${prefix}_${n}`
  }
  const all = (type: string): Raw[] => [...objects.values()].filter((o) => o.object === type)
  const get = (id: unknown): Raw => {
    const found = objects.get(String(id))
    if (!found) throw new TypeError(`no object ${String(id)}`)
    return found
  }

  const emit = (type: string, object: Raw, previous?: Raw): void => {
    events.push(
      stripeEvent(type, render(object, shape), {
        id: nextId('evt'),
        created: seconds(),
        ...(previous ? { previous } : {}),
      }),
    )
  }
  const make = (type: string | null, object: Raw): Raw => {
    objects.set(String(object.id), object)
    if (type) emit(type, object)
    return object
  }
  /** Changes an object; an event of the type `…updated` tells what it was before, as Stripe's do. */
  const change = (id: unknown, patch: Raw, ...types: string[]): Raw => {
    const before = get(id)
    const after = { ...before, ...patch }
    objects.set(String(id), after)
    const previous = previousAttributes(render(before, shape), render(after, shape))
    for (const type of types) emit(type, after, type.endsWith('.updated') ? previous : undefined)
    return after
  }

  const customerOf = (pick: number): Raw => {
    const id = `cus_${pick + 1}`
    return (
      objects.get(id) ??
      make(
        'customer.created',
        customerObject({ id, created: seconds(), email: `${id}@example.com`, name: id }),
      )
    )
  }

  /** The customer is deleted; its subscriptions end first. */
  const leave = (customer: Raw): void => {
    for (const raw of all('subscription'))
      if (raw.customer === customer.id && raw.status !== 'canceled') lifecycle.delete.run(raw)
    change(customer.id, { deleted: true }, 'customer.deleted')
  }
  const stays = (pick: number): boolean => objects.get(`cus_${pick + 1}`)?.deleted !== true

  /** An invoice of a subscription with the payment that it asks for. */
  const bill = (subscription: Raw, paid: boolean): Raw => {
    const customer = subscription.customer
    const intent = make(
      'payment_intent.created',
      intentObject({
        id: nextId('pi'),
        created: seconds(),
        customer,
        amount: 900,
        amount_received: 0,
        latest_charge: null,
        status: 'requires_payment_method',
      }),
    )
    const id = nextId('in')
    const link = make(
      null,
      invoicePaymentObject({
        id: nextId('inpay'),
        created: seconds(),
        invoice: id,
        amount_paid: null,
        status: 'open',
        payment: { type: 'payment_intent', payment_intent: intent.id },
        status_transitions: { canceled_at: null, paid_at: null },
      }),
    )
    const invoice = make(
      'invoice.created',
      invoiceObject({
        id,
        created: seconds(),
        customer,
        customer_email: `${String(customer)}@example.com`,
        customer_name: customer,
        status: 'draft',
        amount_paid: 0,
        status_transitions: { paid_at: null },
        // Not Stripe's: where the other shapes are made from.
        model: {
          intent: intent.id,
          subscription: subscription.id,
          link: link.id,
          price: priceOf(subscription).id,
        },
      }),
    )
    change(id, { status: 'open' }, 'invoice.finalized')
    if (paid) payInvoice(id)
    else {
      tryToPay(intent.id, false)
      emit('invoice.payment_failed', get(id))
    }
    return invoice
  }

  const payInvoice = (id: unknown): void => {
    const { intent, link } = get(id).model as Record<string, string>
    tryToPay(intent, true)
    change(
      id,
      { status: 'paid', amount_paid: 900, status_transitions: { paid_at: seconds() } },
      'invoice.paid',
    )
    change(
      link,
      { status: 'paid', amount_paid: 900, status_transitions: { canceled_at: null, paid_at: seconds() } },
      ...(shape === 'basil' ? ['invoice_payment.paid'] : []),
    )
    emit('invoice.payment_succeeded', get(id))
  }

  /** One charge of an intent, which fails or succeeds. */
  const tryToPay = (intentId: unknown, succeeds: boolean): void => {
    const intent = get(intentId)
    const id = nextId('ch')
    const checkout = all('checkout.session').find((raw) => raw.payment_intent === intentId)
    const email = `${String(intent.customer ?? checkout?.customer ?? intentId)}@example.com`
    make(
      succeeds ? 'charge.succeeded' : 'charge.failed',
      chargeObject({
        id,
        created: seconds(),
        amount: intent.amount,
        amount_captured: succeeds ? intent.amount : 0,
        billing_details: { email, name: null },
        customer: intent.customer,
        payment_intent: intentId,
        paid: succeeds,
        status: succeeds ? 'succeeded' : 'failed',
      }),
    )
    if (succeeds)
      change(
        intentId,
        { status: 'succeeded', amount_received: intent.amount, latest_charge: id, last_payment_error: null },
        'payment_intent.succeeded',
      )
    else
      change(
        intentId,
        {
          status: 'requires_payment_method',
          latest_charge: id,
          last_payment_error: { code: 'card_declined' },
        },
        'payment_intent.payment_failed',
      )
  }

  const buy = ({ pick, customer: which, failures, paid }: Action & { do: 'buy' }): void => {
    const customer = which === 'none' ? null : customerOf(pick).id
    const intent = make(
      'payment_intent.created',
      intentObject({
        id: nextId('pi'),
        created: seconds(),
        customer: which === 'known' ? customer : null,
        amount_received: 0,
        latest_charge: null,
        status: 'requires_payment_method',
      }),
    )
    const email = `${String(customer ?? intent.id)}@example.com`
    make(
      null,
      checkoutObject({
        id: nextId('cs'),
        created: seconds(),
        customer,
        customer_details: { email, name: null },
        metadata: { price_id: 'price_book' },
        payment_intent: intent.id,
        payment_status: 'unpaid',
        status: 'open',
        line_items: {
          object: 'list',
          data: [{ id: 'li_1', price: priceObject({ id: 'price_book' }), quantity: 1 }],
        },
      }),
    )
    for (let i = 0; i < failures; i++) tryToPay(intent.id, false)
    if (paid) payIntent(intent.id)
  }

  const payIntent = (id: unknown): void => {
    tryToPay(id, true)
    const session = all('checkout.session').find((s) => s.payment_intent === id)
    if (session)
      change(session.id, { payment_status: 'paid', status: 'complete' }, 'checkout.session.completed')
  }

  const refund = (charge: Raw, { part, settles }: Action & { do: 'refund' }): void => {
    const left = Number(charge.amount) - Number(charge.amount_refunded)
    const amount = part ? Math.ceil(left / 2) : left
    const total = Number(charge.amount_refunded) + amount
    make(
      'refund.created',
      refundObject({
        id: nextId('re'),
        created: seconds(),
        amount,
        charge: charge.id,
        payment_intent: charge.payment_intent,
        status: settles === 'now' ? 'succeeded' : 'pending',
      }),
    )
    change(charge.id, { amount_refunded: total, refunded: total === charge.amount }, 'charge.refunded')
  }

  // No event tells that the charge counts less again.
  const failRefund = (raw: Raw): void => {
    change(raw.id, { status: 'failed' }, 'refund.updated', 'refund.failed')
    const charge = get(raw.charge)
    change(charge.id, {
      amount_refunded: Number(charge.amount_refunded) - Number(raw.amount),
      refunded: false,
    })
  }

  const subscribe = ({ pick, as }: Action & { do: 'subscribe' }): void => {
    const id = nextId('sub')
    const trial = as === 'trialing' ? { trial_start: seconds(), trial_end: seconds() + month } : {}
    const subscription = make(
      'customer.subscription.created',
      subscriptionObject({
        id,
        customer: customerOf(pick).id,
        created: seconds(),
        start_date: seconds(),
        status: as,
        items: items(id, 'price_gold', seconds()),
        metadata: { b: '1', a: '2' },
        ...trial,
      }),
    )
    if (as !== 'trialing') bill(subscription, as === 'active')
  }

  const startOf = (subscription: Raw): number => Number(itemOf(subscription).current_period_start)
  const unpaidInvoice = (subscription: Raw): Raw | undefined =>
    all('invoice').find((i) => (i.model as Raw).subscription === subscription.id && i.status === 'open')

  const updated = 'customer.subscription.updated'
  const lifecycle: Record<SubscriptionAction, { on: readonly string[]; run: (raw: Raw) => unknown }> = {
    activate: {
      on: ['incomplete', 'trialing'],
      run: (raw) => {
        const due = unpaidInvoice(raw)
        if (due) payInvoice(due.id)
        change(raw.id, { status: 'active' }, updated)
      },
    },
    renew: {
      on: ['active'],
      run: (raw) => {
        change(raw.id, { items: items(raw.id, priceOf(raw).id, startOf(raw) + month) }, updated)
        bill(get(raw.id), true)
      },
    },
    'cancel at period end': {
      on: ['active', 'trialing', 'past_due'],
      run: (raw) =>
        change(
          raw.id,
          { cancel_at_period_end: true, cancel_at: startOf(raw) + month, canceled_at: seconds() },
          updated,
        ),
    },
    resume: {
      on: ['active', 'trialing', 'past_due'],
      run: (raw) =>
        change(raw.id, { cancel_at_period_end: false, cancel_at: null, canceled_at: null }, updated),
    },
    swap: {
      on: ['active', 'trialing'],
      run: (raw) => {
        const price = priceOf(raw).id === 'price_gold' ? 'price_silver' : 'price_gold'
        change(raw.id, { items: items(raw.id, price, startOf(raw)) }, updated)
      },
    },
    annotate: {
      on: ['active', 'trialing', 'past_due', 'unpaid'],
      run: (raw) => {
        const { note, ...rest } = raw.metadata as Record<string, string>
        change(raw.id, { metadata: note ? rest : { note: 'x', ...rest } }, updated)
      },
    },
    'past due': {
      on: ['active'],
      run: (raw) => {
        bill(raw, false)
        change(raw.id, { status: 'past_due' }, updated)
      },
    },
    'pay overdue': {
      on: ['past_due', 'unpaid'],
      run: (raw) => {
        const due = unpaidInvoice(raw)
        if (due) payInvoice(due.id)
        change(raw.id, { status: 'active' }, updated)
      },
    },
    unpaid: { on: ['past_due'], run: (raw) => change(raw.id, { status: 'unpaid' }, updated) },
    delete: {
      on: ['active', 'trialing', 'past_due', 'unpaid', 'incomplete'],
      run: (raw) =>
        change(
          raw.id,
          { status: 'canceled', ended_at: seconds(), canceled_at: seconds() },
          'customer.subscription.deleted',
        ),
    },
    'annotate ended': {
      on: ['canceled'],
      run: (raw) =>
        change(raw.id, { metadata: { ...(raw.metadata as Raw), ended: nextId('note') } }, updated),
    },
    'create anew': {
      on: ['canceled'],
      run: (raw) =>
        get(raw.customer).deleted !== true &&
        change(
          raw.id,
          {
            status: 'active',
            ended_at: null,
            canceled_at: null,
            cancel_at: null,
            cancel_at_period_end: false,
            start_date: seconds(),
            items: items(raw.id, 'price_gold', seconds()),
          },
          'customer.subscription.created',
        ),
    },
  }

  const choose = (candidates: readonly Raw[], pick: number, run: (raw: Raw) => unknown): unknown => {
    const item = candidates[pick % Math.max(1, candidates.length)]
    return item && run(item)
  }

  const act = (action: Action): unknown => {
    const isTheirs = ['subscribe', 'buy', 'rename', 'address', 'leave'].includes(action.do)
    if (isTheirs && 'pick' in action && !stays(action.pick)) return null
    switch (action.do) {
      case 'wait':
        ms += action.ms
        return ms
      case 'subscribe':
        return subscribe(action)
      case 'buy':
        return buy(action)
      case 'rename':
        return change(customerOf(action.pick).id, { name: nextId('name') }, 'customer.updated')
      case 'address':
        return change(customerOf(action.pick).id, { email: action.to }, 'customer.updated')
      case 'leave':
        return leave(customerOf(action.pick))
      case 'pay again':
        return choose(
          all('payment_intent').filter(
            (i) => i.status !== 'succeeded' && all('checkout.session').some((s) => s.payment_intent === i.id),
          ),
          action.pick,
          (raw) => payIntent(raw.id),
        )
      case 'refund':
        return choose(
          all('charge').filter((c) => c.paid === true && Number(c.amount_refunded) < Number(c.amount)),
          action.pick,
          (raw) => refund(raw, action),
        )
      case 'settle refund':
        return choose(
          all('refund').filter((r) => r.status === 'pending'),
          action.pick,
          (raw) => change(raw.id, { status: 'succeeded' }, 'refund.updated', 'charge.refund.updated'),
        )
      case 'fail refund':
        return choose(
          all('refund').filter((r) => r.status !== 'failed'),
          action.pick,
          failRefund,
        )
      case 'dispute':
        return choose(
          all('charge').filter((c) => c.paid === true && c.disputed === false),
          action.pick,
          (raw) => {
            change(raw.id, { disputed: true })
            make(
              'charge.dispute.created',
              disputeObject({
                id: nextId('dp'),
                created: seconds(),
                amount: raw.amount,
                charge: raw.id,
                payment_intent: raw.payment_intent,
              }),
            )
          },
        )
      case 'win':
      case 'lose':
        return choose(
          all('dispute').filter((d) => d.status === 'needs_response'),
          action.pick,
          (raw) => change(raw.id, { status: action.do === 'win' ? 'won' : 'lost' }, 'charge.dispute.closed'),
        )
      default:
        return choose(
          all('subscription').filter((s) => lifecycle[action.do].on.includes(String(s.status))),
          action.pick,
          lifecycle[action.do].run,
        )
    }
  }

  return {
    events,
    act,
    all,
    now: () => new Date(ms),
    pass: (more: number) => {
      ms += more
    },
    /** An object as the API answers it now, in the newest shape. */
    read: (id: string): Raw | null => {
      const object = objects.get(id)
      return object ? render(object, 'basil', (key) => get(key)) : null
    },
  }
}

function itemOf(subscription: Raw): Raw {
  return (subscription.items as { data: Raw[] }).data[0] ?? {}
}
function priceOf(subscription: Raw): { id: string } {
  return itemOf(subscription).price as { id: string }
}

function items(subscription: unknown, price: string, from: number): Raw {
  return {
    object: 'list',
    data: [
      subscriptionItem({
        id: `si_${String(subscription)}`,
        subscription,
        price: priceObject({ id: price }),
        current_period_start: from,
        current_period_end: from + month,
      }),
    ],
  }
}

/** The object as an endpoint of that API version gets it; `find` only where the API expands. */
function render(object: Raw, shape: Shape, find?: (id: unknown) => Raw): Raw {
  const copy = structuredClone(object)
  // Events bring a deleted customer whole, the API does not.
  if (find && copy.deleted === true) return { id: copy.id, object: copy.object, deleted: true }
  delete copy.deleted
  if (copy.object === 'subscription' && shape === 'old') {
    const item = itemOf(copy)
    copy.current_period_start = item.current_period_start
    copy.current_period_end = item.current_period_end
    delete item.current_period_start
    delete item.current_period_end
  }
  // Line items are in no event.
  if (copy.object === 'checkout.session' && !find) delete copy.line_items
  if (copy.object === 'invoice') renderInvoice(copy, shape, find)
  return copy
}

function renderInvoice(invoice: Raw, shape: Shape, find?: (id: unknown) => Raw): void {
  const { intent, subscription, link, price } = invoice.model as Record<string, string>
  delete invoice.model
  const line = (invoice.lines as { data: Raw[] }).data[0] ?? {}
  if (shape === 'old') {
    delete invoice.parent
    delete line.parent
    delete line.pricing
    line.price = priceObject({ id: price })
    invoice.subscription = subscription
    invoice.payment_intent = intent
    return
  }
  invoice.parent = { type: 'subscription_details', subscription_details: { metadata: {}, subscription } }
  line.parent = {
    type: 'subscription_item_details',
    subscription_item_details: { proration: false, subscription, subscription_item: `si_${subscription}` },
  }
  line.pricing = { type: 'price_details', price_details: { price, product: 'prod_gold' } }
  if (find) invoice.payments = { object: 'list', data: [structuredClone(find(link))] }
}

/** What changed, as it was: whole lists, but of other objects only what changed; null for what was not there. */
function previousAttributes(before: Raw, after: Raw): Raw {
  const previous: Raw = {}
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[key], after[key]]
    if (JSON.stringify(was) === JSON.stringify(is)) continue
    previous[key] = key === 'metadata' ? previousAttributes(was as Raw, is as Raw) : (was ?? null)
  }
  return previous
}
