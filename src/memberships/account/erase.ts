import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Step, type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import { splitRef } from '../ledger/payment-fold.ts'
import { ledgerStatements } from '../ledger/statements/index.ts'
import { memberStatements } from '../members/statements.ts'
import {
  eraseStatements,
  type Named,
  type NamedPayment,
  type Place,
  type StoredBody,
} from './erase-statements.ts'

type Content = Readonly<Record<string, unknown>>

// `invoice_url` opens a page with the buyer's name for anybody who has it; the site wrote `metadata`.
const nameless: Content = { email: null, name: null, place: null, invoice_url: null, metadata: {} }

/**
 * Removes personal data from a stored snapshot; amounts, ids, prices and moments stay. Anything else is returned
 * unchanged.
 */
export const scrubbed = (data: string): string => {
  const content = JSON.parse(data) as unknown
  return isContent(content) ? JSON.stringify(clean(content)) : data
}

/** Same as `scrubbed`, for the contents of one moment, stored by digest. */
export const scrubbedTied = (tied: string | null): string | null => {
  if (tied === null) return null
  const contents = Object.entries(JSON.parse(tied) as Record<string, unknown>)
  return JSON.stringify(
    Object.fromEntries(contents.map(([digest, item]) => [digest, isContent(item) ? clean(item) : item])),
  )
}

const clean = (content: Content): Content =>
  Object.fromEntries(
    Object.entries(content).map(([key, value]) => [
      key,
      Object.hasOwn(nameless, key) ? nameless[key] : value,
    ]),
  )

const isContent = (value: unknown): value is Content =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export interface EraseDeps {
  readonly storage: Storage
  /** The accounts that a provider's webhooks are assigned to: the labels of its secrets. */
  readonly accountsOf: (provider: string) => readonly string[]
}

interface Key {
  readonly provider: string
  readonly account: string
}
/** A member's stored data: the writes that empty it, and the ids that provider events are about. */
interface Found {
  readonly steps: Step[]
  readonly ids: Map<string, Key & { readonly ids: Set<string> }>
}

const unitSize = 50
// Each conflict means that another event about this member arrived.
const maxTries = 10

/**
 * Empties the personal data in the records of a member's purchases. It can be interrupted anywhere and run again; empty
 * records are skipped. The links between member, customers and payments stay, so that everything can be found again.
 */
export const createErase = ({ storage, accountsOf }: EraseDeps) => {
  const statements = eraseStatements(storage)
  const ledger = ledgerStatements(storage)
  const { customers: customersOf } = memberStatements(storage)

  /** `email`: the member's proved address, if there is one. */
  const records = async (memberId: string, email: string | null): Promise<void> => {
    if (email !== null)
      await storage.commit([
        step(statements.adopt, { member_id: memberId, email }),
        step(statements.declarationsAdopt, { member_id: memberId, email }),
      ])
    await dropBounced(memberId, email)
    for (let tries = 1; ; tries++)
      try {
        const found = await find(memberId)
        for (let from = 0; from < found.steps.length; from += unitSize)
          await storage.commit(found.steps.slice(from, from + unitSize))
        return await dropBodies(found, email)
      } catch (error) {
        if (!(error instanceof UnitConflict) || tries >= maxTries) throw error
      }
  }

  /** Deletes undeliverable mails to the address, and acknowledgements of the member's declarations. */
  const dropBounced = async (memberId: string, email: string | null): Promise<void> => {
    const declared = await storage.all(statements.declarations, { member_id: memberId })
    const numbers = new Set(declared.map(({ id }) => id))
    const rows = (await storage.all(statements.directMails, {})).filter(({ payload }) => {
      const { recipient } = JSON.parse(payload) as {
        recipient: { to: string; data: { number?: unknown } }
      }
      return (
        (email !== null && recipient.to.toLowerCase() === email) ||
        numbers.has(String(recipient.data.number ?? ''))
      )
    })
    if (rows.length > 0) await storage.commit(rows.map(({ seq }) => step(statements.directMail, { seq })))
  }

  const find = async (memberId: string): Promise<Found> => {
    const found: Found = { steps: [], ids: new Map() }
    const payments = new Map<string, NamedPayment>()
    const keep = (rows: readonly NamedPayment[]) => {
      for (const row of rows) payments.set(JSON.stringify([row.provider, row.account, row.id]), row)
    }
    for (const owner of await storage.all(customersOf, { member_id: memberId })) {
      const key = { provider: owner.provider, account: owner.account }
      const ofOwner = { ...key, owner_id: owner.customer_id }
      note(found, key, owner.customer_id)
      // Removes a queued update of the customer's name or address.
      found.steps.push(step(statements.outbox, { lane: `customer:${owner.provider}:${owner.customer_id}` }))
      if (owner.guest === 0) await addFact(found, key, 'customer', owner.customer_id)
      for (const row of await storage.all(statements.subscriptions, ofOwner)) addSubscription(found, row)
      keep(await storage.all(statements.payments, ofOwner))
    }
    for (const { provider, checkout_id } of await storage.all(statements.checkouts, { member_id: memberId }))
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

  /** Empties the events that still have a body, where they are about the member or name the member. */
  const dropBodies = async (found: Found, email: string | null): Promise<void> => {
    const concerns = concernsIn(found, email)
    for (let last: Place = { received_at: '', seq: 0 }; ; ) {
      const rows = await storage.all(statements.bodies, last)
      const dropped = rows.filter(concerns)
      if (dropped.length > 0)
        await storage.commit(dropped.map(({ seq }) => step(statements.bodyDrop, { seq })))
      const end = rows.at(-1)
      if (end === undefined) return
      last = { received_at: end.received_at, seq: Number(end.seq) }
      // On SQLite a read holds the process, so others have their turn between two.
      await nextTurn()
    }
  }

  return { records }
}

/**
 * True for an event about an object of the member, and for a body that contains the address or an id of the member.
 * Bodies that nobody understands are stored, too.
 */
const concernsIn = ({ ids }: Found, email: string | null): ((event: StoredBody) => boolean) => {
  const words = [...ids.values()].flatMap((group) => [...group.ids].map((id) => `"${id.toLowerCase()}"`))
  if (email !== null) words.push(email)
  return ({ provider, account, object_id, body }) => {
    const own = ids.get(JSON.stringify([provider, account]))
    if (object_id !== null && own?.ids.has(object_id)) return true
    const text = body.toString('utf8').toLowerCase()
    return words.some((word) => text.includes(word))
  }
}

const note = ({ ids }: Found, { provider, account }: Key, id: string): void => {
  const name = JSON.stringify([provider, account])
  const group = ids.get(name) ?? { provider, account, ids: new Set<string>() }
  group.ids.add(id)
  ids.set(name, group)
}
