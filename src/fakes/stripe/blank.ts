/** Returns fields that are always null here, as Stripe shows them. */
export const blank = <K extends string>(...names: readonly K[]): Record<K, null> =>
  Object.fromEntries(names.map((name) => [name, null])) as Record<K, null>

/** Builds a list inside another object. */
export const listOf = <T>(data: readonly T[], url: string) => ({
  object: 'list' as const,
  data,
  has_more: false,
  total_count: data.length,
  url,
})

/** Builds the first fields of every object. */
export const headOf = <K extends string>(object: K, { id, created }: { id: string; created: number }) => ({
  id,
  object,
  created,
  livemode: false as const,
})
