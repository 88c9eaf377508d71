import { formatDay, formatMoney, type Money, oneLine, type WriteMoney } from '../../core/dto/index.ts'
import { type Chosen, fill, inForm } from '../../core/words/index.ts'
import type { CostData, OrderedData, Sale } from './data.ts'

/** Words texts, days, amounts and durations in one language. */
export interface Speaker {
  readonly language: string
  readonly direction: 'ltr' | 'rtl'
  readonly siteUrl: string
  /** The seller at a provider; none for an unknown one. */
  saleAt(provider: string | undefined): Sale
  /** A text by its full key, such as `receipt.intro`. */
  text(key: string, values: Readonly<Record<string, string>>): string
  day(at: string): string
  /** The UTC day and time, to the second. */
  moment(at: string): string
  money(money: Money): string
  duration(minutes: number): string
  /** "12 months". */
  months(count: number): string
  /** "€9 per month", "€25 every 3 months". */
  cost(cost: CostData): string
  /** The order and its consent on a durable medium: directive 2011/83/EU, article 8 (7). */
  ordered(ordered: OrderedData | null | undefined): string[]
}

/** Formats amounts and knows the sellers. */
export interface SpeakerTools {
  /** Default: the minor units of ISO 4217. */
  readonly money?: WriteMoney | undefined
  readonly saleAt?: ((provider: string) => Sale) | undefined
}

function unknownSale(): Sale {
  return { seller: null, tax: null }
}

/** Creates a speaker. Values are reduced to one line before they are filled in; `{site}` is always available. */
export function createSpeaker(
  { language, locale, direction, textOf }: Chosen,
  site: { readonly name: string; readonly url: string },
  { money: write = formatMoney, saleAt = unknownSale }: SpeakerTools = {},
): Speaker {
  // English has every text, which a test ensures.
  const text: Speaker['text'] = (key, values) =>
    fill(inForm(textOf(key)!, values.count, locale), safe({ ...values, site: site.name }))
  const moment: Speaker['moment'] = (at) =>
    new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' }).format(
      new Date(at),
    )
  return {
    language,
    direction,
    siteUrl: site.url,
    saleAt: (provider) => (provider === undefined ? unknownSale() : saleAt(provider)),
    text,
    // A mail is read again years later, so the year is always written. No day falls in 1970, so comparing with it shows
    // the year.
    day: (at) => formatDay(at, new Date(0), locale),
    moment,
    money: (money) => write(money, locale),
    duration: (minutes) => {
      const [unit, length] = spans.find(([, span]) => minutes >= span && minutes % span === 0) ?? spans[2]
      const style = { style: 'unit', unit, unitDisplay: 'long' } as const
      return new Intl.NumberFormat(locale, style).format(minutes / (unit === 'day' ? 1440 : length))
    },
    months: (count) =>
      new Intl.NumberFormat(locale, { style: 'unit', unit: 'month', unitDisplay: 'long' }).format(count),
    cost: ({ interval, interval_count: count, ...sum }) => {
      const amount = write(sum, locale)
      if (count === 1) return text(`common.per_${interval}`, { amount })
      const span = { style: 'unit', unit: interval, unitDisplay: 'long' } as const
      return text('common.per_many', { amount, duration: new Intl.NumberFormat(locale, span).format(count) })
    },
    ordered: (ordered) =>
      ordered
        ? [
            text('common.ordered', { moment: moment(ordered.at) }),
            ...ordered.facts.map((fact) => `${fact.label}: ${fact.text}`),
            ...(ordered.text === '' ? [] : [`${text('common.agreed', {})} ${ordered.text}`]),
          ]
        : [],
  }
}

// A single day reads as hours.
const spans = [
  ['day', 2880],
  ['hour', 60],
  ['minute', 1],
] as const

function safe(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, oneLine(value)]))
}
