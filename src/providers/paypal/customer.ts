import type { CustomerChange, SubscriptionChange } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { placeIn } from '../place.ts'
import type { Person } from './payload.ts'

/** Returns the subscriber's contact, because PayPal sends no events about customers. */
export function contactOf(subscriber: Person): SubscriptionChange['contact'] {
  const email = str(subscriber.email_address)
  return email === null ? undefined : { email, name: nameOf(subscriber), ...placeOf(subscriber) }
}

/** Returns the payer's contact, as of the order. */
export function payerOf(payer: Person, at: string | null): CustomerChange[] {
  const [id, email] = [str(payer.payer_id), str(payer.email_address)]
  if (id === null || email === null) return []
  const data = { id, email, name: nameOf(payer), ...placeOf(payer), deleted: false }
  return [{ type: 'customer', id, stage: 'updated', data, ...(at === null ? {} : { at }) }]
}

/** Reads a person's place: of the address, else of the one for deliveries. */
export function placeOf(raw: Person): ReturnType<typeof placeIn> {
  const [own, delivery] = [obj(raw.address), obj(obj(raw.shipping_address).address)]
  const placed = placeIn(own.country_code, own.admin_area_1)
  return placed.place === undefined ? placeIn(delivery.country_code, delivery.admin_area_1) : placed
}

/** Returns a person's full name, as far as it is given. */
export function nameOf(raw: Person): string | null {
  const name = obj(raw.name)
  const parts = [str(name.given_name), str(name.surname)].filter((part) => part !== null)
  return str(name.full_name) ?? str(parts.join(' '))
}
