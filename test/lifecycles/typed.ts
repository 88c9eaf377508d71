import type { Played } from './lifecycle.ts'

/**
 * A part of an object of an official package, as it comes by HTTP: any of its fields, at any depth. A field
 * or a word that the package does not know is a type error.
 */
export type Part<T> = T extends Date
  ? string
  : T extends string
    ? Word<T>
    : T extends readonly (infer Item)[]
      ? readonly Part<Item>[]
      : T extends object
        ? { readonly [Key in keyof T as string extends Key ? never : Key]?: Part<T[Key]> }
        : T

// A package may let any other text pass beside its words, as Stripe's does; here only the words count.
type Word<T extends string> =
  Same<T, string> extends true ? string : Record<never, never> extends Record<T, unknown> ? never : `${T}`
// Two types are the same where nothing can tell them apart; `string & {}` is not `string`.
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** A maker of objects of the tests, whose fields are then those of an official package. */
export function made<Object extends object>(make: (fields: never) => unknown) {
  return make as unknown as (fields?: Object) => Object
}

/** The official package whose types the messages of a provider have, or why they have none. */
export const sdks: Readonly<Record<Played, { readonly package: string } | { readonly none: string }>> = {
  apple: { package: '@apple/app-store-server-library' },
  chargebee: { package: 'chargebee' },
  creem: { none: 'its package names fields in another way than the messages' },
  dodo: { package: 'dodopayments' },
  google: { none: 'its package allows any text for each state' },
  lemonsqueezy: { package: '@lemonsqueezy/lemonsqueezy.js' },
  mollie: { package: '@mollie/api-client' },
  paddle: { package: '@paddle/paddle-node-sdk' },
  paypal: { none: 'its package has neither webhooks nor sales' },
  polar: { none: 'its package needs a newer Node than this one' },
  revenuecat: { none: 'there is no package for its webhooks' },
  stripe: { package: 'stripe' },
}
