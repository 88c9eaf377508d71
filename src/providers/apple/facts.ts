import { currencyDigits } from '../../core/dto/index.ts'
import { currency, int, str, time } from '../narrow.ts'
import type { Bought, Renewal, Transaction } from './payload.ts'

/** Converts Unix milliseconds. */
export const moment = (ms: unknown): string | null => (typeof ms === 'number' ? time(ms / 1000) : null)

/** Only the App Store's production environment takes money; TestFlight uses the sandbox. Source:
 *  https://developer.apple.com/documentation/appstoreservernotifications/environment */
export const livemodeOf = (environment: unknown): boolean | null =>
  environment === 'Production'
    ? true
    : environment === 'Sandbox' || environment === 'Xcode' || environment === 'LocalTesting'
      ? false
      : null

/** Converts an amount, which Apple gives in thousandths of the currency's unit. Source:
 *  https://developer.apple.com/documentation/appstoreservernotifications/price */
export function minorOf(milliunits: unknown, code: string | null): number | null {
  const amount = int(milliunits)
  return amount === null || code === null ? null : Math.round((amount * 10 ** currencyDigits(code)) / 1000)
}

/** Returns currency and amount of a transaction: the price of the whole quantity, with the taxes that the
 *  store's price contains, before Apple's commission. */
export function priceOf(raw: Transaction): { currency: string | null; amount: number | null } {
  const code = currency(raw.currency)
  return { currency: code, amount: minorOf(raw.price, code) }
}

/** Returns currency and amount of the next renewal. */
export function renewalPriceOf(raw: Renewal): { currency: string | null; amount: number | null } {
  const code = currency(raw.currency)
  return { currency: code, amount: minorOf(raw.renewalPrice, code) }
}

/** The id of a product in the configuration. */
export const priceIdOf = ({ productId }: Pick<Transaction, 'productId'>): string | null => {
  const product = str(productId)
  return product === null ? null : `apple:${product}`
}

/** The member's token, which the app gave to the purchase; people who share it in their family have none.
 *  Source: https://developer.apple.com/documentation/appstoreserverapi/appaccounttoken */
export const customerOf = ({
  transaction,
  renewal,
}: Pick<Bought, 'transaction' | 'renewal'>): string | null =>
  str(transaction.appAccountToken)?.toLowerCase() ?? str(renewal.appAccountToken)?.toLowerCase() ?? null

export const isShared = ({ inAppOwnershipType }: Transaction): boolean =>
  inAppOwnershipType === 'FAMILY_SHARED'

export const isSubscription = ({ type }: Transaction): boolean => type === 'Auto-Renewable Subscription'
