/** Returns fields that are always null here, as Stripe shows them. */
export function blank<K extends string>(...names: readonly K[]): Record<K, null> {
  return Object.fromEntries(names.map((name) => [name, null])) as Record<K, null>
}

/** Builds a list inside another object. */
export function listOf<T>(data: readonly T[], url: string) {
  return {
    object: 'list' as const,
    data,
    has_more: false,
    total_count: data.length,
    url,
  }
}

/** Builds the first fields of every object. */
export function headOf<K extends string>(object: K, { id, created }: { id: string; created: number }) {
  return {
    id,
    object,
    created,
    livemode: false as const,
  }
}
