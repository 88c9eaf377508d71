/** A purchase by its prices: whoever reads of it is told in their language. */
export interface Named {
  readonly prices: readonly (string | null)[]
  readonly quantity: number | null
}

/** Texts that the mail says by a price's title when it is written. */
export const named = (prices: readonly (string | null)[], quantity: number | null = null): Named => ({
  prices,
  quantity,
})

/** The same data with titles in words. What an older version queued has them already. */
export const titled = (
  data: Readonly<Record<string, unknown>>,
  titleOf: (item: Named) => string,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, isNamed(value) ? titleOf(value) : value]),
  )

const isNamed = (value: unknown): value is Named =>
  typeof value === 'object' && value !== null && 'prices' in value && Array.isArray(value.prices)
