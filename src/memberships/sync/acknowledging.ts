import type { Unacknowledged } from '../../providers/contract.ts'
import type { Changes } from '../subscriptions/index.ts'

/** Acknowledges purchases at a store. @throws what the store's answer is, so that the caller tries again */
export type Acknowledge = (
  place: { readonly provider: string; readonly account: string },
  purchases: readonly Unacknowledged[],
) => Promise<void>

/** A problem for the operator, as monitoring stores it. */
interface Noticed {
  readonly kind: 'unacknowledged'
  readonly message: string
  readonly action: string
}

// Google refunds after three days: https://developer.android.com/google/play/billing/integrate#process
const alertMs = 24 * 60 * 60 * 1000

/**
 * Acknowledges each purchase through the guarded module, under a name of its own, so that a repetition is the
 * same request. A purchase that is a day old and still not acknowledged is a problem for the operator until
 * it is.
 */
export function createAcknowledging(deps: {
  readonly changes: Pick<Changes, 'ask'>
  readonly notice: (
    place: { readonly key: string; readonly account: string },
    respect: string,
    noticed: readonly Noticed[],
  ) => Promise<void>
  readonly now: () => Date
}): Acknowledge {
  const { changes, notice, now } = deps
  return async ({ provider, account }, purchases) => {
    for (const { boughtAt, ...purchase } of purchases) {
      const place = { key: provider, account }
      const respect = `acknowledge ${purchase.id}`
      const isLate = now().getTime() - Date.parse(boughtAt) > alertMs
      try {
        await changes.ask(
          {
            kind: 'acknowledge',
            provider,
            account,
            object: purchase.id,
            memberId: null,
            requestedBy: { kind: 'rule', name: 'acknowledge-purchase' },
            reason: 'the store refunds a purchase that nobody acknowledges',
            name: `acknowledge:${provider}:${account}:${purchase.id}`,
            mayRepeat: true,
          },
          purchase,
        )
      } catch (error) {
        if (isLate) await notice(place, respect, [lateOf(provider, boughtAt)])
        throw error
      }
      if (isLate) await notice(place, respect, [])
    }
  }
}

function lateOf(provider: string, boughtAt: string): Noticed {
  return {
    kind: 'unacknowledged',
    message: `A purchase of ${boughtAt.slice(0, 10)} at ${provider} could not be acknowledged for a day. The store refunds it after three days.`,
    action: `Look into the log for the store’s answer, and check that membership.providers.${provider}.secret may manage orders.`,
  }
}
