import type { CustomerChange } from '../contract.ts'
import { type Json, obj, str } from '../narrow.ts'

/** Reads the customer inside an object, because no events report customers. The copy's own revision
 *  counts, if it has one. Source: https://docs.creem.io/api-reference/endpoint/get-customer */
export const toCarriedCustomer = ({ customer }: Json): CustomerChange[] => {
  const raw = obj(customer)
  const [id, email, at] = [str(raw.id), str(raw.email), str(raw.updated_at)]
  if (id === null || email === null) return []
  const data = { id, email, name: str(raw.name), deleted: false }
  return [{ type: 'customer', id, stage: 'updated', ...(at === null ? {} : { at }), data }]
}
