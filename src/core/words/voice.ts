import type { Words } from '../../generated/words.ts'
import { formatDay, formatMoney, type Money, printable, type WriteMoney } from '../dto/index.ts'
import type { Chosen } from './languages.ts'
import { escaped, Markup, marked, type Part } from './markup.ts'
import { lookUp } from './tags.ts'
import { fill, inForm, piecesOf } from './text.ts'

/** A key such as `login.ask.title`: a text of templates/words/, or one of the site's own group. */
export type WordKey = keyof Words | `site.${string}`

/** The values of a text's placeholders. Numbers are formatted for the language. */
export type WordValues = Readonly<Record<string, string | number>>

export type NamesOf<K extends WordKey> = K extends keyof Words ? Words[K] : string
export type Given<K extends WordKey> = [NamesOf<K>] extends [never]
  ? [values?: Readonly<Record<string, never>>]
  : [values: Readonly<Record<NamesOf<K>, string | number>>]

/** Words texts, days, amounts, numbers and lists in one language. The result is plain text, which a page escapes. */
export interface Voice {
  /** The name of the language's file, for `lang` of a page. */
  readonly lang: string
  readonly dir: 'ltr' | 'rtl'
  /** `de-AT`: the locale of numbers, dates and amounts. */
  readonly locale: string
  /** The site's name. */
  readonly site: string
  /** Every language with a file, with its own name. */
  readonly languages: readonly { readonly lang: string; readonly name: string }[]
  /** A text with its values. `count` chooses among plural forms. */
  say<K extends WordKey>(key: K, ...values: Given<K>): string
  /** Same as `say`, with markup. Each of `parts` names a `{name|words}` part or a placeholder, with its markup. */
  rich(key: WordKey, values: WordValues, parts: Readonly<Record<string, Part>>): Markup
  /** "20 December", with the year if it differs from that of `now`. UTC. */
  day(at: string, now?: Date): string
  /** "20 Dec 2026, 09:15 UTC": a day with the time. */
  moment(at: string): string
  amount(money: Money): string
  number(value: number): string
  /** "Pro, Basic and Archive". */
  list(items: readonly string[]): string
  /** The name of a feature or a limit, as the site gives it in this language, else derived from its key. */
  feature(key: string): string
}

/** The name of a feature or a limit as people read it. */
export interface FeatureName {
  readonly name?: string | undefined
  /** By language tag: the name in that language. */
  readonly words?: Readonly<Record<string, string>> | undefined
}

/** Data that all voices of a site share. */
export interface VoiceDeps {
  readonly site: string
  readonly languages: Voice['languages']
  /** Formats amounts in each provider's minor units. Default: those of ISO 4217. */
  readonly money?: WriteMoney
  /** Features and limits as the site names them. */
  readonly features?: Readonly<Record<string, FeatureName>>
}

/** Creates the voice of one language. `{site}` is always filled; a key without a text is returned as it is. */
export function createVoice(
  chosen: Chosen,
  { site, languages, money = formatMoney, features = {} }: VoiceDeps,
): Voice {
  const { language, locale, direction, textOf } = chosen
  const number = (value: number) => new Intl.NumberFormat(locale).format(value)
  const written = (values: WordValues): Record<string, string> =>
    Object.fromEntries(
      Object.entries({ site, ...values }).map(([name, value]) => [
        name,
        typeof value === 'number' ? number(value) : String(value),
      ]),
    )
  const wordingOf = (key: string, values: WordValues): string =>
    inForm(textOf(key) ?? key, values.count, locale)

  return {
    lang: language,
    dir: direction,
    locale,
    site,
    languages,
    say: (key, ...given) => {
      const values = (given[0] ?? {}) as WordValues
      return fill(wordingOf(key, values), written(values))
    },
    rich: (key, values, parts) => {
      const filled = written(values)
      const html = piecesOf(wordingOf(key, values)).map((piece) => {
        if (piece.kind === 'plain') return escaped(piece.text)
        const text = piece.kind === 'value' ? (filled[piece.name] ?? piece.text) : piece.text
        return marked(printable(text), parts[piece.name])
      })
      return new Markup(html.join(''))
    },
    day: (at, now = new Date(0)) => formatDay(at, now, locale),
    moment: (at) => {
      const style = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const
      return `${new Intl.DateTimeFormat(locale, style).format(new Date(at))} UTC`
    },
    amount: (sum) => money(sum, locale),
    number,
    list: (items) => new Intl.ListFormat(locale, { type: 'conjunction' }).format(items),
    feature: (key) => {
      const { name, words = {} } = features[key] ?? {}
      const found = lookUp(locale, Object.keys(words))
      return (found === undefined ? name : words[found]) ?? asWords(key)
    },
  }
}

function asWords(key: string): string {
  const words = key.replace(/[-_]+/g, ' ').trim()
  return words === '' ? key : words[0]!.toUpperCase() + words.slice(1)
}
