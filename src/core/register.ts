/**
 * Filled by a site, so that a misspelt gate or price does not compile:
 * `declare module 'membership' { interface Register { gates: 'pro'; prices: 'price_1' | 'price_2' } }`
 */
// biome-ignore lint/suspicious/noEmptyInterface: sites fill it
export interface Register {}

/** The names that a site has declared of one kind, or any text where it has declared none. */
type Registered<K extends string> = Register extends Record<K, infer V extends string> ? V : string

/** A price id that the site knows. */
export type PriceId = Registered<'prices'>
/** A gate: a price id or a plan. */
export type GateId = Register extends { gates: string }
  ? Registered<'gates'> | (Register extends { prices: string } ? PriceId : never)
  : string
