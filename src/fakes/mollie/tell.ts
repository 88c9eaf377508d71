import type { AnyObject, Fact, ServerContext, World } from '../engine/index.ts'
import { findPaying, type Paying } from './account.ts'
import type { FakeMollieOptions } from './options.ts'
import { type Shapes, statusOf } from './shapes.ts'

// Mollie sends events only about payments. https://docs.mollie.com/reference/webhooks
const reported: ReadonlySet<Fact> = new Set([
  'checkout completed',
  'checkout paid',
  'checkout failed',
  'checkout expired',
  'payment paid',
  'payment failed',
  'payment processing',
  'payment asks',
  'charge refunded',
  'dispute opened',
  'dispute won',
  'dispute lost',
])

/** Finds the payment that a fact is about; null if Mollie sends no event. */
function payingOf(world: World, fact: Fact, object: AnyObject): Paying | null {
  if (!reported.has(fact)) return null
  if (object.kind === 'checkout') return object
  // A payment on a page is reported by the page.
  if (object.kind === 'payment') return object.invoice !== null || object.own ? object : null
  if (object.kind === 'charge' || object.kind === 'dispute') return findPaying(world, object.payment) ?? null
  return null
}

/** Builds the events: a ping names the payment, an event contains or names it. */
export function createTeller(
  { ids, clock, messages }: Pick<ServerContext, 'ids' | 'clock' | 'messages'>,
  sends: FakeMollieOptions['sends'],
) {
  return (world: World, shapes: Shapes) =>
    (fact: Fact, object: AnyObject): void => {
      const paying = payingOf(world, fact, object)
      if (paying === null) return
      const created = clock.seconds()
      const id = ids('event', 20)
      if (sends === undefined || sends === 'classic') {
        messages.append({ id, type: 'ping', created, body: `id=${paying.id}` })
        return
      }
      const type = `payment.${statusOf(world, paying)}`
      const body = {
        resource: 'event',
        id,
        type,
        entityId: paying.id,
        createdAt: clock.now().toISOString(),
        ...(sends === 'events' ? { _embedded: { entity: shapes.payment(paying) } } : {}),
      }
      messages.append({ id, type, created, body: JSON.stringify(body) })
    }
}
