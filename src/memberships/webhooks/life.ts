import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Storage, step, type Unit } from '../../core/storage/index.ts'
import { inUnits, type LeavingKey, type MemberLife, nothing } from '../life.ts'
import { bodyStatements, type Place, type StoredBody } from './body-statements.ts'

/** Received events in the life of a member. `objectsOf`: the ids that a member's events are about. */
export function webhooksLife(
  storage: Storage,
  given: { readonly objectsOf: (member: LeavingKey) => Promise<Objects> },
) {
  const statements = bodyStatements(storage)

  /** Units that empty the events that still have a body, where they are about the member or name the member. */
  const eraseRecords = async function* (member: LeavingKey): AsyncGenerator<Unit> {
    const concerns = concernsIn(await given.objectsOf(member), member.email)
    for (let last: Place = { received_at: '', seq: 0 }; ; ) {
      const rows = await storage.all(statements.bodies, last)
      yield* inUnits(rows.filter(concerns).map(({ seq }) => step(statements.bodyDrop, { seq })))
      const end = rows.at(-1)
      if (end === undefined) return
      last = { received_at: end.received_at, seq: Number(end.seq) }
      // On SQLite a read holds the process, so others have their turn between two.
      await nextTurn()
    }
  }

  return {
    name: 'webhooks',
    tables: ['events', 'past_events'],
    lock: nothing,
    eraseRecords,
    erase: nothing,
    export: nothing,
    merge: nothing,
    unmerge: nothing,
    restore: nothing,
  } as const satisfies MemberLife
}

type Objects = ReadonlyMap<string, { readonly ids: ReadonlySet<string> }>

/**
 * True for an event about an object of the member, and for a body that contains the address or an id of the member.
 * Bodies that nobody understands are stored, too.
 */
function concernsIn(objects: Objects, email: string | null): (event: StoredBody) => boolean {
  const words = [...objects.values()].flatMap((group) => [...group.ids].map((id) => `"${id.toLowerCase()}"`))
  if (email !== null) words.push(email)
  return ({ provider, account, object_id, body }) => {
    const own = objects.get(JSON.stringify([provider, account]))
    if (object_id !== null && own?.ids.has(object_id)) return true
    const text = body.toString('utf8').toLowerCase()
    return words.some((word) => text.includes(word))
  }
}
