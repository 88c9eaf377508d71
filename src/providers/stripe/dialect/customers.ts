import { cancelNow } from './ending.ts'
import type { Customer, Metadata } from './types.ts'
import type { World } from './world.ts'

export interface NewCustomer {
  email?: string | null
  name?: string | null
  phone?: string | null
  description?: string | null
  metadata?: Metadata
}

/** Makes a customer without a card and without credit, and tells of it. */
export const addCustomer = (world: World, given: NewCustomer): Customer =>
  world.add<'customer'>(
    {
      id: world.ids('cus', 14),
      object: 'customer',
      address: null,
      balance: 0,
      created: world.clock.seconds(),
      currency: null,
      default_source: null,
      delinquent: false,
      description: given.description ?? null,
      email: given.email ?? null,
      invoice_settings: { default_payment_method: null },
      livemode: false,
      metadata: given.metadata ?? {},
      name: given.name ?? null,
      phone: given.phone ?? null,
      preferred_locales: [],
      tax_exempt: 'none',
    },
    'customer.created',
  )

/** Ends all their subscriptions at once. https://docs.stripe.com/api/customers/delete */
export const deleteCustomer = (world: World, customer: Customer): void => {
  for (const one of world.store.list('subscription'))
    if (one.customer === customer.id && one.status !== 'canceled') cancelNow(world, one.id, null)
  // The event shows all of it, the API nothing any more.
  world.emit('customer.deleted', world.store.get('customer', customer.id))
  world.store.put({ ...customer, deleted: true })
}
