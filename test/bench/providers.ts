import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MembershipOptions } from '../../src/index.ts'
import { definitions } from '../../src/testkit/definitions.ts'
import { signed } from '../../src/testkit/signed.ts'
import { chargebeeEvent, chargebeeSubscription } from '../providers/chargebee/events.ts'
import { creemEvent, creemSubscription } from '../providers/creem/events.ts'
import { dodoEvent, dodoSubscription } from '../providers/dodo/events.ts'
import { lemonEvent, lemonSubscription } from '../providers/lemonsqueezy/events.ts'
import { paddleEvent, paddleSubscription } from '../providers/paddle/events.ts'
import { paypalSign, sandboxCertificate } from '../providers/paypal/certificate.ts'
import { paypalEvent, paypalSubscription } from '../providers/paypal/events.ts'
import { polarEvent, polarSubscription } from '../providers/polar/events.ts'
import { stripeEvent, subscriptionObject } from '../support/stripe-events.ts'
import { customers, median } from './events.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const begin = Date.parse('2026-03-01T12:00:00Z')
// Texts in the size of Stripe's.
const bytes = 3600

interface Subscription {
  readonly id: number
  readonly iso: string
  readonly seconds: number
}

/** One message about a subscription as each provider sends it, newer than those before. */
const messages: Readonly<Record<string, (of: Subscription, padding: object) => unknown>> = {
  stripe: ({ id, seconds }, padding) =>
    stripeEvent(
      'customer.subscription.updated',
      subscriptionObject({ id: `sub_${id}`, customer: `cus_${id}`, ...padding }),
      { id: `evt_${id}_${seconds}`, created: seconds },
    ),
  paddle: ({ id, iso }, padding) =>
    paddleEvent(
      'subscription.updated',
      iso,
      paddleSubscription({ id: `sub_${id}`, customer_id: `ctm_${id}`, updated_at: iso, ...padding }),
    ),
  paypal: ({ id, iso }, padding) =>
    paypalEvent(
      'BILLING.SUBSCRIPTION.UPDATED',
      iso,
      paypalSubscription({ id: `I-${id}`, update_time: iso, ...padding }),
    ),
  polar: ({ id, iso }, padding) =>
    polarEvent(
      'subscription.updated',
      iso,
      polarSubscription({ id: `sub_${id}`, customer_id: `cus_${id}`, modified_at: iso, ...padding }),
    ),
  chargebee: ({ id, seconds }, padding) =>
    chargebeeEvent('subscription_changed', seconds, {
      subscription: chargebeeSubscription({
        id: `sub_${id}`,
        customer_id: `cus_${id}`,
        resource_version: seconds * 1000,
        updated_at: seconds,
        ...padding,
      }),
    }),
  lemonsqueezy: ({ id, iso }, padding) =>
    lemonEvent(
      'subscription_updated',
      lemonSubscription({ id: String(id), customer_id: id, order_id: id, updated_at: iso, ...padding }),
    ),
  dodo: ({ id, iso }, padding) =>
    dodoEvent('subscription.updated', iso, dodoSubscription({ subscription_id: `sub_${id}`, ...padding })),
  creem: ({ id, iso }, padding) =>
    creemEvent(
      'subscription.update',
      iso,
      creemSubscription({ id: `sub_${id}`, updated_at: iso, ...padding }),
    ),
}

/** Events of one provider and what they cost, beside Stripe's of the same run. */
interface Rate {
  readonly key: string
  readonly perSecond: number
  readonly cpuMicroseconds: number
  readonly ofStripe: number
  /** Read and written for an event, beside what the housekeeping asks for. */
  readonly statements: number
}

/** Gives each provider's verified messages to the built package, in turn and again in each round. Pings are no messages:
 *  what they cost is the answer to a question. */
