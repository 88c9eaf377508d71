type Json = Record<string, unknown>

/** Previous values of changed fields: of hashes only the keys that differ, lists whole, null for what was not there.
 *  https://docs.stripe.com/api/events/object#event_object-data-previous_attributes */
export const previousAttributes = (before: Json, after: Json): Json => {
  const previous: Json = {}
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[key], after[key]]
    if (JSON.stringify(was) === JSON.stringify(is)) continue
    previous[key] = isHash(was) && isHash(is) ? previousAttributes(was, is) : (was ?? null)
  }
  return previous
}

const isHash = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
