import { toDecimal } from '../../providers/decimals.ts'
import { paypalDigits } from '../../providers/paypal/minor-units.ts'
import type { Customer, Invoice, Price, Subscription, World } from '../engine/index.ts'
import { type Account, type Notes, pageAndSubscription } from './account.ts'

type Json = Record<string, unknown>

/** Formats a moment as PayPal does. */
export function toTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
}

/** Formats an amount of version 2. */
export function toMoney(minor: number, currency: string): Json {
  return {
    currency_code: currency.toUpperCase(),
    value: toDecimal(minor, currency.toUpperCase(), paypalDigits),
  }
}

/** Builds the links of an object, by relation. */
export function linksOf(links: Readonly<Record<string, string>>): Json[] {
  return Object.entries(links).map(([rel, href]) => ({ href, rel, method: 'GET' }))
}

/** https://developer.paypal.com/docs/api/subscriptions/v1/#plans_get */
export function toPlan(world: World, price: Price): Json {
  const regular = {
    frequency: {
      interval_unit: price.rhythm?.interval.toUpperCase(),
      interval_count: price.rhythm?.interval_count,
    },
    tenure_type: 'REGULAR',
    total_cycles: 0,
    pricing_scheme: { fixed_price: toMoney(price.amount, price.currency) },
  }
  const trial =
    price.trial_days === null
      ? []
      : [
          {
            frequency: { interval_unit: 'DAY', interval_count: price.trial_days },
            tenure_type: 'TRIAL',
            sequence: 1,
            total_cycles: 1,
            ...(price.trial_amount === null
              ? {}
              : { pricing_scheme: { fixed_price: toMoney(price.trial_amount, price.currency) } }),
          },
        ]
  return {
    id: price.id,
    product_id: price.product,
    name: price.nickname ?? world.store.find('product', price.product)?.name ?? price.id,
    status: price.active ? 'ACTIVE' : 'INACTIVE',
    usage_type: 'LICENSED',
    quantity_supported: true,
    billing_cycles: [...trial, { ...regular, sequence: trial.length + 1 }],
    create_time: toTime(price.created),
  }
}

const words: Record<Subscription['status'], string> = {
  incomplete: 'ACTIVE',
  trialing: 'ACTIVE',
  active: 'ACTIVE',
  past_due: 'ACTIVE',
  unpaid: 'SUSPENDED',
  paused: 'SUSPENDED',
  canceled: 'CANCELLED',
  expired: 'EXPIRED',
}

/**
 * https://developer.paypal.com/docs/api/subscriptions/v1/#subscriptions_get; the plan is included on request.
 */
export function toSubscription(account: Account, id: string, fields: readonly string[] = []): Json {
  const { world, url } = account
  const { page, subscription } = pageAndSubscription(account, id)
  const notes = account.notesOf(id)
  const price = subscription?.items[0]?.price ?? world.store.get('price', page!.lines[0]!.price)
  const quantity = subscription?.items[0]?.quantity ?? page!.lines[0]!.quantity
  const created = page?.created ?? subscription!.created
  const status = subscription ? words[subscription.status] : notes.agreed ? 'APPROVED' : 'APPROVAL_PENDING'
  const customer = world.store.find('customer', subscription?.customer ?? null)
  return {
    id,
    plan_id: price.id,
    quantity: String(quantity),
    start_time: toTime(subscription?.trial_end ?? notes.start_time ?? created),
    create_time: toTime(created),
    update_time: toTime(notes.update_time ?? created),
    status,
    status_update_time: toTime(notes.status_update_time ?? created),
    ...(notes.status_change_note === undefined ? {} : { status_change_note: notes.status_change_note }),
    ...(notes.custom_id === undefined ? {} : { custom_id: notes.custom_id }),
    plan_overridden: false,
    shipping_amount: toMoney(0, price.currency),
    subscriber: toSubscriber(customer, notes),
    ...(subscription ? { billing_info: toBillingInfo(world, subscription) } : {}),
    ...(fields.includes('plan') ? { plan: toPlan(world, price) } : {}),
    links: linksOf({
      self: `${url}/v1/billing/subscriptions/${id}`,
      ...(subscription ? {} : { approve: `${url}/webapps/billing/subscriptions?ba_token=BA-${id}` }),
    }),
  }
}

function toSubscriber(customer: Customer | undefined, notes: Notes): Json {
  if (customer === undefined)
    return notes.subscriber_email === undefined ? {} : { email_address: notes.subscriber_email }
  const [given_name, surname] = (customer.name ?? 'Test Buyer').split(' ')
  return { email_address: customer.email, payer_id: customer.id, name: { given_name, surname } }
}

function toBillingInfo(world: World, subscription: Subscription): Json {
  const { id, currency, items, status } = subscription
  const invoices = world.store
    .list('invoice')
    .filter((invoice) => invoice.subscription === id && invoice.total > 0)
  const open = invoices.filter((invoice) => invoice.status === 'open' && invoice.was_tried)
  const paid = invoices.filter((invoice) => invoice.status === 'paid' && invoice.paid > 0)
  const last = paid.at(-1)
  const isRunning = status === 'active' || status === 'trialing' || status === 'past_due'
  const outstanding = open.reduce((sum, invoice) => sum + invoice.remaining, 0)
  return {
    outstanding_balance: toMoney(outstanding, currency),
    cycle_executions: [...trialOf(subscription), regularOf(invoices, trialOf(subscription).length)],
    ...(last ? { last_payment: { amount: toMoney(last.paid, currency), time: toTime(last.paid_at!) } } : {}),
    ...(isRunning && items[0] ? { next_billing_time: toTime(items[0].end) } : {}),
    // A charge counts once its second retry failed; until then only the last attempt shows it:
    // https://developer.paypal.com/docs/subscriptions/customize/payment-failure-retry/
    failed_payments_count: open.filter(({ attempts }) => attempts > retries).length,
    ...lastFailed(world, open.at(-1)),
  }
}

const retries = 2

function lastFailed(world: World, owed: Invoice | undefined): Json {
  if (owed?.first_failure == null) return {}
  const after = [0, ...world.settings.dunning.retryDays][owed.attempts - 1] ?? 0
  return {
    last_failed_payment: {
      amount: toMoney(owed.remaining, owed.currency),
      time: toTime(owed.first_failure + after * day),
      reason_code: 'PAYMENT_DENIED',
      ...(owed.next_try === null ? {} : { next_payment_retry_time: toTime(owed.next_try) }),
    },
  }
}

const day = 86_400

// Free days of the plan are a cycle; a delayed start is not.
function trialOf({ items, trial_end, status }: Subscription): Json[] {
  return trial_end === null || items[0]?.price.trial_days == null
    ? []
    : [
        {
          tenure_type: 'TRIAL',
          sequence: 1,
          cycles_completed: status === 'incomplete' ? 0 : 1,
          cycles_remaining: 0,
          total_cycles: 1,
        },
      ]
}

function regularOf(invoices: readonly Invoice[], trials: number): Json {
  return {
    tenure_type: 'REGULAR',
    sequence: trials + 1,
    // The first invoice of a plan with a trial pays for the trial.
    cycles_completed: invoices.filter(
      ({ status, reason }) => status === 'paid' && (trials === 0 || reason !== 'start'),
    ).length,
    cycles_remaining: 0,
    total_cycles: 0,
  }
}
