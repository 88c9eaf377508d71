/** A plain JSON object; its values are whatever the provider sent. */
export type Json = Readonly<Record<string, unknown>>

declare const object: unique symbol
declare const items: unique symbol

/**
 * A field of a payload type that should contain an object with these fields. The value is as unverified as
 * any other: only `obj` opens it.
 */
export interface Nested<T> {
  readonly [object]: T
}

/** A field that should contain a list of such objects; only `list` opens it. */
export interface Listed<T> {
  readonly [items]: T
}

/** Fields of a payload type whose values are as unverified as the provider sent them. */
export type Fields<Names extends string> = { readonly [Name in Names]?: unknown }

/** The fields of a payload type, as a request writes them. */
export type Written<T> = { readonly [K in keyof T]?: unknown }

// Each helper reads an unknown value and never throws, because a provider's `changes` is total.

const nothing: Json = Object.freeze({})

/** Returns true for an object with names; lists and null are none. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value if it is an object, else an empty one. */
export function obj<T>(value: Nested<T> | null | undefined): T
export function obj(value: unknown): Json
export function obj(value: unknown): Json {
  return isObject(value) ? value : nothing
}

/** Non-empty text, else null. */
export function str(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** A safe integer, else null. */
export function int(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null
}

/** A safe integer, or one written as text, else null. */
export function whole(value: unknown): number | null {
  return int(typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value)
}

/** The objects of an array or of a `{ data: [] }` list, else none. */
export function list<T>(value: Listed<T> | null | undefined): readonly T[]
export function list(value: unknown): readonly Json[]
export function list(value: unknown): readonly Json[] {
  const items = Array.isArray(value) ? value : isObject(value) ? value.data : null
  return Array.isArray(items) ? items.filter(isObject) : []
}

/** Returns an id, given as text or as the expanded object. */
export function idOf(value: unknown): string | null {
  return str(value) ?? str(obj(value).id)
}

/** Converts Unix seconds to ISO 8601 UTC; null outside the years 1970 to 9999. */
export function time(seconds: unknown): string | null {
  if (typeof seconds !== 'number' || !(seconds >= 0 && seconds < 253_402_300_800)) return null
  const known = written.get(seconds)
  if (known !== undefined) return known
  const text = new Date(seconds * 1000).toISOString()
  if (written.size === 1000) written.clear()
  written.set(seconds, text)
  return text
}
// An event repeats the same few moments, and formatting takes longer than a lookup.
const written = new Map<number, string>()

/** The last month of a card, `2027-08`, of its year and month; null where either is missing. */
export function monthOf(year: unknown, month: unknown): string | null {
  const [y, m] = [whole(year), whole(month)]
  if (y === null || m === null || y < 2000 || y > 9999 || m < 1 || m > 12) return null
  return `${y}-${String(m).padStart(2, '0')}`
}

/** The last four digits of a card; null for anything else. */
export function lastDigits(value: unknown): string | null {
  return typeof value === 'string' && /^\d{4}$/.test(value) ? value : null
}

/** Returns an ISO 4217 code in capitals, else null. */
export function currency(value: unknown): string | null {
  return typeof value === 'string' && /^[a-z]{3}$/i.test(value) ? value.toUpperCase() : null
}

/** Returns a billing interval, whose names providers and we share; else null. */
export function interval(value: unknown): 'day' | 'week' | 'month' | 'year' | null {
  return value === 'day' || value === 'week' || value === 'month' || value === 'year' ? value : null
}

/** Returns the text entries of a metadata object. */
export function metadata(value: unknown): Record<string, string> {
  const texts: Record<string, string> = {}
  // `__proto__` is data in JSON, but changes the prototype in code that copies it.
  for (const [key, text] of Object.entries(obj(value)))
    if (typeof text === 'string' && key !== '__proto__') texts[key] = text
  return texts
}
