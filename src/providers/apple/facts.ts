import { currencyDigits, moneyOf, type StatedMoney, sumOf, type Unstated } from '../../core/dto/index.ts'
import { type Fields, int, list, obj, str, time } from '../narrow.ts'
import type { Bought, PriceTier, Renewal, Transaction } from './payload.ts'

/** Converts Unix milliseconds. */
export function moment(ms: unknown): string | null {
  return typeof ms === 'number' ? time(ms / 1000) : null
}

/**
 * Only the App Store's production environment takes money; TestFlight uses the sandbox. Source:
 * https://developer.apple.com/documentation/appstoreservernotifications/environment
 */
export function livemodeOf(environment: unknown): boolean | null {
  return environment === 'Production'
    ? true
    : environment === 'Sandbox' || environment === 'Xcode' || environment === 'LocalTesting'
      ? false
      : null
}

/**
 * Converts an amount, which Apple gives in thousandths of the currency's unit. Source:
 * https://developer.apple.com/documentation/appstoreservernotifications/price
 */
export function minorOf(milliunits: unknown, code: string): number | null {
  const amount = int(milliunits)
  return amount === null ? null : Math.round((amount * 10 ** currencyDigits(code)) / 1000)
}

/**
 * Returns the money of a transaction: of the whole quantity, with the taxes that the store's price contains,
 * before Apple's commission. A purchase of several seats states the average per seat as its price, and each
 * tier's own. Source: https://developer.apple.com/documentation/appstoreserverapi/transactionmultiseatinfo
 */
export function priceOf(raw: Transaction): StatedMoney | Unstated {
  const whole = moneyOf(raw, { amount: 'price', currency: 'currency' }, minorOf)
  return tiersOf(list(obj(raw.multiSeatInfo).priceTiers), raw) ?? whole
}

/** Returns the money of the next renewal, as `priceOf`. */
export function renewalPriceOf(raw: Renewal): StatedMoney | Unstated {
  const whole = moneyOf(raw, { amount: 'renewalPrice', currency: 'currency' }, minorOf)
  return tiersOf(list(obj(raw.multiSeatInfo).renewalPriceTiers), raw) ?? whole
}

// A tier states no currency: it is part of the transaction.
function tiersOf(
  tiers: readonly PriceTier[],
  { currency }: Fields<'currency'>,
): StatedMoney | Unstated | null {
  return tiers.length === 0
    ? null
    : sumOf(
        tiers.map(({ price, quantity }) =>
          moneyOf(
            { milliunits: (int(price) ?? Number.NaN) * (int(quantity) ?? 1), currency },
            inThousandths,
            minorOf,
          ),
        ),
      )
}
const inThousandths = { amount: 'milliunits', currency: 'currency' } as const

/** The id of a product in the configuration. */
export function priceIdOf({ productId }: Pick<Transaction, 'productId'>): string | null {
  const product = str(productId)
  return product === null ? null : `apple:${product}`
}

/**
 * The member's token, which the app gave to the purchase; people who share it in their family have none.
 * Source: https://developer.apple.com/documentation/appstoreserverapi/appaccounttoken
 */
export function customerOf({ transaction, renewal }: Pick<Bought, 'transaction' | 'renewal'>): string | null {
  return (
    str(transaction.appAccountToken)?.toLowerCase() ?? str(renewal.appAccountToken)?.toLowerCase() ?? null
  )
}

/**
 * Returns how somebody has what another person pays for: shared in a family, or a seat of a group. Source:
 * https://developer.apple.com/documentation/appstoreserverapi/inappownershiptype
 */
export function sharedBy({ inAppOwnershipType: type }: Transaction): 'family_shared' | 'assigned' | null {
  return type === 'FAMILY_SHARED' ? 'family_shared' : type === 'ASSIGNED' ? 'assigned' : null
}

export function isSubscription({ type }: Transaction): boolean {
  return type === 'Auto-Renewable Subscription'
}
