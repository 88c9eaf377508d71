/** The value under a key of a language file: a text, or one for each plural form of its language. */
export type Text = string | Plural

/** A text for each form that the language has; `other` is for all else. https://cldr.unicode.org/index/cldr-spec/plural-rules */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/** A piece of a text: plain; the value of a placeholder, `{name}`; or words cut out for a part, `{name|these words}`. */
export type Piece =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'value'; readonly name: string; readonly text: string }
  | { readonly kind: 'cut'; readonly name: string; readonly text: string }

const forms: readonly string[] = ['zero', 'one', 'two', 'few', 'many', 'other']

/** True if a value of a language file is a text, or one with its plural forms. */
export const isText = (value: unknown): value is Text =>
  typeof value === 'string' ||
  (typeof value === 'object' &&
    value !== null &&
    'other' in value &&
    Object.entries(value).every(([form, text]) => forms.includes(form) && typeof text === 'string'))

/** Every wording of a text: one, or one for each plural form. */
export const wordingsOf = (text: Text): string[] =>
  typeof text === 'string' ? [text] : Object.values(text as Record<string, string>)

/** The pieces of a text, in their order; a value that looks like a placeholder stays what it is. */
export const piecesOf = (text: string): Piece[] =>
  text.split(/(\{[^{}]*\})/).flatMap((part, index): Piece[] => {
    if (index % 2 === 0) return part === '' ? [] : [{ kind: 'plain', text: part }]
    const inner = part.slice(1, -1)
    const bar = inner.indexOf('|')
    return bar === -1
      ? [{ kind: 'value', name: inner, text: part }]
      : [{ kind: 'cut', name: inner.slice(0, bar), text: inner.slice(bar + 1) }]
  })

/** The names of a text's placeholders and parts, in their order. */
export const placeholdersIn = (text: string): string[] =>
  piecesOf(text).flatMap((piece) => (piece.kind === 'plain' ? [] : [piece.name]))

/** Puts the values in, once. A placeholder without a value stays as it stands; what is cut out for a part is its words. */
export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  piecesOf(text)
    .map((piece) =>
      piece.kind === 'value' && Object.hasOwn(values, piece.name) ? values[piece.name] : piece.text,
    )
    .join('')

/** The wording of a text for so many, by the plural rules of its locale. */
export const inForm = (text: Text, count: string | number | undefined, locale: string): string =>
  typeof text === 'string'
    ? text
    : (text[new Intl.PluralRules(locale).select(Number(count ?? 0))] ?? text.other)
