import { createHash } from 'node:crypto'
import { MembershipError } from '../../core/errors.ts'
import { createTurns } from '../../core/jobs/turns.ts'
import type { DocumentStore } from '../contract.ts'
import type { Events } from './events.ts'
import { type SandboxEvent, type SandboxKind, type SandboxObject, sandboxObjects } from './objects.ts'

/** What a call asks for: the same key with something else is a mistake. */
export type Asked = Readonly<Record<string, string | number | null | undefined>>

/** One change of the books: nothing is written, and nothing sent, before its function has ended well. */
export interface Desk {
  find<K extends SandboxKind>(kind: K, id: string): Promise<SandboxObject<K> | null>
  /** @throws ERR_NOT_FOUND */
  get<K extends SandboxKind>(kind: K, id: string): Promise<SandboxObject<K>>
  /** Writes an object with its next revision and sends a message about it, as of that moment. */
  write<K extends SandboxKind>(
    kind: K,
    object: SandboxObject<K>,
    as: { type: string; at: string },
  ): SandboxObject<K>
  /** Writes what only the sandbox knows of an object: no revision, no message. */
  keep<K extends SandboxKind>(kind: K, object: SandboxObject<K>): void
}

/**
 * The sandbox's books: documents by kind and id. In one process all that is about one customer or one checkout takes
 * turns. Two processes are not kept apart; but ids come from what happened, not from chance, so that a renewal that
 * both make is one payment and one message.
 */
export const createBooks = ({ store, events }: { store: DocumentStore; events: Events }) => {
  const turns = createTurns()

  const find = async <K extends SandboxKind>(kind: K, id: string): Promise<SandboxObject<K> | null> => {
    const kept = await store.get<unknown>(`${kind}/${id}`)
    // Parsed: a document of an older version lacks what has come since.
    return kept === null ? null : (sandboxObjects[kind].parse(kept) as SandboxObject<K>)
  }
  const get = async <K extends SandboxKind>(kind: K, id: string): Promise<SandboxObject<K>> => {
    const found = await find(kind, id)
    if (found) return found
    throw new MembershipError('ERR_NOT_FOUND', `The sandbox has no ${kind} "${id}".`)
  }
  const all = async <K extends SandboxKind>(kind: K): Promise<SandboxObject<K>[]> =>
    (await store.list<unknown>(`${kind}/`)).map(
      (kept) => sandboxObjects[kind].parse(kept) as SandboxObject<K>,
    )

  /** Changes what belongs to these owners (customers, checkouts). */
  const change = <T>(owners: readonly string[], run: (desk: Desk) => Promise<T>): Promise<T> =>
    turns.take(owners, async () => {
      const sheet = createSheet()
      const result = await run(sheet.desk)
      await commit(sheet)
      return result
    })

  /** A change that is done once for its key, however often it is asked for. @throws ERR_IDEMPOTENCY_REUSED */
  const call = <T>(
    { key, what, owners }: { key: string; what: Asked; owners: readonly string[] },
    run: (desk: Desk) => Promise<T>,
  ): Promise<T> =>
    turns.take([...owners, `call/${key}`], async () => {
      const place = `call/${idFrom('key', key)}`
      // In an order of its own: the caller's is no part of what is asked.
      const asked = JSON.stringify(what, Object.keys(what).sort())
      const done = await store.get<{ asked: string; result: T }>(place)
      if (done !== null && done.asked !== asked)
        throw new MembershipError(
          'ERR_IDEMPOTENCY_REUSED',
          'The sandbox was asked for something else with this idempotency key.',
          { action: 'Make a new key for every call.' },
        )
      if (done !== null) return done.result
      const sheet = createSheet()
      const result = await run(sheet.desk)
      sheet.documents.set(place, { asked, result })
      await commit(sheet)
      return result
    })

  const createSheet = () => {
    const documents = new Map<string, unknown>()
    const messages: SandboxEvent[] = []
    const seen = async <K extends SandboxKind>(kind: K, id: string): Promise<SandboxObject<K> | null> =>
      (documents.get(`${kind}/${id}`) as SandboxObject<K> | undefined) ?? find(kind, id)
    const desk: Desk = {
      find: seen,
      get: async (kind, id) => (await seen(kind, id)) ?? get(kind, id),
      write: (kind, object, { type, at }) => {
        const written = { ...object, updated: revisionAfter(object.updated, at) }
        documents.set(`${kind}/${object.id}`, written)
        const id = idFrom('evt', type, object.id, written.updated)
        messages.push({ id, type, created: at, object: kind, data: written } as SandboxEvent)
        return written
      },
      keep: (kind, object) => {
        documents.set(`${kind}/${object.id}`, object)
      },
    }
    return { documents, messages, desk }
  }

  const commit = async ({ documents, messages }: ReturnType<typeof createSheet>): Promise<void> => {
    // Asked for in one turn of the event loop, they are written in one transaction.
    await Promise.all([
      ...[...documents].map(([key, value]) => store.put(key, value)),
      ...messages.map(events.keep),
    ])
    events.send(messages)
  }

  return { find, get, all, change, call }
}
export type Books = ReturnType<typeof createBooks>

/** An id that the same happening always gets. */
export const idFrom = (prefix: string, ...parts: readonly string[]): string =>
  `${prefix}_${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 24)}`

/** Before an object is written first: any moment is later. */
export const unwritten = new Date(0).toISOString()

// Two changes of one millisecond are two revisions: which is the newer one is never a question.
const revisionAfter = (last: string, at: string): string =>
  at > last ? at : new Date(Date.parse(last) + 1).toISOString()
