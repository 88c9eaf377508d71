import { toMillisecond } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { ProviderKey } from '../../core/register.ts'
import { createDocuments, type Storage, step } from '../../core/storage/index.ts'
import type { Past } from './past.ts'
import type { InboxStatements, ListedEvent, StoredEvent } from './statements.ts'

/** Selects received events. */
export interface EventQuery {
  /** Only events that failed, were given up, or are held. */
  readonly failed?: boolean
  /** Only events of this provider. */
  readonly provider?: ProviderKey
  /** `seq` of the last event of the previous page. */
  readonly before?: number
  /** Default: 50. */
  readonly limit?: number
}

/** The archive of received events, for reading them while their bodies are kept. */
export function createArchive(deps: {
  storage: Storage
  statements: InboxStatements
  past: Past
  now: () => Date
  keepBodiesDays: number
  /** The providers whose accounts may sell for other shops, too. */
  shared: () => readonly string[]
}) {
  const { storage, statements, past, now, keepBodiesDays, shared } = deps
  const documents = createDocuments(storage, 'other-bodies')

  /**
   * Returns the event as operators see it.
   * @throws ERR_NOT_FOUND
   */
  const get = async (id: string): Promise<StoredEvent> => shown(await getStored(id))

  /** @throws ERR_NOT_FOUND */
  const getStored = async (id: string): Promise<StoredEvent> => {
    const found = /^\d+$/.test(id)
      ? (await storage.all(statements.bySeq, { seq: Number(id) }))[0]
      : await named(id)
    if (found) return found
    const left = await past.receivedAt(id)
    if (left !== null)
      throw new MembershipError('ERR_NOT_FOUND', `${id} arrived on ${left.slice(0, 10)} and was applied.`, {
        action: 'Only the ids of events as old as this are kept. Compare with the provider instead.',
      })
    throw new MembershipError('ERR_NOT_FOUND', `No received event ${id}.`, {
      action: 'See the numbers and ids with: membership webhooks list',
    })
  }

  /** Finds an event by the provider's id under any account label, because the index begins with provider and label. */
  const named = async (event_id: string): Promise<StoredEvent | undefined> => {
    for (let place = { provider: '', account: '' }; ; ) {
      const [next] = await storage.all(statements.placeAfter, place)
      if (!next) return undefined
      const [found] = await storage.all(statements.byKey, { ...next, event_id })
      if (found) return found
      place = next
    }
  }

  /**
   * Returns the event with its body.
   * @throws ERR_BODY_UNREADABLE when there is nothing left to apply
   */
  const whole = (stored: StoredEvent): StoredEvent & { body: Buffer } => {
    const { body } = stored
    if (body !== null) return { ...stored, body }
    const why = `after ${keepBodiesDays} days, or with the account of the member`
    throw new MembershipError('ERR_BODY_UNREADABLE', `The body of ${stored.event_id} was deleted ${why}.`, {
      action: 'Nothing was changed. Let the provider send it again, or compare with the provider.',
    })
  }

  /** Lists received events, newest first, without their bodies. */
  const list = async (filter: EventQuery = {}): Promise<ListedEvent[]> => {
    const rows = await storage.read((db) => {
      let query = db
        .selectFrom('events')
        .select([
          'seq',
          'provider',
          'account',
          'event_id',
          'type',
          'object_id',
          'occurred_at',
          'received_at',
          'status',
          'reason',
          'attempts',
          'next_try_at',
        ])
        .orderBy('seq', 'desc')
        .limit(filter.limit ?? 50)
      if (filter.failed) query = query.where('status', 'in', ['failed', 'dead', 'held'])
      if (filter.provider) query = query.where('provider', '=', filter.provider)
      if (filter.before !== undefined) query = query.where('seq', '<', filter.before)
      return query
    })
    return rows.map(shown)
  }

  /** Deletes the bodies of old events. Ids and hashes stay, so that an old capture cannot be replayed. */
  const dropOldBodies = async (): Promise<void> => {
    const before = new Date(now().getTime() - keepBodiesDays * 86_400_000).toISOString()
    while ((await storage.all(statements.oldBody, { before })).length > 0)
      await storage.commit([step(statements.dropBodies, { before })])
  }

  /**
   * Deletes the bodies of events that say nothing of this site's after a week. Each event is looked at once, on the day
   * that it is a week old.
   */
  const dropOtherBodies = async (): Promise<void> => {
    const end = now().getTime() - otherBodiesMs
    for (const provider of shared()) {
      const done = await documents.get<string>(provider)
      // Older bodies are gone already. A day at a time, so that no search passes many events that stay.
      let from = done === null ? end - keepBodiesDays * dayMs : Date.parse(done)
      if (from >= end) continue
      while (from < end) {
        const until = Math.min(from + dayMs, end)
        const days = { provider, from: new Date(from).toISOString(), before: new Date(until).toISOString() }
        while ((await storage.all(statements.otherBody, days)).length > 0)
          await storage.commit([step(statements.dropOtherBodies, days)])
        from = until
      }
      // An interrupted search begins again: it finds nothing twice.
      await documents.put(provider, new Date(end).toISOString())
    }
  }

  return { get, getStored, whole, list, dropOldBodies, dropOtherBodies }
}

const dayMs = 86_400_000
const otherBodiesMs = 7 * dayMs

function shown<E extends { occurred_at: string }>(event: E): E {
  return {
    ...event,
    occurred_at: toMillisecond(event.occurred_at),
  }
}
