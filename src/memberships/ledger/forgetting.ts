import {
  createDocuments,
  pagesOf,
  type Step,
  type Storage,
  step,
  UnitConflict,
} from '../../core/storage/index.ts'
import type { MoneyFact } from '../../providers/contract.ts'
import { scrubbed, scrubbedTied } from './erasing.ts'
import type { Ledger } from './ledger.ts'
import type { Neighbours } from './neighbours.ts'
import { splitRef } from './payment-fold.ts'
import { keptUnknownMs, tiedWithoutPerson, withoutPerson } from './payments.ts'
import type { OtherPerson } from './statements/rows.ts'

/**
 * Drops the name and the address of people whose purchases are all of other shops of an account. Where nothing is known of
 * a purchase yet, they go after a week. When such a purchase becomes this site's, the provider is asked who bought it.
 */
export function createForgetting(deps: {
  storage: Storage
  ledger: Ledger
  events: Pick<Neighbours['events'], 'dropBodiesOf'>
  providers: readonly string[]
  now: () => Date
}) {
  const { storage, ledger, events, providers, now } = deps
  const { statements } = ledger
  const begun = createDocuments(storage, 'other-people')

  const runDue = async (): Promise<void> => {
    for (const provider of providers) {
      // A site that takes in everything has no other shop's customers.
      if (ledger.shopOf(provider).accepts === 'everything') continue
      if ((await begun.get(provider)) === null) await begin(provider)
      for (let goesOn = true; goesOn; ) {
        const due = { provider, now: now().toISOString(), limit: pageSize }
        const people = await storage.all(statements.peopleDue, due)
        let handled = 0
        for (const person of people) if (await look(person)) handled++
        // A note that could not be written is still due, and must not keep the others of a large account waiting.
        goesOn = people.length === pageSize && handled > 0
      }
    }
  }

  /** Notes everybody who was stored before notes were kept. */
  const begin = async (provider: string): Promise<void> => {
    const since = now().toISOString()
    const first = { provider, account: '', id: '' }
    const limit = pageSize
    for await (const rows of pagesOf<typeof first>(limit, (last) =>
      storage.all(statements.unsoldCustomers, { ...(last ?? first), limit }),
    ))
      await note(rows.map(({ account, id }) => ({ provider, account, role: 'customer', id, since })))
    for await (const rows of pagesOf<typeof first>(limit, async (last) => {
      const { account, id } = last ?? first
      return (await storage.all(statements.waiting, { provider, account, id, limit })).filter(
        (row) => row.provider === provider,
      )
    }))
      for (const { account, id } of rows) {
        const key = { provider, account }
        const refs = await storage.all(statements.refsOfPayment, { ...key, payment_id: id })
        await note(refs.map(({ ref }) => ({ ...key, ...roleAndId(ref), since })))
      }
    await begun.put(provider, since)
  }

  const note = async (people: readonly Omit<OtherPerson, 'due_at'>[]): Promise<void> => {
    if (people.length === 0) return
    await storage.commit(
      people.map((person) => step(statements.personNoted, { ...person, due_at: person.since })),
    )
  }

  /** Returns true if the note was written: dropped with the person, or moved. */
  const look = async (person: OtherPerson): Promise<boolean> => {
    const planned = await planOf(person)
    if (!(await write(planned.steps))) return false
    if (planned.later === null) return true
    // A message may have come while the note was moved. One that comes now moves it back.
    const again = await planOf({ ...person, due_at: planned.later })
    if (again.later === null) await write(again.steps)
    return true
  }

  const planOf = (person: OtherPerson): Promise<Planned> =>
    person.role === 'customer' ? ofCustomer(person) : ofFact(person)

  const write = async (steps: readonly Step[]): Promise<boolean> => {
    try {
      await storage.commit([...steps])
      return true
    } catch (error) {
      // A message came between. The note is still due.
      if (error instanceof UnitConflict) return false
      throw error
    }
  }

  const ofCustomer = async (person: OtherPerson): Promise<Planned> => {
    const { provider, account, id } = person
    const key = { provider, account }
    const [row] = await storage.all(statements.customer, { ...key, customer_id: id })
    const [fact] = await storage.all(statements.fact, { ...key, kind: 'customer', id })
    const isMembers = row !== undefined && (row.member_id !== null || row.purchased === 1)
    const standing = isMembers ? 'accepted' : await ledger.standingOf({ ...key, id })
    if (standing === 'accepted') return decided([step(statements.personDone, person)])
    if (standing === 'unknown' && !isOld(person)) return later(person)
    // A message is stored just before its customer is noted.
    const from = new Date(Date.parse(person.since) - 60_000).toISOString()
    return decided([
      ...(standing === 'foreign' ? [events.dropBodiesOf({ ...key, object_id: id, from })] : []),
      ...(row === undefined
        ? []
        : [step(statements.customerUpdate, { ...row, email: null, name: null, place: null }, 1)]),
      ...(fact === undefined
        ? []
        : [
            step(
              statements.factUpdate,
              { ...fact, data: scrubbed(fact.data), tied: scrubbedTied(fact.tied) },
              1,
            ),
          ]),
      step(statements.personDone, person),
    ])
  }

  const ofFact = async (person: OtherPerson): Promise<Planned> => {
    const { provider, account, role, id } = person
    const key = { provider, account }
    const ref = `${role}:${id}`
    const { kind } = splitRef(ref)
    const [of] = await storage.all(statements.paymentOfRef, { ...key, ref })
    const [payment] = of ? await storage.all(statements.payment, { ...key, id: of.payment_id }) : []
    const [fact] = await storage.all(statements.fact, { ...key, kind, id })
    const done = step(statements.personDone, person)
    if (fact === undefined || payment === undefined || payment.status !== 'waiting') return decided([done])
    const stored = { kind: 'payment' as const, ...key, id: payment.id }
    const { standing } = await ledger.judgeStored(stored, new Map())
    if (standing === 'accepted') return decided([done])
    if (standing === 'unknown' && !isOld(person)) return later(person)
    const data = JSON.stringify(withoutPerson(JSON.parse(fact.data) as MoneyFact))
    return decided([
      step(statements.factUpdate, { ...fact, data, tied: tiedWithoutPerson(fact.tied) }, 1),
      // The payment's revision shows its next writer that a fact changed.
      step(statements.paymentUpdate, payment, 1),
      done,
    ])
  }

  const isOld = ({ since }: OtherPerson): boolean => now().getTime() - Date.parse(since) >= keptUnknownMs

  const later = (person: OtherPerson): Planned => {
    const moved = new Date(Date.parse(person.since) + keptUnknownMs).toISOString()
    return { steps: [step(statements.personLater, { ...person, later: moved })], later: moved }
  }

  return { runDue }
}

/** The steps for a noted person. `later`: the moment of the next look, where nothing is known yet. */
interface Planned {
  readonly steps: readonly Step[]
  readonly later: string | null
}

function decided(steps: readonly Step[]): Planned {
  return { steps, later: null }
}

function roleAndId(ref: string): { role: string; id: string } {
  const { role, id } = splitRef(ref)
  return { role, id }
}

const pageSize = 500
