import type { Charge, Dispute, Metadata, Refund } from './objects.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

/** Finds the charge of an id: its own, the newest of a payment, or that of a page. */
export function findCharge({ store }: World, id: string): Charge | undefined {
  const payment =
    store.find('payment', id) ?? store.find('payment', store.find('checkout', id)?.payment ?? null)
  return store.find('charge', id) ?? store.find('charge', payment?.charge ?? null)
}

/** Refunds a charge; all that is left by default. @throws Refusal */
export function refund(
  world: World,
  charge: Charge,
  given: { amount?: number; reason?: string; metadata?: Metadata } = {},
): Refund {
  const left = charge.amount - charge.refunded
  const amount = given.amount ?? left
  if (charge.status !== 'paid') throw new Refusal('not paid', { charge: charge.id })
  if (charge.disputed) throw new Refusal('charged back', { charge: charge.id })
  if (left === 0) throw new Refusal('refunded already', { charge: charge.id })
  if (amount < 1) throw new Refusal('no amount')
  if (amount > left) throw new Refusal('more than is left', { amount, left })
  const made = world.add<'refund'>(
    {
      kind: 'refund',
      id: world.idFor('refund'),
      created: world.clock.seconds(),
      charge: charge.id,
      payment: charge.payment,
      amount,
      currency: charge.currency,
      reason: given.reason ?? null,
      metadata: given.metadata ?? {},
    },
    'refund made',
  )
  world.change('charge', charge.id, { refunded: charge.refunded + amount }, 'charge refunded')
  return made
}

/**
 * Opens a dispute: the buyer's bank takes the money back.
 * @throws TypeError for a charge that is not paid, or disputed already
 */
export function openDispute(world: World, charge: Charge, reason: string): Dispute {
  if (charge.status !== 'paid' || charge.disputed) throw new TypeError(`${charge.id} cannot be disputed`)
  world.change('charge', charge.id, { disputed: true })
  return world.add<'dispute'>(
    {
      kind: 'dispute',
      id: world.idFor('dispute'),
      created: world.clock.seconds(),
      charge: charge.id,
      payment: charge.payment,
      amount: charge.amount - charge.refunded,
      currency: charge.currency,
      reason,
      status: 'open',
    },
    'dispute opened',
  )
}

/** Ends a dispute with the bank's decision. @throws TypeError when it was decided before */
export function endDispute(world: World, id: string, outcome: 'won' | 'lost'): Dispute {
  if (world.store.get('dispute', id).status !== 'open') throw new TypeError(`${id} is closed already`)
  return world.change('dispute', id, { status: outcome }, `dispute ${outcome}`)
}
