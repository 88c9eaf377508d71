import { isMembershipError } from '../../core/errors.ts'
import type { ProviderKey } from '../../core/register.ts'
import type { Delivery } from '../../providers/contract.ts'
import { isPing, verifyDelivery } from '../verification/index.ts'
import type { Inbox, Outcome } from './inbox.ts'
import type { Pings } from './pings.ts'

/**
 * Takes in one delivery. Verified events go to the inbox; an unsigned ping is queued, and its objects are fetched.
 * `caller` is the address that its limits count for.
 * @throws ERR_WEBHOOK_SIGNATURE, ERR_WEBHOOK_UNVERIFIED, ERR_BODY_UNREADABLE, ERR_STORAGE, and for a ping
 * ERR_RATE_LIMIT and ERR_BUSY
 */
export type Receive = (key: ProviderKey, delivery: Delivery, caller?: string) => Promise<Outcome | 'queued'>

/** Records the outcome of a delivery. */
export type NoteArrival = (
  provider: string,
  account: string,
  arrival: 'received' | 'failed' | 'refused',
) => void

/** The single entrance for deliveries, from the route and from a host's own code. */
export function createReceive(deps: {
  inbox: Inbox
  pings: Pings
  /**
   * True if that address sent a genuine ping before. A delivery that anybody may have sent says nothing about the
   * provider.
   */
  isProven: (address: string) => boolean
  note: NoteArrival
  now: () => Date
}): Receive {
  const { inbox, pings, isProven, note, now } = deps

  const verified = async ({ provider, secrets }: ReturnType<Inbox['find']>, delivery: Delivery) => {
    try {
      return await verifyDelivery(provider, delivery, secrets, now())
    } catch (error) {
      if (isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE')) note(provider.key, '', 'refused')
      throw error
    }
  }

  return async (key, delivery, caller) => {
    const configured = inbox.find(key)
    const { provider } = configured
    const account = await verified(configured, delivery)
    if (isPing(provider, delivery)) {
      const place = account || (provider.account ?? '')
      const outcome = await pings.take({ provider, account: place, delivery, caller: caller ?? null })
      if (caller !== undefined && isProven(caller)) note(key, place, 'received')
      return outcome
    }
    let outcome: Outcome = 'ignored'
    for (const [place, event] of provider.read(delivery).entries())
      outcome = await inbox.takeIn({ key, account, event, place, delivery })
    note(key, account, outcome === 'kept' ? 'failed' : 'received')
    return outcome
  }
}
