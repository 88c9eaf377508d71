/**
 * The countries of directive 2011/83/EU, by ISO 3166: the European Union and, with it, the European Economic Area.
 */
const countries = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(' '),
)

/** True if a shop of that country owes its buyers the public pages of the European Union. */
export const isInEurope = (country: string | null): boolean => country !== null && countries.has(country)

/** The words on value added tax beside prices: `none` where the seller charges none. */
export type Tax = 'included' | 'excluded' | 'none'

/**
 * The word of pages beside a price. A consumer's price holds its tax (directive 98/6/EC, article 2); null: nothing
 * is said.
 */
export const taxOf = ({ country, tax }: { readonly country: string | null; readonly tax: Tax | null }) =>
  tax ?? (isInEurope(country) ? ('included' as const) : null)
