/** Fields that nothing here decides on, as Stripe shows them: null. */
export const blank = <K extends string>(...names: readonly K[]): Record<K, null> =>
  Object.fromEntries(names.map((name) => [name, null])) as Record<K, null>

/** A list inside another object. */
export const listOf = <T>(data: readonly T[], url: string) => ({
  object: 'list' as const,
  data,
  has_more: false,
  total_count: data.length,
  url,
})

/** Empty fields that every object has at first. */
export const headOf = <K extends string>(object: K, { id, created }: { id: string; created: number }) => ({
  id,
  object,
  created,
  livemode: false as const,
})
