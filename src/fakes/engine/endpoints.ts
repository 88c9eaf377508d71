import type { Webhook } from './delivery.ts'
import { type Tracking, trackValue } from './saving.ts'

/** A webhook endpoint of the account, as its API lists it. */
export interface Endpoint extends Pick<Webhook, 'url' | 'secret' | 'isEnabled' | 'events'> {
  /** Part of its id: `of_the_fake` for the endpoint of the test, then numbers. */
  readonly key: string
}

/** The webhook endpoints of an account. Events go to the endpoint of the test alone, which comes first. */
export interface Endpoints {
  list(): readonly Endpoint[]
  make(fields: Omit<Endpoint, 'key'>): Endpoint
  /** Changes an endpoint; undefined without one of that key. */
  change(key: string, fields: Partial<Omit<Endpoint, 'key'>>): Endpoint | undefined
}

const ofTest = 'of_the_fake'

/** Keeps the endpoints that requests make beside the one of the test. */
export function createEndpoints({
  endpoint,
  sendTo,
  saving,
}: {
  endpoint: () => Webhook | undefined
  sendTo: (webhook: Webhook) => void
  saving: Tracking
}): Endpoints {
  let made: readonly Endpoint[] = []
  trackValue(
    saving,
    () => made,
    (value) => {
      made = value
    },
  )
  const list = (): Endpoint[] => {
    const own = endpoint()
    return [...(own === undefined ? [] : [{ ...own, key: ofTest }]), ...made]
  }
  return {
    list,
    make: (fields) => {
      const added = { ...fields, key: String(made.length + 2) }
      made = [...made, added]
      return added
    },
    change: (key, fields) => {
      const own = endpoint()
      if (key === ofTest && own !== undefined) sendTo({ ...own, ...fields })
      made = made.map((item) => (item.key === key ? { ...item, ...fields } : item))
      return list().find((item) => item.key === key)
    },
  }
}
