import { MembershipError } from '../../core/errors.ts'
import { createKeyedMutex } from '../../core/jobs/keyed-mutex.ts'
import type { DocumentStore } from '../contract.ts'
import { type Book, type Kept, openBook } from './book.ts'
import { type Events, placeOf } from './events.ts'
import { hashOf } from './ids.ts'

/** Content of a call. The same key with other content is an error. */
export type Asked = Readonly<Record<string, string | number | null | undefined>>

/** Stored state of a buyer's book, with its next due time. */
interface Due {
  readonly owner: string
  /** Unix seconds; null if nothing is due by itself. */
  readonly at: number | null
  /** Increases with every change, so that a writer with an older one must read again. */
  readonly revision: number
}

export interface Books {
  /** Reads a book without saving changes; null if there is none. */
  look<T>(owner: string, read: (book: Book) => T): Promise<T | null>
  /** Returns the owner of the book with a checkout, whose id is the site's. */
  ownerOfCheckout(id: string): Promise<string | null>
  all(): Promise<Book[]>
  /** Changes a buyer's book as of now. */
  change<T>(owner: string, run: (book: Book, documents: Map<string, unknown>) => T): Promise<T>
  /** Makes a change once per key, however often it is requested. @throws ERR_IDEMPOTENCY_REUSED */
  call<T>(
    input: { key: string; what: Asked; owner: string },
    run: (book: Book, documents: Map<string, unknown>) => T,
  ): Promise<T>
  /** Does everything due in all books, in order of time and one at a time. */
  runDue(): Promise<void>
}

/**
 * The sandbox's books: one per buyer, loaded and saved around each unit of work. Within a process, work on
 * one buyer is serialised. If two processes change a book at once, the second reads it again.
 */
export function createBooks(deps: { store: DocumentStore; events: Events; now: () => Date }): Books {
  const { store, events, now } = deps
  const mutex = createKeyedMutex()

  const load = async (owner: string): Promise<{ due: Due | null; kept: Kept | null }> => {
    const due = await store.get<Due>(`due/${owner}`)
    return { due, kept: due && (await store.get<Kept>(`book/${owner}`)) }
  }

  const look = async <T>(owner: string, read: (book: Book) => T): Promise<T | null> => {
    const { kept } = await load(owner)
    if (kept === null) return null
    const book = openBook(owner, kept)
    book.catchUp(now().getTime())
    book.at(now().getTime())
    return read(book)
  }

  const ownerOfCheckout = async (id: string): Promise<string | null> =>
    (await store.get<{ owner: string }>(placeOfCheckout(id)))?.owner ?? null

  const all = async (): Promise<Book[]> =>
    (await store.list<Kept>('book/')).map((kept) => openBook(kept.owner, kept))

  // Reads, does what is due, changes and writes. If another process wrote meanwhile, it starts again from the
  // reading.
  const work = async <T>(
    owner: string,
    untilMs: number,
    run: (book: Book, documents: Map<string, unknown>) => T,
  ): Promise<T> => {
    for (;;) {
      const { due, kept } = await load(owner)
      const book = openBook(owner, kept)
      book.catchUp(untilMs)
      const documents = new Map<string, unknown>()
      const result = run(book, documents)
      const messages = book.messages()
      for (const message of messages) documents.set(placeOf(message), message)
      documents.set(`book/${owner}`, book.kept())
      const value: Due = { owner, at: book.dueAt(), revision: (due?.revision ?? 0) + 1 }
      if (!(await store.swap({ key: `due/${owner}`, was: due, value }, documents))) continue
      events.send(messages)
      return result
    }
  }

  const change = <T>(owner: string, run: (book: Book, documents: Map<string, unknown>) => T): Promise<T> =>
    mutex.take([owner], () =>
      work(owner, now().getTime(), (book, documents) =>
        book.act(now().getTime(), () => run(book, documents)),
      ),
    )

  const call = <T>(
    { key, what, owner }: { key: string; what: Asked; owner: string },
    run: (book: Book, documents: Map<string, unknown>) => T,
  ): Promise<T> =>
    mutex.take([`call/${key}`], async () => {
      const place = `call/${hashOf('key', key)}`
      // Sorted, because the caller's order is not part of the content.
      const asked = JSON.stringify(what, Object.keys(what).sort())
      const done = await store.get<{ asked: string; result: T }>(place)
      if (done !== null && done.asked !== asked)
        throw new MembershipError(
          'ERR_IDEMPOTENCY_REUSED',
          'The sandbox was asked for something else with this idempotency key.',
          { action: 'Make a new key for every call.' },
        )
      if (done !== null) return done.result
      return change(owner, (book, documents) => {
        const result = run(book, documents)
        documents.set(place, { asked, result })
        return result
      })
    })

  const runDue = async (): Promise<void> => {
    const until = Math.floor(now().getTime() / 1000)
    const waiting = new Map<string, number>()
    const plan = (owner: string, at: number | null) => {
      if (at !== null && at <= until) waiting.set(owner, at)
    }
    for (const { owner, at } of await store.list<Due>('due/')) plan(owner, at)
    while (waiting.size > 0) {
      const [[owner, at]] = [...waiting].sort(earlierFirst) as [[string, number]]
      waiting.delete(owner)
      plan(owner, await mutex.take([owner], () => step(owner, at)))
    }
  }
  // Another process may have done it meanwhile.
  const step = async (owner: string, at: number): Promise<number | null> => {
    const due = await store.get<Due>(`due/${owner}`)
    return due?.at === at ? work(owner, at * 1000, (book) => book.dueAt()) : (due?.at ?? null)
  }

  return { look, ownerOfCheckout, all, change, call, runDue }
}

function earlierFirst([a, at]: [string, number], [b, bt]: [string, number]): number {
  return at - bt || (a < b ? -1 : 1)
}

/** Storage key of a checkout's owner. */
export function placeOfCheckout(id: string): string {
  return `checkout-of/${id}`
}

/** ERR_NOT_FOUND for an object that is in no book. */
export function unknownObject(kind: string, id: string): MembershipError {
  return new MembershipError('ERR_NOT_FOUND', `The sandbox has no ${kind} "${id}".`)
}
