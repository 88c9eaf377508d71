import { printable } from '../dto/index.ts'
import { outlineOf } from './language-file.ts'
import { loadLanguages } from './languages.ts'
import { fill, inForm } from './text.ts'

/** The values for a text's placeholders. `count` also chooses the plural form. */
export type Fillings = Readonly<Record<string, string | number>>

/** One folder's texts in one language. */
export interface SpokenTexts {
  /** The name of the language's file, for `lang` of a page. */
  readonly language: string
  readonly direction: 'ltr' | 'rtl'
  /** The locale of days, numbers and amounts. */
  readonly locale: string
  /** A text with its placeholders filled; the key itself where there is no text. */
  t(key: string, fillings?: Fillings): string
  has(key: string): boolean
}

/** Chooses a visitor's language: the first of these tags that has a file, else the default. */
export type ChooseTexts = (preferred: readonly (string | null | undefined)[]) => SpokenTexts

/**
 * Loads the language files of a separate folder below `templates/`, with the site's overrides. Pages that few sites
 * have keep their texts apart.
 * @throws ERR_CONFIG for a file with mistakes
 */
export function loadSpokenTexts(files: {
  /** `office/words` */
  folder: string
  /** The name of the texts in an error: "the office". */
  of: string
  root: string | false
  defaultLanguage: string
}): ChooseTexts {
  const { folder } = files
  const outline = () => outlineOf(`templates/${folder}/en.yml`, ['site'], 'site')
  const languages = loadLanguages({ ...files, outline })
  return (preferred) => {
    const { language, locale, direction, textOf } = languages.choose(preferred)
    const shown = (value: string | number) =>
      typeof value === 'number' ? new Intl.NumberFormat(locale).format(value) : printable(value)
    return {
      language,
      direction,
      locale,
      has: (key) => textOf(key) !== undefined,
      t: (key, fillings = {}) =>
        fill(
          inForm(textOf(key) ?? key, fillings.count, locale),
          Object.fromEntries(Object.entries(fillings).map(([name, value]) => [name, shown(value)])),
        ),
    }
  }
}
