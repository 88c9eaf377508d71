import { endSubscription } from './ending.ts'
import type { Customer, Metadata } from './objects.ts'
import type { World } from './world.ts'

/** A customer to create. */
export interface NewCustomer {
  email?: string | null
  name?: string | null
  metadata?: Metadata
  own?: Customer['own']
}

/** Creates a customer without card or credit, and reports it. */
export function addCustomer(world: World, given: NewCustomer): Customer {
  return world.add<'customer'>(
    {
      kind: 'customer',
      id: world.idFor('customer'),
      created: world.clock.seconds(),
      email: given.email ?? null,
      name: given.name ?? null,
      metadata: given.metadata ?? {},
      balance: 0,
      method: null,
      deleted: false,
      fails_next: false,
      own: given.own ?? {},
    },
    'customer added',
  )
}

/** A customer's other address or name. */
export interface CustomerChange {
  readonly email?: string
  readonly name?: string | null
}

/**
 * Changes a customer, and reports it.
 * @throws what `taken` makes, for an address of another customer
 */
export function updateCustomer(
  world: World,
  id: string,
  { email, name }: CustomerChange,
  taken: (other: Customer) => Error,
): Customer {
  const other =
    email === undefined
      ? undefined
      : world.store.having('customer', 'email', email).find((customer) => customer.id !== id)
  if (other !== undefined) throw taken(other)
  const patch = { ...(email === undefined ? {} : { email }), ...(name === undefined ? {} : { name }) }
  return world.change('customer', id, patch, 'customer changed')
}

/** Deletes a customer after ending all their subscriptions; the last event contains the whole customer. */
export function deleteCustomer(world: World, customer: Customer): Customer {
  for (const subscription of world.store.having('subscription', 'customer', customer.id))
    if (subscription.status !== 'canceled') endSubscription(world, subscription.id, null)
  world.tell('customer deleted', world.store.get('customer', customer.id))
  return world.store.put({ ...customer, deleted: true })
}

/**
 * Makes the next payment of this customer or subscription fail, whatever the card.
 * @throws TypeError for an id of neither
 */
export function failNext(world: World, id: string): void {
  if (world.store.find('customer', id)) world.change('customer', id, { fails_next: true })
  else if (world.store.find('subscription', id)) world.change('subscription', id, { fails_next: true })
  else throw new TypeError(`No customer and no subscription ${id}`)
}
