/**
 * Filled by a site, so that a misspelt name does not compile:
 * `declare module 'membership' { interface Register { gates: 'pro'; prices: 'price_1' | 'price_2'; providers: 'stripe';
 * fields: { nickname: string } } }`
 */
// biome-ignore lint/suspicious/noEmptyInterface: sites fill it
export interface Register {}

/** The names that a site has declared of one kind, or any text where it has declared none. */
export type Registered<K extends string> = Register extends Record<K, infer V extends string> ? V : string

/** A price id that the site knows. */
export type PriceId = Registered<'prices'>
/** A plan that the site has declared: of `plans`, else of `gates`. */
export type PlanId = Register extends { plans: string } ? Registered<'plans'> : Registered<'gates'>
/** A provider that the site has declared. */
export type ProviderKey = Registered<'providers'>
/** A field of a member's content: one that is declared, or a provider's. */
export type FieldName = Register extends { fields: infer Fields }
  ? Extract<keyof Fields, string> | (Register extends { providers: string } ? ProviderKey : never)
  : string
/** The type of a field: as it is declared, or `ProviderData` where it has a declared provider's name. */
export type FieldValue<Name extends string, ProviderData> = Register extends {
  fields: Record<Name, infer Value>
}
  ? Value
  : Register extends { providers: infer Names }
    ? Name extends Names
      ? ProviderData
      : unknown
    : unknown
/** A gate: a price id or a plan. */
export type GateId = Register extends { gates: string }
  ? Registered<'gates'> | (Register extends { prices: string } ? PriceId : never)
  : string
