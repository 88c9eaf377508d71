import { isObject, type Json } from '../narrow.ts'

/** Encodes a form, which Chargebee takes instead of JSON: `customer[email]=…`. In a list of objects each
 *  field gets its index: `subscription_items[item_price_id][0]=…`. Source:
 *  https://apidocs.chargebee.com/docs/api, "Request" */
export const toForm = (given: Json): URLSearchParams => {
  const form = new URLSearchParams()
  for (const [name, value] of pairsOf(given)) form.append(name, value)
  return form
}

const pairsOf = (given: Json, within = '', place = ''): (readonly [name: string, value: string])[] =>
  Object.entries(given).flatMap(([key, value]) => {
    const name = within === '' ? key : `${within}[${key}]`
    if (value === undefined || value === null) return []
    if (Array.isArray(value))
      return value.flatMap((item, n) =>
        isObject(item) ? pairsOf(item, name, `[${n}]`) : [[`${name}[${n}]`, String(item)] as const],
      )
    return isObject(value) ? pairsOf(value, name, place) : [[`${name}${place}`, String(value)] as const]
  })
