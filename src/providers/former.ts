import type { SubscriptionSnapshot } from './snapshots.ts'

const formerReadings = new WeakMap<SubscriptionSnapshot, SubscriptionSnapshot>()

/**
 * Notes how 2.0.0-rc.1 read the same object, where that differs. Its stored messages are known again by this reading. It
 * lies beside the snapshot, because it says nothing of the subscription.
 */
export const noteFormer = (present: SubscriptionSnapshot, former: SubscriptionSnapshot): void => {
  formerReadings.set(present, former)
}

/** Returns how 2.0.0-rc.1 read the same object; undefined where that makes no difference. */
export const formerOf = (present: SubscriptionSnapshot): SubscriptionSnapshot | undefined =>
  formerReadings.get(present)