export const benchProviders = async (input: {
  which: string
  rounds: number
  events: number
}): Promise<void> => {
  const { which, rounds, events } = input
  const known = Object.keys(messages)
  if (which !== 'all' && !known.includes(which))
    throw new Error(`--provider all, or one of ${known.join(', ')}; those that only ping have no messages`)
  const keys = which === 'all' ? known : [...new Set(['stripe', which])]
  const folder = await mkdtemp(join(tmpdir(), 'membership-providers-'))
  const sites = await Promise.all(keys.map((key) => openSite(key, join(folder, `${key}.db`))))
  const measured = new Map(keys.map((key) => [key, [] as { cpu: number; wall: number }[]]))
  for (let round = 0; round <= rounds; round++)
    for (const site of sites) {
      const one = await site.take(round * events, events)
      // Round 0 warms up and is not counted.
      if (round > 0) measured.get(site.key)!.push(one)
    }
  // After the last round, so that counting costs no measured event anything.
  const counted = new Map<string, number>()
  for (const { key, statements } of sites) counted.set(key, await statements((rounds + 1) * events))
  for (const { close } of sites) await close()
  await rm(folder, { recursive: true })
  const costs = (key: string) => measured.get(key)!.map(({ cpu }) => cpu)
  print(
    keys.map((key) => ({
      key,
      perSecond: median(measured.get(key)!.map(({ wall }) => events / wall)),
      cpuMicroseconds: median(costs(key)) / events,
      // Within a round, so that what the machine did meanwhile met both.
      ofStripe: median(costs(key).map((cpu, round) => cpu / costs('stripe')[round]!)),
      statements: counted.get(key)!,
    })),
  )
}

/** One site with one provider; `take` has events signed before its clock starts. */
const openSite = async (key: string, file: string) => {
  const built = new URL('../../dist/index.js', import.meta.url).href
  const { createMembership } = (await import(built)) as typeof import('../../src/index.ts')
  const m = await createMembership({
    'membership.database.url': `sqlite:${file}`,
    [`membership.providers.${key}.webhook`]: secret,
    [`membership.providers.${key}.livemode`]: false,
    ...more[key],
    install: false,
    root: false,
    log: () => {},
  })
  const take = async (first: number, count: number): Promise<{ cpu: number; wall: number }> => {
    const deliveries = Array.from({ length: count }, (_, i) => deliveryOf(key, first + i))
    const [cpu, wall] = [process.cpuUsage(), performance.now()]
    let next = 0
    const sender = async () => {
      for (let one = deliveries[next++]; one; one = deliveries[next++]) {
        const outcome = await m.webhooks.receive(key, one)
        if (outcome !== 'processed') throw new Error(`${key}: an event was ${outcome}`)
      }
    }
    await Promise.all(Array.from({ length: 16 }, sender))
    const { user, system } = process.cpuUsage(cpu)
    return { cpu: user + system, wall: (performance.now() - wall) / 1000 }
  }
  const statements = async (first: number): Promise<number> => {
    const { all, commit } = m.storage
    let count = 0
    m.storage.all = (statement, params) => {
      if (!statement.name.includes('claim')) count++
      return all(statement, params)
    }
    m.storage.commit = (unit) => {
      count += unit.length
      return commit(unit)
    }
    await take(first, customers)
    return count / customers
  }
  return { key, take, statements, close: m.close }
}

const more: Readonly<Record<string, MembershipOptions>> = {
  paypal: { 'membership.providers.paypal.certificate': sandboxCertificate },
}

const deliveryOf = (key: string, n: number) => {
  const at = begin + n * 1000
  const of = {
    id: n % customers,
    iso: new Date(at).toISOString(),
    seconds: Math.floor(at / 1000),
  }
  const make = (of: Subscription, padding: object) => withOwner(messages[key]!(of, padding), of.id)
  const missing = Math.max(0, bytes - make(of, {}).length)
  const body = Buffer.from(make(of, { padding: 'x'.repeat(missing) }))
  return key === 'paypal'
    ? { body, headers: paypalSign(body, secret, new Date()) }
    : signed(definitions.find((one) => one.key === key)!, body, { secret })
}

/** Somebody and a first payment of its own for each subscription, where a message names them. */
const withOwner = (message: unknown, id: number): string =>
  JSON.stringify(message)
    .replaceAll(/ann@example\.com/g, `member${id}@example.com`)
    .replaceAll('PAYERANN', `PAYER${id}`)
    .replaceAll(/"(cus|cust|chk|cks|ch|tran|txn|ord|pay)_1"/g, `"$1_${id}"`)

const print = (rates: readonly Rate[]): void => {
  console.log(
    '\n### Webhooks by provider, SQLite\n\n| provider | events/s | CPU µs an event | of Stripe’s | statements an event |\n|---|---|---|---|---|',
  )
  for (const { key, perSecond, cpuMicroseconds, ofStripe, statements } of rates)
    console.log(
      `| ${key} | ${Math.round(perSecond)} | ${Math.round(cpuMicroseconds)} | ${ofStripe.toFixed(2)} | ${statements.toFixed(1)} |`,
    )
}
