/**
 * Filled by a site, so that a misspelt name does not compile:
 * `declare module 'membership' { interface Register { gates: 'pro'; features: 'export'; limits: 'exports'; prices:
 * 'price_1' | 'price_2'; providers: 'stripe'; fields: { nickname: string } } }`, or from the plans themselves:
 * `interface Register extends RegisterOf<typeof plans> {}`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: sites fill it
export interface Register {}

/** The names of one kind that a site declared, or any string where it declared none. */
export type Registered<K extends string> = Register extends Record<K, infer V extends string> ? V : string

/** A price id that the site declared. */
export type PriceId = Registered<'prices'>
/** A plan that the site declared in `plans`, else in `gates`. */
export type PlanId = Register extends { plans: string } ? Registered<'plans'> : Registered<'gates'>
/** A provider that the site declared. */
export type ProviderKey = Registered<'providers'>
/** A field of a member's content: a declared one, or a provider's. */
export type FieldName = Register extends { fields: infer Fields }
  ? Extract<keyof Fields, string> | (Register extends { providers: string } ? ProviderKey : never)
  : string
/** The declared type of a field, or `ProviderData` for a declared provider's name. */
export type FieldValue<Name extends string, ProviderData> = Register extends {
  fields: Record<Name, infer Value>
}
  ? Value
  : Register extends { providers: infer Names }
    ? Name extends Names
      ? ProviderData
      : unknown
    : unknown
/** A gate: a price id, a plan or a feature. */
export type GateId = Register extends { gates: string } | { features: string }
  ? Declared<'gates'> | Declared<'features'> | Declared<'prices'>
  : string
/** A feature that plans open. */
export type FeatureId = Registered<'features'>
/** A limit that plans have. */
export type LimitId = Registered<'limits'>

/** The names of one site, by which its questions and answers are typed. */
export interface Names {
  /** Whatever a gate may be asked by: plans, features and prices. */
  readonly gates: string
  readonly plans: string
  readonly features: string
  readonly limits: string
  readonly prices: string
}
/** The names that `Register` declares, or any string. */
export interface RegisteredNames {
  readonly gates: GateId
  readonly plans: PlanId
  readonly features: FeatureId
  readonly limits: LimitId
  readonly prices: PriceId
}

/** The names of plans that say them, else those that `Register` declares. */
export type Known<N extends Names> = string extends N['plans'] ? RegisteredNames : N

declare const names: unique symbol
/** Plans that carry their names for the compiler: `definePlans()` returns them, and `createMembership()` reads them. */
export type Named<N extends Names> = { readonly [names]?: N }

/** The names of one kind that the site declared; none where it declared none. */
type Declared<K extends string> = Register extends Record<K, infer V extends string> ? V : never

/**
 * The names in the plans of a configuration that TypeScript sees, for `Register`:
 * `const plans = { pro: { opens: ['export'], prices: ['price_1'] } } as const`.
 */
export interface RegisterOf<Plans extends Readonly<Record<string, object>>> {
  gates: Extract<keyof Plans, string>
  plans: Extract<keyof Plans, string>
  features: NamesIn<Plans, 'opens'>
  limits: KeysIn<Plans, 'limits'>
  prices: PricesIn<NamesIn<Plans, 'prices'>> | PricesIn<NamesIn<Plans, 'retired'>>
}
/** The names in the lists of one key of the plans, and in its lists by provider. */
export type NamesIn<Plans, Key extends string> = {
  [P in keyof Plans]: Plans[P] extends Readonly<Record<Key, infer List>> ? ListedIn<List> : never
}[keyof Plans]
/** The names in a list, or in lists by provider. */
export type ListedIn<List> = List extends readonly (infer Name)[]
  ? Name
  : List extends Readonly<Record<string, readonly (infer Name)[]>>
    ? Name
    : never
/** The keys in the groups of one key of the plans. */
export type KeysIn<Plans, Key extends string> = {
  [P in keyof Plans]: Plans[P] extends Readonly<Record<Key, infer Limits>>
    ? Extract<keyof Limits, string>
    : never
}[keyof Plans]
/** The ids of prices that are written as text or as objects, with one id or ids by provider. */
export type PricesIn<Price> = Price extends string
  ? Price
  : Price extends { readonly id: infer Id }
    ? Id extends string
      ? Id
      : Extract<Id[keyof Id], string>
    : never
