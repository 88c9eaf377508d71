import type { WorldClock } from './clock.ts'
import type { Ids } from './random.ts'
import type { FakeEvent } from './types.ts'

/** An event as it was first written; `body` are the bytes that every delivery sends. */
export interface StoredEvent {
  readonly id: string
  readonly type: string
  readonly created: number
  readonly body: string
}
export type Cause = FakeEvent['request']

/** All events, oldest first. They are kept as text, which is small, and nothing can change them afterwards. */
export const createEventLog = (given: { ids: Ids; clock: WorldClock; apiVersion: string }) => {
  const all: StoredEvent[] = []
  const byId = new Map<string, StoredEvent>()
  const listeners: ((event: StoredEvent) => void)[] = []
  let cause: Cause = { id: null, idempotency_key: null }

  return {
    all: (): readonly StoredEvent[] => all,
    find: (id: string): StoredEvent | undefined => byId.get(id),
    onAppend: (listener: (event: StoredEvent) => void): void => {
      listeners.push(listener)
    },
    /** What is appended meanwhile was caused by that request. */
    causedBy: <T>(request: Cause, run: () => T): T => {
      const before = cause
      cause = request
      try {
        return run()
      } finally {
        cause = before
      }
    },
    append: (type: string, object: Record<string, unknown>, previous?: Record<string, unknown>): void => {
      const event: FakeEvent = {
        id: given.ids('evt'),
        object: 'event',
        api_version: given.apiVersion,
        created: given.clock.seconds(),
        data: { object, ...(previous === undefined ? {} : { previous_attributes: previous }) },
        livemode: false,
        pending_webhooks: 1,
        request: cause,
        type,
      }
      const stored = { id: event.id, type, created: event.created, body: JSON.stringify(event) }
      all.push(stored)
      byId.set(stored.id, stored)
      for (const listener of listeners) listener(stored)
    },
  }
}
export type EventLog = ReturnType<typeof createEventLog>
