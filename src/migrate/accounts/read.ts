import type { SiteFacts } from '../plan.ts'
import type { AccountContent } from './content.ts'
import { isEncrypted } from './encrypted.ts'
import { fieldName } from './fields.ts'
import { readValue } from './places.ts'
import { gateList, listedPrices, paidPrices } from './purchases.ts'
import { plainOf } from './tree.ts'

/** A parsed account of version 1. It contains a password hash, so it is never printed or returned. */
export interface V1Account {
  readonly id: string
  /** As written, trimmed; null without one. */
  readonly email: string | null
  readonly name: string | null
  readonly roles: readonly string[]
  readonly language: string | null
  readonly customerId: string | null
  /** Prices of one-time payments. */
  readonly paid: readonly string[]
  /** Every price among the purchases, whatever its state. */
  readonly listed: readonly string[]
  /** Subscriptions in the provider's own format, as version 1 stored them. */
  readonly subscriptions: readonly Readonly<Record<string, unknown>>[]
  /** Manually granted gates. */
  readonly gates: readonly string[]
  readonly passwordHash: string | null
  readonly troubles: readonly Trouble[]
}

/** A part that could not be imported, with advice. It contains no value of the account. */
export interface Trouble {
  /** Stable, for machines. */
  readonly code: string
  readonly reason: string
  readonly action: string
}

/** Interprets an account's fields, in both forms of the provider's data. */
export function toAccount(content: AccountContent, facts: SiteFacts): V1Account {
  const { fields } = content
  const troubles: Trouble[] = content.unreadable.map(({ file, reason }) => ({
    code: 'unreadable',
    reason: `${file} was left out: ${reason}.`,
    action: 'Mend the file and run the import again.',
  }))
  const data = providerData(content, facts, troubles)
  const lists = [data?.payments, data?.purchases].map(paidPrices)
  const unclear = lists.reduce((sum, list) => sum + list.unclear, 0)
  if (unclear > 0) troubles.push(unclearPayments(unclear, facts))
  return {
    id: content.id,
    email: text(fields.get('email')),
    name: text(fields.get('name')),
    roles: rolesOf(fields.get('roles') ?? fields.get('role')),
    language: text(fields.get('language')),
    customerId: customerOf(data),
    paid: [...new Set(lists.flatMap(({ prices }) => prices))],
    listed: [...new Set([data?.payments, data?.purchases].flatMap(listedPrices))],
    subscriptions: subscriptionsIn(data?.subscriptions),
    gates: gateList(asList(fields.get('gates'))),
    passwordHash: passwordOf(content, troubles),
    troubles,
  }
}

/** Reads the provider's data of an account in either form; null if it is missing or unreadable. */
export function providerData(
  { fields, dataField }: AccountContent,
  { field }: SiteFacts,
  troubles: Trouble[],
): Readonly<Record<string, unknown>> | null {
  const value = fields.get(fieldName(field))
  const written = typeof value === 'string' ? value.trim() : ''
  const data = isMap(value) ? value : plainOf(readValue(written))
  if (data !== null && Object.keys(data).some((key) => /^(customer|payments|purchases)/i.test(key)))
    return data
  if (isEncrypted(data === null ? written : JSON.stringify(data)) || isEncrypted(written)) {
    troubles.push(encrypted(field))
    return null
  }
  if (data !== null) return data
  if (written !== '') {
    troubles.push({
      code: 'not-parsed',
      reason: `The field "${field}" holds no map of keys and values, so customer and payments were left out.`,
      action: 'Mend the field and run the import again.',
    })
    return null
  }
  if (dataField !== null && fieldName(dataField) !== fieldName(field))
    troubles.push({
      code: 'other-field',
      reason: `The field "${dataField}" looks like the provider's data, but the field to read is "${field}".`,
      action: `If it is the one, run the import with --field ${dataField}.`,
    })
  return null
}

function encrypted(field: string): Trouble {
  return {
    code: 'encrypted',
    reason: `The field "${field}" is encrypted, so customer and payments were left out.`,
    action: 'Store the field as plain text with version 1 and run the import again.',
  }
}

function unclearPayments(count: number, { field }: SiteFacts): Trouble {
  return {
    code: 'payment-unclear',
    reason: `${count} of the payments in "${field}" name${count === 1 ? 's' : ''} no price, so nobody can say what ${count === 1 ? 'it' : 'they'} opened.`,
    action: 'Look the payments up at the provider and give the access by hand.',
  }
}

function customerOf(data: Readonly<Record<string, unknown>> | null): string | null {
  for (const value of [data?.customer_id, data?.customerId, data?.customer]) {
    const id = text(isMap(value) ? value.id : value)
    if (id !== null && /^\S{1,200}$/.test(id)) return id
  }
  return null
}

function passwordOf({ passwordLine, fields }: AccountContent, troubles: Trouble[]): string | null {
  const hash = passwordLine ?? text(fields.get('password_hash')) ?? text(fields.get('password'))
  if (hash === null || hash === '') return null
  // Hashes of PHP's password_hash() and similar begin with the method between dollar signs.
  if (/^\$[\w.-]{1,20}\$\S{10,400}$/.test(hash)) return hash
  troubles.push({
    code: 'password-unknown',
    reason: 'The password field holds no hash of a known kind. It was left out.',
    action: 'The member logs in by a link in a mail.',
  })
  return null
}

/** Reads a list of subscriptions, the provider's own list object, or a map of them by id. */
function subscriptionsIn(value: unknown): Readonly<Record<string, unknown>>[] {
  if (Array.isArray(value)) return value.filter(isMap)
  if (!isMap(value)) return []
  return Array.isArray(value.data) ? value.data.filter(isMap) : Object.values(value).filter(isMap)
}

function rolesOf(value: unknown): string[] {
  const roles = Array.isArray(value) ? value : [value]
  return roles.map(text).filter((role) => role !== null)
}

// In the text format a list is YAML.
function asList(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[-[]/.test(value)) return value
  const node = readValue(value.trim())
  return node?.kind === 'list'
    ? node.items.map((item) => item()).map((item) => (item.kind === 'string' ? item.value : null))
    : value
}

function text(value: unknown): string | null {
  const trimmed = typeof value === 'string' ? value.trim() : ''
  // PostgreSQL does not store a NUL.
  return trimmed === '' || trimmed.length > 1000 || trimmed.includes('\0') ? null : trimmed
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
