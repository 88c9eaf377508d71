const formerReadings = new WeakMap<object, object>()

/**
 * Notes how 2.0.0-rc.1 read the same object of a provider, where that differs. Its stored messages are known again by this
 * reading. It lies beside the snapshot, because it says nothing of the subscription.
 */
export function noteFormer<T extends object>(present: T, former: T): void {
  formerReadings.set(present, former)
}

/** Returns how 2.0.0-rc.1 read the same object; undefined where that makes no difference. */
export function formerOf<T extends object>(present: T): T | undefined {
  return formerReadings.get(present) as T | undefined
}
