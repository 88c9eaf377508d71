/** Prices of version 1's one-time payments. */
export interface PaidPrices {
  readonly prices: readonly string[]
  /** Number of entries that look paid but name no price. */
  readonly unclear: number
}

/**
 * Reads a list of payments: price ids, or maps that name one; a map of them counts like its values. Entries
 * marked as unpaid or refunded open nothing.
 */
export function paidPrices(list: unknown): PaidPrices {
  const prices = new Set<string>()
  let unclear = 0
  for (const price of entriesOf(list).map(priceOf)) {
    if (typeof price === 'string') prices.add(price)
    else if (price === null) unclear++
  }
  return { prices: [...prices], unclear }
}

/** Lists every price in a list of payments, refunded ones included. */
export function listedPrices(list: unknown): string[] {
  return entriesOf(list).flatMap((entry) =>
    typeof entry === 'string'
      ? isId(entry.trim())
        ? entry.trim()
        : []
      : isMap(entry)
        ? (nameOf(entry) ?? [])
        : [],
  )
}

/** Reads the manually granted gates: a list, or text with commas. */
export function gateList(value: unknown): string[] {
  const items = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []
  const gates = items.filter((item) => typeof item === 'string').map((item) => item.trim())
  return [...new Set(gates.filter(isId))]
}

// Version 1 may have stored `price_1: 2023-01-01`; the key is then the price. A word in place of the date is
// a state.
function entriesOf(list: unknown): unknown[] {
  if (Array.isArray(list)) return list
  if (!isMap(list)) return []
  return Object.entries(list).map(([key, value]) => {
    if (isMap(value) || value === false) return value
    return typeof value === 'string' && /^[a-z_]+$/i.test(value) ? { price: key, status: value } : key
  })
}

/** Returns the price id; null for a payment without one; undefined for one that opens nothing. */
function priceOf(entry: unknown): string | null | undefined {
  if (typeof entry === 'string') return isId(entry.trim()) ? entry.trim() : null
  if (entry === false) return undefined
  if (!isMap(entry)) return null
  return isPaid(entry) ? nameOf(entry) : undefined
}

function nameOf(entry: Readonly<Record<string, unknown>>): string | null {
  for (const value of [entry.price_id, entry.priceId, entry.price]) {
    const id = isMap(value) ? value.id : value
    if (typeof id === 'string' && isId(id)) return id
  }
  return null
}

function isPaid({ status, refunded, paid }: Readonly<Record<string, unknown>>): boolean {
  return (
    refunded !== true &&
    paid !== false &&
    (status === undefined ||
      status === null ||
      ['paid', 'succeeded', 'complete', 'completed', 'active', 'partially_refunded'].includes(
        String(status).toLowerCase(),
      ))
  )
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isId(text: string): boolean {
  return /^[^\s,]{1,200}$/.test(text) && !text.includes('\0')
}
