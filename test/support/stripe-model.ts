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

type Fields = Record<string, unknown>
export type StripeEvent = ReturnType<typeof stripeEvent>

/** What may happen to a customer, and how many seconds after the last thing: mostly none, as in life. */
export interface Step {
  readonly does: (typeof actions)[number]
  readonly after: number
}

const actions = [
  'cancel',
  'resume',
  'swap',
  'renew',
  'fail',
  'recover',
  'trial',
  'quantity',
  'end',
  'recreate',
  'buy',
  'refund',
  'refund-part',
  'refund-fails',
  'dispute',
  'win',
  'lose',
  'note',
] as const

export const history = fc.array(
  fc.record({
    does: fc.constantFrom(...actions),
    after: fc.oneof(
      { weight: 5, arbitrary: fc.constant(0) },
      { weight: 2, arbitrary: fc.constant(1) },
      fc.constant(2),
      fc.constant(86_400),
    ),
  }),
  { minLength: 1, maxLength: 14 },
)

/** A small Stripe: its objects as they are now, and every event that it sent. Time is in whole seconds, as its is. */
export const createStripeModel = (name: string) => {
  const objects = new Map<string, Fields>()
  const events: StripeEvent[] = []
  let time = start
  let counter = 0
  const customer = `cus_${name}`
  const sub = `sub_${name}`

  const emit = (type: string, object: Fields, previous?: Fields) =>
    events.push(
      stripeEvent(type, structuredClone(object), { id: `evt_${name}_${++counter}`, created: time, previous }),
    )
  const put = (object: Fields) => objects.set(String(object.id), object)
  const get = (id: string) => objects.get(id)

  /** Changes an object and sends its event with what it was before, as Stripe does. */
  const update = (id: string, type: string, change: Fields) => {
    const before = get(id)!
    const previous = Object.fromEntries(
      Object.keys(change)
        .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(change[key]))
        .map((key) => [key, before[key]]),
    )
    const after = { ...before, ...change }
    put(after)
    if (Object.keys(previous).length > 0) emit(type, after, type.endsWith('.deleted') ? undefined : previous)
  }
  const changeSub = (change: Fields) => {
    if (get(sub)?.status !== 'canceled') update(sub, 'customer.subscription.updated', change)
  }

  const createSub = (status = 'active') => {
    const made = subscriptionObject({
      id: sub,
      customer,
      status,
      created: time,
      start_date: time,
      items: items('price_gold', time, 1),
      latest_invoice: null,
    })
    put(made)
    emit('customer.subscription.created', made)
  }
  const items = (price: string, from: number, quantity: number) => ({
    object: 'list',
    data: [
      subscriptionItem({
        id: `si_${name}`,
        subscription: sub,
        quantity,
        current_period_start: from,
        current_period_end: from + month,
        price: priceObject({ id: price }),
      }),
    ],
  })

  const pay = (invoiced: boolean) => {
    const n = ++counter
    const ids = {
      intent: `pi_${name}_${n}`,
      charge: `ch_${name}_${n}`,
      invoice: `in_${name}_${n}`,
      session: `cs_${name}_${n}`,
    }
    const common = { customer, created: time }
    const charge = chargeObject({ ...common, id: ids.charge, payment_intent: ids.intent })
    const intent = intentObject({
      ...common,
      id: ids.intent,
      latest_charge: null,
      status: 'requires_payment_method',
      amount_received: 0,
    })
    put(intent)
    emit('payment_intent.created', intent)
    put(charge)
    emit('charge.succeeded', charge)
    update(ids.intent, 'payment_intent.succeeded', {
      status: 'succeeded',
      amount_received: 4900,
      latest_charge: ids.charge,
    })
    if (invoiced) {
      const invoice = invoiceObject({
        ...common,
        id: ids.invoice,
        customer_email: `${name}@example.com`,
        parent: { type: 'subscription_details', subscription_details: { subscription: sub } },
      })
      const link = invoicePaymentObject({
        id: `inpay_${name}_${n}`,
        invoice: ids.invoice,
        payment: { type: 'payment_intent', payment_intent: ids.intent },
        created: time,
      })
      put(invoice)
      put(link)
      emit('invoice.paid', invoice)
      emit('invoice_payment.paid', link)
    } else {
      const session = checkoutObject({
        ...common,
        id: ids.session,
        payment_intent: ids.intent,
        metadata: { price_id: 'price_book' },
        customer_details: { email: `${name}@example.com`, name },
      })
      put(session)
      emit('checkout.session.completed', session)
    }
  }
  const lastCharge = () => [...objects.values()].filter((o) => o.object === 'charge').at(-1)
  const refund = (part: boolean) => {
    const charge = lastCharge()
    if (!charge) return
    const left = Number(charge.amount) - Number(charge.amount_refunded)
    const amount = part ? Math.floor(left / 2) : left
    if (amount <= 0) return
    const made = refundObject({
      id: `re_${name}_${++counter}`,
      charge: charge.id,
      payment_intent: charge.payment_intent,
      amount,
      created: time,
    })
    put(made)
    emit('refund.created', made)
    const total = Number(charge.amount_refunded) + amount
    update(String(charge.id), 'charge.refunded', {
      amount_refunded: total,
      refunded: total === charge.amount,
    })
  }
  const failRefund = () => {
    const made = [...objects.values()].filter((o) => o.object === 'refund' && o.status === 'succeeded').at(-1)
    if (!made) return
    update(String(made.id), 'refund.failed', { status: 'failed' })
    const charge = get(String(made.charge))!
    update(String(charge.id), 'charge.updated', {
      amount_refunded: Number(charge.amount_refunded) - Number(made.amount),
      refunded: false,
    })
  }
  const dispute = () => {
    const charge = lastCharge()
    if (!charge || [...objects.values()].some((o) => o.object === 'dispute' && o.charge === charge.id)) return
    const made = disputeObject({
      id: `dp_${name}_${++counter}`,
      charge: charge.id,
      payment_intent: charge.payment_intent,
      created: time,
    })
    put(made)
    emit('charge.dispute.created', made)
  }
  const close = (status: string) => {
    const open = [...objects.values()].find((o) => o.object === 'dispute' && o.status === 'needs_response')
    if (open) update(String(open.id), 'charge.dispute.closed', { status })
  }

  const period = () =>
    (get(sub)!.items as { data: { current_period_end: number }[] }).data[0]?.current_period_end ?? time
  const price = () =>
    (get(sub)!.items as { data: { price: { id: string } }[] }).data[0]?.price.id ?? 'price_gold'
  const does: Record<Step['does'], () => void> = {
    cancel: () => changeSub({ cancel_at_period_end: true, canceled_at: time }),
    resume: () => changeSub({ cancel_at_period_end: false, canceled_at: null }),
    swap: () =>
      changeSub({ items: items(price() === 'price_gold' ? 'price_silver' : 'price_gold', time, 1) }),
    quantity: () => changeSub({ items: items(price(), time, 3) }),
    renew: () => {
      if (get(sub)?.status === 'canceled') return
      pay(true)
      changeSub({ status: 'active', items: items(price(), period(), 1) })
    },
    fail: () => changeSub({ status: 'past_due' }),
    recover: () => changeSub({ status: 'active' }),
    trial: () => changeSub({ status: 'trialing', trial_end: time + 604_800 }),
    note: () => changeSub({ metadata: { note: String(counter) } }),
    end: () => {
      if (get(sub)?.status !== 'canceled')
        update(sub, 'customer.subscription.deleted', {
          status: 'canceled',
          ended_at: time,
          canceled_at: time,
        })
    },
    recreate: () => {
      if (get(sub)?.status === 'canceled') createSub()
    },
    buy: () => pay(false),
    refund: () => refund(false),
    'refund-part': () => refund(true),
    'refund-fails': failRefund,
    dispute,
    win: () => close('won'),
    lose: () => close('lost'),
  }

  const person = customerObject({ id: customer, email: `${name}@example.com`, name, created: time })
  put(person)
  emit('customer.created', person)
  createSub()

  return {
    objects,
    events,
    play: (steps: readonly Step[]) => {
      for (const step of steps) {
        time += step.after
        does[step.does]()
      }
    },
    get time() {
      return time
    },
  }
}
export type StripeModel = ReturnType<typeof createStripeModel>
