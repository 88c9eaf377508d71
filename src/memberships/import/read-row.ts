import { isEmail, normalEmail } from '../../core/email.ts'
import type { Export } from './exports.ts'
import { type DateOrder, isAmbiguous, toMoment } from './moments.ts'

/** The reason that a row brings nothing. */
export interface RowTrouble {
  readonly code:
    | 'no_address'
    | 'bad_address'
    | 'bad_date'
    | 'unknown_access'
    | 'no_end'
    | 'address_unproved'
    | 'left'
  readonly reason: string
}

/** A row's result: an account, and its access with dates. */
export interface PersonRow {
  readonly email: string
  readonly name: string | null
  /** null for an account without access. */
  readonly grant: {
    readonly gate: string
    readonly isGift: boolean
    readonly startsAt: string | null
    readonly endsAt: string | null
  } | null
}

/** Reads rows of one format. An unusable row gets a reason. */
export function createRowReader(
  kind: Export,
  {
    gates,
    dates,
    until,
    now,
  }: { gates: ReadonlyMap<string, string>; dates?: DateOrder; until?: Date; now: () => Date },
) {
  const order = dates ?? kind.dates

  return (
    cells: Readonly<Record<string, string>>,
  ): { readonly email: string | null; readonly row: PersonRow | RowTrouble } => {
    const row = kind.read(cells)
    const email = normalEmail(row.email)
    if (email === null) return { email, row: trouble('no_address', 'The row has no address.') }
    if (!isEmail(email))
      return { email, row: trouble('bad_address', `"${row.email.slice(0, 80)}" is no address.`) }
    const person = { email, name: row.name === '' ? null : row.name.slice(0, 200), grant: null }
    if (row.isOver || row.access === '') return { email, row: person }
    const gate = gates.get(row.access)
    if (gate === undefined) return { email, row: unknown(row.access) }
    const startsAt = momentOf(row.startsAt, 'first')
    const endsAt = momentOf(row.endsAt, 'last')
    for (const moment of [startsAt, endsAt])
      if (moment && typeof moment === 'object') return { email, row: moment }
    const end = (endsAt as string | null) ?? until?.toISOString() ?? null
    if (end === null && kind.needsEnd && !row.isGift) return { email, row: endless }
    // Ended access opens nothing, so only the account is created.
    if (end !== null && end <= now().toISOString()) return { email, row: person }
    const grant = { gate, isGift: row.isGift, startsAt: startsAt as string | null, endsAt: end }
    return { email, row: { ...person, grant } }
  }

  function momentOf(text: string, edge: 'first' | 'last'): string | null | RowTrouble {
    if (text === '') return null
    const moment = toMoment(text, order, edge)
    if (moment !== null) return moment
    const how =
      order === null && isAmbiguous(text)
        ? 'can be read in two ways; say --dates mdy or --dates dmy'
        : 'is no date that can be read; write 2026-03-31'
    return trouble('bad_date', `"${text.slice(0, 40)}" ${how}.`)
  }
}

function trouble(code: RowTrouble['code'], reason: string): RowTrouble {
  return { code, reason }
}

function unknown(access: string): RowTrouble {
  return trouble(
    'unknown_access',
    `Nobody said what "${access.slice(0, 80)}" opens here: --gate "${access.slice(0, 80)}=a plan or price".`,
  )
}

const endless = trouble(
  'no_end',
  'The row says no end, and nobody pays here for what was paid there: --until 2026-12-31 gives one.',
)
