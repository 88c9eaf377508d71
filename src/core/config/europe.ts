/** The countries of directive 2011/83/EU by ISO 3166: the European Union and the European Economic Area. */
const countries = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(' '),
)

/** True if a shop in that country must offer its buyers the public pages of the European Union. */
export function isInEurope(country: string | null): boolean {
  return country !== null && countries.has(country)
}

/** The mention of value added tax beside prices; `none` where the seller charges none. */
export type Tax = 'included' | 'excluded' | 'none'

/** The tax note beside a price. A consumer price includes tax (directive 98/6/EC, article 2); null shows no note. */
export function taxOf({ country, tax }: { readonly country: string | null; readonly tax: Tax | null }) {
  return tax ?? (isInEurope(country) ? ('included' as const) : null)
}
