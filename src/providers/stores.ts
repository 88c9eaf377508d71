import { type StoreName, storeNames } from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import type { Provider } from './contract.ts'
import { type Feature, features, type Lacks } from './features.ts'

/** Features that a provider of app stores has: it reads. */
const reading: ReadonlySet<Feature> = new Set<Feature>(['ask', 'list', 'past_events'])

/** Reasons why a provider of an app store sells and changes nothing: the same one for every such feature. */
export function storeLacks(store: string): Lacks {
  const reason = `${store} sells in the app alone. A member changes and cancels there, and this site reads the result.`
  const names = Object.keys(features) as Feature[]
  return Object.fromEntries(names.filter((name) => !reading.has(name)).map((name) => [name, reason]))
}

/** Names the owner of a subscription whose buyer the store does not name. Its renewals belong to the same owner. */
export function ownerOfPurchase(id: string): string {
  return `purchase:${id}`
}

/** True for an owner that only a purchase names. */
export function isOfPurchase(owner: string): boolean {
  return owner.startsWith('purchase:')
}

/**
 * Checks that one provider alone reads each store: two would store every purchase twice.
 * @throws ERR_CONFIG
 */
export function checkStores(providers: ReadonlyMap<string, Pick<Provider, 'stores'>>): void {
  const readBy = new Map<StoreName, string>()
  for (const [key, { stores = [] }] of providers)
    for (const store of stores) {
      const other = readBy.get(store)
      if (other !== undefined) throw readTwice(store, other, key)
      readBy.set(store, key)
    }
}

function readTwice(store: StoreName, first: string, second: string): MembershipError {
  return new MembershipError(
    'ERR_CONFIG',
    `The providers ${first} and ${second} both read purchases of the store "${store}" (${storeNames[store]}), so each would be stored twice.`,
    {
      action: `Remove one of them, or take "${store}" out of membership.providers.revenuecat.stores.`,
    },
  )
}
