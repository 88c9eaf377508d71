/** A purchase by its prices. Each reader sees its title in their own language. */
export interface Named {
  readonly prices: readonly (string | null)[]
  readonly quantity: number | null
}

/** Builds a title that is worded when the mail is written. */
export function named(prices: readonly (string | null)[], quantity: number | null = null): Named {
  return {
    prices,
    quantity,
  }
}

/** Replaces prices by titles. Data queued by an older version already contains titles. */
export function titled(
  data: Readonly<Record<string, unknown>>,
  titleOf: (item: Named) => string,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, isNamed(value) ? titleOf(value) : value]),
  )
}

function isNamed(value: unknown): value is Named {
  return typeof value === 'object' && value !== null && 'prices' in value && Array.isArray(value.prices)
}
