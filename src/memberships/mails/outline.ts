import { type Outline, readShippedTexts, type Text } from '../../core/words/index.ts'
import { kinds } from './kinds/index.ts'
import type { MailKind } from './mail.ts'

/** Texts that all mails share, with their placeholders. */
const common: Readonly<Record<string, readonly string[]>> = {
  greeting: ['name'],
  greeting_plain: [],
  link_hint: [],
  closing: [],
  ordered: ['moment'],
  agreed: [],
  per_day: ['amount'],
  per_week: ['amount'],
  per_month: ['amount'],
  per_year: ['amount'],
  per_many: ['amount', 'duration'],
}

const groups: ReadonlyMap<string, Readonly<Record<string, readonly string[]>>> = new Map([
  ['common', common],
  ...Object.entries(kinds).map(([kind, { texts }]) => [kind, { ...texts, name: [] }] as const),
])

/**
 * The texts that a mail language file may have. Subjects and buttons are required. Any other text may be empty, and is
 * then left out.
 */
export const outline: Outline = {
  keys: [...groups].flatMap(([group, texts]) => Object.keys(texts).map((text) => `${group}.${text}`)),
  placeholdersOf: (key) => {
    const [group = '', text = ''] = key.split('.')
    return [...(groups.get(group)?.[text] ?? []), 'site']
  },
  isNeeded: (key) => /\.(subject|button)/.test(key),
}

/** The package's texts of a language, from one file per kind of mail. */
export function shippedTexts(language: string): ReadonlyMap<string, Text> {
  return new Map(
    (Object.keys(kinds) as MailKind[]).flatMap((kind) =>
      readShippedTexts(`templates/mails/${kind}.yml`, language).map(
        ([key, text]) => [`${kind}.${key}`, text] as const,
      ),
    ),
  )
}

/** The name of a kind of mail in a language, for lists of mails: "Payment failed". Falls back to English. */
export function mailName(kind: string, language: string): string {
  if (!(kind in kinds)) return kind
  const nameIn = (tag: string) =>
    readShippedTexts(`templates/mails/${kind}.yml`, tag).find(([key]) => key === 'name')?.[1]
  return String(nameIn(language) ?? nameIn('en'))
}
