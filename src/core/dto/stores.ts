import { linkable } from '../url.ts'
/** The stores in which people buy on a device, with their names for people. A purchase is changed only there. */
export const storeNames = {
  app_store: 'App Store',
  mac_app_store: 'Mac App Store',
  play_store: 'Google Play',
  amazon: 'Amazon Appstore',
  roku: 'Roku',
  galaxy: 'Galaxy Store',
} as const

/** One of {@link storeNames}. */
export type StoreName = keyof typeof storeNames

/** The place where a member manages a subscription that this site cannot change. */
export interface ManagedIn {
  /** Null for time that the app's team gave, which nobody manages. */
  readonly store: StoreName | null
  /** The store's page of the member's subscriptions; null if the store has none. */
  readonly url: string | null
}

/**
 * The stores' own pages: https://support.apple.com/118428,
 * https://support.google.com/googleplay/answer/7018481,
 * https://www.amazon.com/gp/help/customer/display.html?nodeId=G2SY3GZWAQGA2WFA
 */
const pages: Readonly<Partial<Record<StoreName, string>>> = {
  app_store: 'https://apps.apple.com/account/subscriptions',
  mac_app_store: 'https://apps.apple.com/account/subscriptions',
  play_store: 'https://play.google.com/store/account/subscriptions',
  amazon: 'https://www.amazon.com/appstoresubscriptions',
  roku: 'https://my.roku.com/account/subscriptions',
}

/** Returns the store's own page of subscriptions, unless the provider told a better one. */
export function managedAt(store: StoreName | null, url: string | null = null): ManagedIn {
  return { store, url: linkable(url) ?? (store === null ? null : (pages[store] ?? null)) }
}
