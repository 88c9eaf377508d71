import type { DateOrder } from './moments.ts'

/** One person's fields in a file, not checked yet. */
export interface ExportRow {
  readonly email: string
  readonly name: string
  /** The access in the file's own words; '' for none. */
  readonly access: string
  readonly isGift: boolean
  readonly startsAt: string
  readonly endsAt: string
  /** True if the access has ended, whatever else the file says. */
  readonly isOver: boolean
}

/** Reads another system's export. */
export interface Export {
  /** The columns that identify the export. */
  readonly columns: readonly string[]
  /** Payments there have stopped. Without an end, the access would never end. */
  readonly needsEnd: boolean
  readonly dates: DateOrder | null
  read(cells: Readonly<Record<string, string>>): ExportRow
}

function isYes(text = ''): boolean {
  return /^(?:true|yes|y|1)$/i.test(text)
}
const nothing = { name: '', access: '', isGift: false, startsAt: '', endsAt: '', isOver: false }

/** The known export formats, each with its documentation. */
export const exportsOf: Readonly<Record<string, Export>> = {
  // https://ghost.org/help/import-members/; paying members have a customer at Stripe, which is imported from Stripe.
  ghost: {
    columns: ['email', 'name', 'complimentary_plan'],
    needsEnd: false,
    dates: null,
    read: (cells) => ({
      ...nothing,
      email: cells.email ?? '',
      name: cells.name ?? '',
      access: isYes(cells.complimentary_plan) ? 'complimentary' : '',
      isGift: isYes(cells.complimentary_plan),
      isOver: Boolean(cells.deleted_at),
    }),
  },
  // Members, Export: https://memberful.com/help/
  memberful: {
    columns: ['Email', 'Full Name', 'Plan', 'Active', 'Expiration date'],
    needsEnd: true,
    dates: 'mdy',
    read: (cells) => ({
      ...nothing,
      email: cells.Email ?? '',
      name: cells['Full Name'] ?? '',
      access: cells.Plan ?? '',
      endsAt: cells['Expiration date'] ?? '',
      isOver: !isYes(cells.Active),
    }),
  },
  // Audience, Members, CSV: https://support.patreon.com/hc/en-us/articles/360004385971
  patreon: {
    columns: ['Name', 'Email', 'Patron Status', 'Tier', 'Access Expiration', 'Next Charge Date'],
    needsEnd: true,
    dates: null,
    read: (cells) => ({
      ...nothing,
      email: cells.Email ?? '',
      name: cells.Name ?? '',
      access: cells.Tier ?? '',
      endsAt: cells['Access Expiration'] || cells['Next Charge Date'] || '',
      isOver: !/^active/i.test(cells['Patron Status'] ?? ''),
    }),
  },
  // Memberships, Members, Export to CSV: https://www.paidmembershipspro.com/documentation/
  pmpro: {
    columns: ['email', 'firstname', 'lastname', 'membership', 'expires'],
    needsEnd: false,
    dates: 'mdy',
    read: (cells) => ({
      ...nothing,
      email: cells.email ?? '',
      name: `${cells.firstname ?? ''} ${cells.lastname ?? ''}`.trim(),
      access: cells.membership ?? '',
      endsAt: /^never$/i.test(cells.expires ?? '') ? '' : (cells.expires ?? ''),
    }),
  },
}

/** The fields that a column of a custom file can fill. */
export const fields = ['email', 'name', 'price_id', 'gate', 'gift', 'starts_at', 'ends_at'] as const

/** A field of a custom file. */
export type Field = (typeof fields)[number]

/** Reads a custom file by the given columns. */
export function exportOfMap(map: Readonly<Partial<Record<Field, string>>>): Export {
  return {
    columns: Object.values(map),
    needsEnd: false,
    dates: null,
    read: (cells) => {
      const of = (field: Field): string => {
        const column = map[field]
        return column === undefined ? '' : (cells[column] ?? '')
      }
      return {
        email: of('email'),
        name: of('name'),
        access: of('price_id') || of('gate'),
        isGift: isYes(of('gift')),
        startsAt: of('starts_at'),
        endsAt: of('ends_at'),
        isOver: false,
      }
    },
  }
}
