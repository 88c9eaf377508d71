import type { FakeClock, Ids, Message, Messages } from '../engine/index.ts'
import type { FakeEvent } from './shapes.ts'

export type Cause = FakeEvent['request']

/** The account's events, in Stripe's envelope. */
export function createEvents(given: { ids: Ids; clock: FakeClock; messages: Messages; apiVersion: string }) {
  const { ids, clock, messages, apiVersion } = given
  let cause: Cause = { id: null, idempotency_key: null }

  return {
    all: (): readonly Message[] => messages.all(),
    find: (id: string): Message | undefined => messages.find(id),
    /** Runs a request; events appended meanwhile name it as their cause. */
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
        id: ids('evt'),
        object: 'event',
        api_version: apiVersion,
        created: clock.seconds(),
        data: { object, ...(previous === undefined ? {} : { previous_attributes: previous }) },
        livemode: false,
        pending_webhooks: 1,
        request: cause,
        type,
      }
      messages.append({ id: event.id, type, created: event.created, body: JSON.stringify(event) })
    },
  }
}
export type Events = ReturnType<typeof createEvents>
