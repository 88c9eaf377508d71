import type { Charge, Dispute } from './types.ts'
import type { World } from './world.ts'

/** A buyer's bank takes the money back. https://docs.stripe.com/disputes/how-disputes-work */
export const openDispute = (world: World, charge: Charge, reason: string): Dispute => {
  if (!charge.paid || charge.disputed) throw new TypeError(`${charge.id} cannot be disputed`)
  world.change('charge', charge.id, { disputed: true })
  const dispute = world.add<'dispute'>(
    {
      id: world.ids('dp'),
      object: 'dispute',
      amount: charge.amount - charge.amount_refunded,
      charge: charge.id,
      created: world.clock.seconds(),
      currency: charge.currency,
      evidence_details: { due_by: world.clock.seconds() + 7 * 86_400, has_evidence: false },
      is_charge_refundable: false,
      livemode: false,
      metadata: {},
      payment_intent: charge.payment_intent,
      reason,
      status: 'needs_response',
    },
    'charge.dispute.created',
  )
  world.emit('charge.dispute.funds_withdrawn', dispute)
  return dispute
}

/** The bank has decided. */
export const endDispute = (world: World, id: string, outcome: 'won' | 'lost'): Dispute => {
  const before = world.store.get('dispute', id)
  if (before.status !== 'needs_response') throw new TypeError(`${id} is closed already`)
  const dispute = world.change('dispute', id, { status: outcome }, 'charge.dispute.updated')
  if (outcome === 'won') world.emit('charge.dispute.funds_reinstated', dispute)
  world.emit('charge.dispute.closed', dispute)
  return dispute
}
