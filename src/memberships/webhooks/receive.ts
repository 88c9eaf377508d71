import type { Delivery } from '../../providers/contract.ts'
import { isPing } from '../intake/trust.ts'
import { verifyDelivery } from '../intake/verify-delivery.ts'
import type { Inbox, Outcome } from './inbox.ts'
import type { Pings } from './pings.ts'

/**
 * Takes in one delivery: messages that are proven go to the inbox, what proves nothing is queued and asked for. `caller`
 * is the address that counts for it.
 * @throws ERR_WEBHOOK_SIGNATURE, ERR_WEBHOOK_UNVERIFIED, ERR_BODY_UNREADABLE, ERR_STORAGE, and of a ping ERR_RATE_LIMIT
 * and ERR_BUSY
 */
export type Receive = (key: string, delivery: Delivery, caller?: string) => Promise<Outcome | 'queued'>

/** The one way in for deliveries, of a route and of a host's own. */
export const createReceive =
  ({ inbox, pings, now }: { inbox: Inbox; pings: Pings; now: () => Date }): Receive =>
  async (key, delivery, caller) => {
    const { provider, secrets } = inbox.find(key)
    const account = await verifyDelivery(provider, delivery, secrets, now())
    if (isPing(provider, delivery))
      return pings.take({
        provider,
        account: account || (provider.account ?? ''),
        delivery,
        caller: caller ?? null,
      })
    let outcome: Outcome = 'ignored'
    for (const [place, event] of provider.read(delivery).entries())
      outcome = await inbox.takeIn({ key, account, event, place, delivery })
    return outcome
  }
