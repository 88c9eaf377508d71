/** The order in which a file writes day and month. */
export type DateOrder = 'mdy' | 'dmy'

/**
 * Reads a moment as exports write it: `2026-03-31`, `2026-03-31 07:00:00.000000`, ISO 8601, or `3/31/2026` where the
 * order is known. A day without a time counts whole, in UTC: a start is its first moment, an end its last. Null for
 * anything else.
 */
export function toMoment(
  text: string,
  order: DateOrder | null,
  edge: 'first' | 'last' = 'last',
): string | null {
  const iso =
    /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|UTC|[+-]\d{2}:?\d{2})?)?$/.exec(text)
  if (iso) return iso[2] === undefined ? ofDay(iso[1]!, edge) : parsed(`${iso[1]}T${iso[2]}${zoneOf(iso[3])}`)
  const parts = /^(\d{1,2})[/.](\d{1,2})[/.](\d{4})$/.exec(text)
  if (!parts || order === null) return null
  const [, first, second, year] = parts as unknown as [string, string, string, string]
  const [month, day] = order === 'mdy' ? [first, second] : [second, first]
  return ofDay(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`, edge)
}

/** True if the order of day and month has to be given. */
export function isAmbiguous(text: string): boolean {
  return /^\d{1,2}[/.]\d{1,2}[/.]\d{4}$/.test(text)
}

// `Date` would accept the 31st of February.
function ofDay(day: string, edge: 'first' | 'last'): string | null {
  const at = parsed(`${day}T${edge === 'first' ? '00:00:00.000' : '23:59:59.999'}Z`)
  return at?.startsWith(day) ? at : null
}

function zoneOf(zone: string | undefined): string {
  return zone === undefined || zone === 'UTC' ? 'Z' : zone
}

function parsed(text: string): string | null {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}
