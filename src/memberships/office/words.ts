import { join } from 'node:path'
import { printable } from '../../core/dto/index.ts'
import { packageFolder } from '../../core/package-folder.ts'
import { fill, inForm, loadLanguages, outlineOf } from '../../core/words/index.ts'

/** What is put into a text; `count` also chooses among its plural forms. */
export type Fillings = Readonly<Record<string, string | number>>

/** The texts of the office in one language. */
export interface Words {
  /** The name of the language's file, for `lang` of a page. */
  readonly language: string
  readonly direction: 'ltr' | 'rtl'
  /** For days, numbers and amounts. */
  readonly locale: string
  /** A text with its placeholders filled; the key itself where there is none. */
  t(key: string, fillings?: Fillings): string
  has(key: string): boolean
}

const folder = 'office/words'

/** The office's own language files, `templates/office/words/`, and the site's over them. They are beside those of the pages:
 *  a site without an office reads none of them. @throws ERR_CONFIG for a file with mistakes */
export const loadWords = (
  root: string | false,
  defaultLanguage: string,
): ((wishes: readonly (string | null | undefined)[]) => Words) => {
  const outline = () => outlineOf(join(packageFolder(), 'templates', folder, 'en.yml'), ['site'], 'site')
  const languages = loadLanguages({ folder, of: 'the office', root, outline, defaultLanguage })
  return (wishes) => {
    const { language, locale, direction, textOf } = languages.choose(wishes)
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
