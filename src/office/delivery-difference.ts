import type { Change } from '../providers/contract.ts'

/** One field that an event changes; null where the field is absent. */
export interface DifferenceLine {
  /** The object's kind and id. */
  readonly what: string
  readonly field: string
  readonly before: string | null
  readonly after: string | null
}

/**
 * Lists an event's changes field by field. It compares with the previous values in the event, else with the previous
 * event about the same object. Pure.
 */
export function differenceOf(field: readonly Change[], earlier: readonly Change[]): DifferenceLine[] {
  const known = new Map(objectsOf(earlier).map(({ what, data }) => [what, data]))
  return objectsOf(field).flatMap(({ what, data, before }) => {
    const was = fieldsOf(before ?? known.get(what) ?? null)
    const is = fieldsOf(data)
    return [...new Set([...was.keys(), ...is.keys()])]
      .map((field) => ({ what, field, before: was.get(field) ?? null, after: is.get(field) ?? null }))
      .filter((line) => line.before !== line.after)
  })
}

function objectsOf(
  changes: readonly Change[],
): { what: string; data: object; before?: object | undefined }[] {
  return changes.flatMap((change) => {
    if (change.type === 'touch') return []
    const kind = change.type === 'money' ? change.kind : change.type
    const before = change.type === 'subscription' ? change.before : undefined
    return [{ what: `${kind} ${change.data.id}`, data: change.data, before }]
  })
}

/** Lists an object's values by path. Null and empty values count as absent. */
function fieldsOf(value: unknown, path = ''): Map<string, string> {
  if (value === null || value === undefined || value === '') return new Map()
  if (typeof value !== 'object') return new Map([[path, String(value)]])
  return new Map(
    Object.entries(value).flatMap(([name, item]) => [
      ...fieldsOf(item, path === '' ? name : `${path}.${name}`),
    ]),
  )
}
