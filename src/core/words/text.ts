/** The value of a key in a language file: a text, or one per plural form. */
export type Text = string | Plural

/**
 * One text per plural form of the language; `other` covers the rest.
 * https://cldr.unicode.org/index/cldr-spec/plural-rules
 */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/** A piece of a text: plain, a placeholder's value, or marked words, `{name|these words}`. */
export type Piece =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'value'; readonly name: string; readonly text: string }
  | { readonly kind: 'cut'; readonly name: string; readonly text: string }

const forms: readonly string[] = ['zero', 'one', 'two', 'few', 'many', 'other']

/** True for a text, or for a text per plural form. */
export function isText(value: unknown): value is Text {
  return (
    typeof value === 'string' ||
    (typeof value === 'object' &&
      value !== null &&
      'other' in value &&
      Object.entries(value).every(([form, text]) => forms.includes(form) && typeof text === 'string'))
  )
}

/** Lists a text's wordings: one, or one per plural form. */
export function wordingsOf(text: Text): string[] {
  return typeof text === 'string' ? [text] : Object.values(text as Record<string, string>)
}

/** Splits a text into its pieces. A value that looks like a placeholder is not replaced again. */
export function piecesOf(text: string): Piece[] {
  return text.split(/(\{[^{}]*\})/).flatMap((part, index): Piece[] => {
    if (index % 2 === 0) return part === '' ? [] : [{ kind: 'plain', text: part }]
    const inner = part.slice(1, -1)
    const bar = inner.indexOf('|')
    return bar === -1
      ? [{ kind: 'value', name: inner, text: part }]
      : [{ kind: 'cut', name: inner.slice(0, bar), text: inner.slice(bar + 1) }]
  })
}

/** Lists the names of a text's placeholders and parts, in order. */
export function placeholdersIn(text: string): string[] {
  return piecesOf(text).flatMap((piece) => (piece.kind === 'plain' ? [] : [piece.name]))
}

/** Fills in the values, once. A placeholder without a value stays; a part becomes its words. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return piecesOf(text)
    .map((piece) =>
      piece.kind === 'value' && Object.hasOwn(values, piece.name) ? values[piece.name] : piece.text,
    )
    .join('')
}

/** Chooses the wording for a count by the plural rules of its locale. */
export function inForm(text: Text, count: string | number | undefined, locale: string): string {
  return typeof text === 'string'
    ? text
    : (text[new Intl.PluralRules(locale).select(Number(count ?? 0))] ?? text.other)
}
