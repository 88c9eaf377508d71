import { createLanes } from '../../core/jobs/lane-statements.ts'
import { type Step, type Storage, step, type Unit } from '../../core/storage/index.ts'
import { inUnits, type LeavingKey } from '../life.ts'
import { splitRef } from './payment-fold.ts'
import { eraseStatements, type Named, type NamedPayment } from './statements/erase-statements.ts'
import { ledgerStatements } from './statements/index.ts'

type Content = Readonly<Record<string, unknown>>

// `invoice_url` opens a page with the buyer's name for anybody who has it; the site wrote `metadata`.
const nameless: Content = { email: null, name: null, place: null, invoice_url: null, metadata: {} }

/**
 * Removes personal data from a stored snapshot; amounts, ids, prices and moments stay. Anything else is returned
 * unchanged.
 */
export function scrubbed(data: string): string {
  const content = JSON.parse(data) as unknown
  return isContent(content) ? JSON.stringify(clean(content)) : data
}

/** Same as `scrubbed`, for the contents of one moment, stored by digest. */
export function scrubbedTied(tied: string | null): string | null {
  if (tied === null) return null
  const contents = Object.entries(JSON.parse(tied) as Record<string, unknown>)
  return JSON.stringify(
    Object.fromEntries(contents.map(([digest, item]) => [digest, isContent(item) ? clean(item) : item])),
  )
}

function clean(content: Content): Content {
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => [
      key,
      Object.hasOwn(nameless, key) ? nameless[key] : value,
    ]),
  )
}

function isContent(value: unknown): value is Content {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

interface Key {
  readonly provider: string
  readonly account: string
}

/** The ids that a member's events are about, by provider account. */
export type Objects = ReadonlyMap<string, Key & { readonly ids: ReadonlySet<string> }>
/** A member's stored data: the writes that empty it, and the ids that provider events are about. */
interface Found {
  readonly steps: Step[]
  readonly ids: Map<string, Key & { readonly ids: Set<string> }>
}

export interface Erasing {
  readonly records: (member: LeavingKey) => AsyncGenerator<Unit>
  /** The ids that a member's events are about. */
  objectsOf(member: LeavingKey): Promise<Objects>
}

/**
 * Empties the personal data in the records of a member's purchases. Empty records are skipped. The links between member,
 * customers and payments stay, so that everything can be found again. `accountsOf`: the accounts that a provider's
 * webhooks are assigned to, the labels of its secrets.
 */
export function createErasing(
  storage: Storage,
  accountsOf: (provider: string) => readonly string[],
): Erasing {
  const statements = eraseStatements(storage)
  const ledger = ledgerStatements(storage)
  const lanes = createLanes(storage)

  /** Units that empty the records. */
  const records = async function* (member: LeavingKey): AsyncGenerator<Unit> {
    if (member.email !== null) yield [step(statements.adopt, { member_id: member.id, email: member.email })]
    yield* inUnits((await find(member)).steps)
  }

  const find = async ({ id: member_id, email }: LeavingKey): Promise<Found> => {
    const found: Found = { steps: [], ids: new Map() }
    const payments = new Map<string, NamedPayment>()
    const keep = (rows: readonly NamedPayment[]) => {
      for (const row of rows) payments.set(JSON.stringify([row.provider, row.account, row.id]), row)
    }
    const owners = await storage.all(statements.owners, { member_id })
    const waiting = email === null ? [] : await storage.all(statements.ownersOfAddress, { email })
    for (const owner of [...owners, ...waiting]) {
      const key = { provider: owner.provider, account: owner.account }
      const ofOwner = { ...key, owner_id: owner.customer_id }
      note(found, key, owner.customer_id)
      // Removes a queued update of the customer's name or address.
      found.steps.push(lanes.drop(`customer:${owner.provider}:${owner.customer_id}`))
      if (owner.guest === 0) await addFact(found, key, 'customer', owner.customer_id)
      for (const row of await storage.all(statements.subscriptions, ofOwner)) addSubscription(found, row)
      keep(await storage.all(statements.payments, ofOwner))
    }
    for (const { provider, checkout_id } of await storage.all(statements.checkouts, { member_id }))
      for (const account of new Set(['', ...accountsOf(provider)])) {
        note(found, { provider, account }, checkout_id)
        keep(
          await storage.all(statements.paymentOfRef, { provider, account, ref: `checkout:${checkout_id}` }),
        )
      }
    for (const row of payments.values()) await addPayment(found, row)
    return found
  }

  const addSubscription = (found: Found, row: Named): void => {
    note(found, row, row.id)
    const next = { ...row, data: scrubbed(row.data), tied: scrubbedTied(row.tied) }
    if (next.data !== row.data || next.tied !== row.tied)
      found.steps.push(step(statements.subscriptionWrite, next, 1))
  }

  const addPayment = async (found: Found, row: NamedPayment): Promise<void> => {
    const key = { provider: row.provider, account: row.account }
    for (const { ref } of await storage.all(ledger.refsOfPayment, { ...key, payment_id: row.id })) {
      const { kind, id } = splitRef(ref)
      await addFact(found, key, kind, id)
    }
    const data = scrubbed(row.data)
    if (data !== row.data || row.buyer !== null)
      found.steps.push(step(statements.paymentWrite, { ...row, data }, 1))
  }

  const addFact = async (found: Found, key: Key, kind: string, id: string): Promise<void> => {
    note(found, key, id)
    const [row] = await storage.all(ledger.fact, { ...key, kind, id })
    if (!row) return
    const next = { ...row, kind, data: scrubbed(row.data), tied: scrubbedTied(row.tied) }
    if (next.data !== row.data || next.tied !== row.tied)
      found.steps.push(step(statements.factWrite, next, 1))
  }

  return {
    records,
    objectsOf: async (member: LeavingKey): Promise<Objects> => (await find(member)).ids,
  }
}

function note({ ids }: Found, { provider, account }: Key, id: string): void {
  const name = JSON.stringify([provider, account])
  const group = ids.get(name) ?? { provider, account, ids: new Set<string>() }
  group.ids.add(id)
  ids.set(name, group)
}
