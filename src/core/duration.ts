const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** A time as text such as `12h` or `30d`, or a number of days. */
export type Duration = number | `${number}${'s' | 'm' | 'h' | 'd' | 'w'}`

/** A number of days as text, or a number with its unit. */
export const durationPattern = /^(\d+)([smhdw])?$/

/** Returns the seconds of a duration; null for a text that is none. */
export function durationSeconds(value: number | string): number | null {
  const [, count, unit = 'd'] = durationPattern.exec(String(value)) ?? []
  return count === undefined ? null : Number(count) * (secondsPerUnit[unit] ?? 0)
}

/** Days that access stays open after a failed renewal, unless `membership.gates.past_due` says otherwise. */
export const defaultPastDueDays = 21
