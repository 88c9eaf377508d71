import type { Log } from '../../core/log.ts'
import type { DocumentStore } from '../contract.ts'
import { type Events, placeOf } from './events.ts'
import { messageId } from './ids.ts'
import { type SandboxSubscription, sandboxSubscription } from './objects.ts'

/**
 * Ends subscriptions of an older version, whose books had another format. The site is notified, and its
 * members can buy again. It runs once.
 */
export function createOlder(deps: { store: DocumentStore; events: Events; now: () => Date; log: Log }) {
  const { store, events, now, log } = deps
  let hasLooked = false

  const end = async (sold: SandboxSubscription): Promise<void> => {
    if (sold.status !== 'canceled') {
      const at = now().toISOString()
      const over = { paused: null, resumes: null, scheduled: null, updated: at }
      const data = { ...sold, ...over, status: 'canceled' as const, canceled: sold.canceled ?? at, ended: at }
      const type = 'subscription.deleted'
      const message = { id: messageId(type, data), type, created: at, object: 'subscription' as const, data }
      await store.put(placeOf(message), message)
      events.send([message])
    }
    await store.put(`subscription/${sold.id}`, null)
  }

  return async (): Promise<void> => {
    if (hasLooked) return
    hasLooked = true
    const kept = (await store.list<unknown>('subscription/')).filter((record) => record !== null)
    const sold = kept.map((record) => sandboxSubscription.parse(record))
    for (const record of sold) await end(record)
    if (sold.length > 0)
      log('the sandbox keeps its books in another way since this version: what was bought before has ended', {
        memberships: sold.length,
        action: 'Buy anew, or begin with an empty database.',
      })
  }
}
