import { isObject } from '../../providers/narrow.ts'
import type { Exchange } from './traffic.ts'

/**
 * Lists the differences between answers to the same request that may matter to the adapter: the status, a
 * field that only the fake has, and a field of another type. Fields that only the service has do not count,
 * because no fake shows everything.
 */
export function differencesOf(
  service: readonly Exchange[],
  fake: readonly Exchange[],
  ids: ReadonlySet<string>,
): string[] {
  const answersAt = (place: string) => service.filter((exchange) => placeOf(exchange, ids) === place)
  const found = fake.flatMap((expected) => {
    const place = placeOf(expected, ids)
    const answers = answersAt(place)
    // The number of requests depends on waiting, so a request that only the fake saw is no difference.
    if (answers.length === 0) return []
    if (!answers.some(({ status }) => status === expected.status))
      return [`${place}: the status is ${answers.at(-1)!.status}, the fake says ${expected.status}`]
    const bodies = answers.map(({ response }) => response)
    return shapesOf(bodies, expected.response, '').map((what) => `${place}: ${what}`)
  })
  return [...new Set(found)]
}

/** Differences between two messages of one type. */
export function messageDifferences(type: string, service: unknown, fake: unknown): string[] {
  return shapesOf([service], fake, '').map((what) => `message ${type}: ${what}`)
}

/** A request without the ids in its path: `GET /v1/subscriptions/{}`. */
export function placeOf({ method, path }: Exchange, ids: ReadonlySet<string>): string {
  return `${method} ${path
    .split('/')
    .map((step) => (isWord(step) && !ids.has(decodeURIComponent(step)) ? step : '{}'))
    .join('/')}`
}

function isWord(step: string): boolean {
  return /^v\d$/.test(step) || /^[a-zA-Z_-]*$/.test(step)
}

/** Collects every id in the traffic, recognised by its field's name. */
export function idsIn(value: unknown, into: Set<string> = new Set(), name = ''): Set<string> {
  if (typeof value === 'string' && /(?:^|_)id$|Id$/.test(name)) into.add(value)
  else if (Array.isArray(value)) for (const item of value) idsIn(item, into, name)
  else if (isObject(value)) for (const [key, item] of Object.entries(value)) idsIn(item, into, key)
  return into
}

// The merchant fills these fields, so their contents are not part of the API.
const own = /metadata|custom|note|links?$|pass_thru/i

/** Lists the fields that the fake shows, but no answer of the service to the same request. */
function shapesOf(service: readonly unknown[], fake: unknown, place: string): string[] {
  const values = service.filter((value) => value !== undefined)
  if (fake === null || fake === undefined || values.includes(null)) return []
  if (values.length === 0) return [`${place} is missing`]
  const expected = kindOf(fake)
  const alike = values.filter((value) => kindOf(value) === expected)
  if (alike.length === 0) return [`${place || 'the body'} is ${kindOf(values[0])}, the fake says ${expected}`]
  if (Array.isArray(fake)) {
    const items = alike.flatMap((value) => value as unknown[])
    return items.length === 0 ? [] : fake.flatMap((item) => shapesOf(items, item, `${place}[]`))
  }
  if (!isObject(fake)) return []
  return Object.entries(fake).flatMap(([name, value]) =>
    own.test(name)
      ? []
      : shapesOf(
          alike.map((object) => (object as Record<string, unknown>)[name]),
          value,
          place === '' ? name : `${place}.${name}`,
        ),
  )
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : isObject(value) ? 'an object' : `a ${typeof value}`
}
