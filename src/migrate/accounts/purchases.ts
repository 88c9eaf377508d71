/** The prices that one-time payments of version 1 were for. */
export interface PaidPrices {
  readonly prices: readonly string[]
  /** Entries that are paid for all that can be seen but name no price. */
  readonly unclear: number
}

/** Reads a list of payments: price ids, or maps that name one; a map of them counts like its values. Whatever says of
 *  itself that it was not paid, or paid back, opens nothing. */
export const paidPrices = (list: unknown): PaidPrices => {
  const prices = new Set<string>()
  let unclear = 0
  for (const price of entriesOf(list).map(priceOf)) {
    if (typeof price === 'string') prices.add(price)
    else if (price === null) unclear++
  }
  return { prices: [...prices], unclear }
}

/** Every price that a list of payments names, also of what says of itself that it was paid back. */
export const listedPrices = (list: unknown): string[] =>
  entriesOf(list).flatMap((entry) =>
    typeof entry === 'string'
      ? isId(entry.trim())
        ? entry.trim()
        : []
      : isMap(entry)
        ? (nameOf(entry) ?? [])
        : [],
  )

/** The gates that were given by hand: a list, or text with commas. */
export const gateList = (value: unknown): string[] => {
  const items = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []
  const gates = items.filter((item) => typeof item === 'string').map((item) => item.trim())
  return [...new Set(gates.filter(isId))]
}

// Version 1 may have kept `price_1: 2023-01-01`; such a key is the price. A word in the date's place is a state.
const entriesOf = (list: unknown): unknown[] => {
  if (Array.isArray(list)) return list
  if (!isMap(list)) return []
  return Object.entries(list).map(([key, value]) => {
    if (isMap(value) || value === false) return value
    return typeof value === 'string' && /^[a-z_]+$/i.test(value) ? { price: key, status: value } : key
  })
}

/** A price id; null for a payment that names none; undefined for what opens nothing. */
const priceOf = (entry: unknown): string | null | undefined => {
  if (typeof entry === 'string') return isId(entry.trim()) ? entry.trim() : null
  if (entry === false) return undefined
  if (!isMap(entry)) return null
  return isPaid(entry) ? nameOf(entry) : undefined
}

const nameOf = (entry: Readonly<Record<string, unknown>>): string | null => {
  for (const value of [entry.price_id, entry.priceId, entry.price]) {
    const id = isMap(value) ? value.id : value
    if (typeof id === 'string' && isId(id)) return id
  }
  return null
}

const isPaid = ({ status, refunded, paid }: Readonly<Record<string, unknown>>): boolean =>
  refunded !== true &&
  paid !== false &&
  (status === undefined ||
    status === null ||
    ['paid', 'succeeded', 'complete', 'completed', 'active', 'partially_refunded'].includes(
      String(status).toLowerCase(),
    ))

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isId = (text: string): boolean => /^[^\s,]{1,200}$/.test(text) && !text.includes('\0')
