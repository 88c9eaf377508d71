import type { WriteMoney } from '../dto/index.ts'
import { lazy } from '../lazy.ts'
import { outlineOf } from './language-file.ts'
import { loadLanguages } from './languages.ts'
import { readAccepted } from './tags.ts'
import { createVoice, type FeatureName, type Voice } from './voice.ts'

export type { Words } from '../../generated/words.ts'
export { type ErrorTexts, errorIn, offersLogin } from './errors.ts'
export { type Outline, outlineOf, readShippedTexts } from './language-file.ts'
export { type Chosen, type Languages, loadLanguages } from './languages.ts'
export { Markup, type Part } from './markup.ts'
export {
  chargeIn,
  closedIn,
  costIn,
  hasTwin,
  perIn,
  planIn,
  rhythmIn,
  situationIn,
  statusIn,
  taxedIn,
  titleIn,
  trialIn,
} from './sentences.ts'
export {
  type ChooseTexts,
  type Fillings,
  loadSpokenTexts,
  type SpokenTexts,
} from './spoken-texts.ts'
export { lookUp } from './tags.ts'
export { fill, inForm, type Text } from './text.ts'
export type { FeatureName, Voice, WordKey } from './voice.ts'

/** The texts of a site's pages. */
export interface PageWords {
  /**
   * Chooses a visitor's voice: the first preferred language with a file, else the browser's `Accept-Language`, else the
   * default.
   */
  voiceFor(preferred: readonly (string | null | undefined)[], acceptLanguage?: string): Voice
  /** Chooses the same language by name; null where neither a preferred one nor the browser's has a file. */
  askedFor(preferred: readonly (string | null | undefined)[], acceptLanguage?: string): string | null
  /** Finds the nearest language with a file, or undefined. */
  findLanguage(tag: string): string | undefined
}

/**
 * Loads the package's `templates/words/` with the site's overrides, once.
 * @throws ERR_CONFIG for a file with mistakes
 */
export function createWords(deps: {
  root: string | false
  defaultLanguage: string
  site: string
  money?: WriteMoney
  features?: Readonly<Record<string, FeatureName>>
}): PageWords {
  const { root, defaultLanguage, site, money, features } = deps
  const loaded = loadLanguages({ folder: 'words', of: 'pages', root, outline, defaultLanguage })
  const languages = loaded.names.map((lang) => ({ lang, name: nameOf(lang) }))
  const voices = new Map<string, Voice>()
  return {
    voiceFor: (preferred, acceptLanguage = '') => {
      const { tags, refused } = readAccepted(acceptLanguage)
      const own = preferred.find((tag) => tag && loaded.find(tag) !== undefined)
      const chosen = own ? loaded.choose([own]) : loaded.choose(tags, refused)
      const key = `${chosen.language} ${chosen.locale}`
      const known = voices.get(key)
      if (known) return known
      // Visitors may ask for any region of the world, so the cache is limited.
      if (voices.size >= 200) voices.clear()
      const made = createVoice(chosen, { site, languages, money, features })
      voices.set(key, made)
      return made
    },
    askedFor: (preferred, acceptLanguage = '') => {
      const { tags, refused } = readAccepted(acceptLanguage)
      const spoken = [...preferred, ...tags].flatMap((tag) => (tag ? (loaded.find(tag) ?? []) : []))
      return spoken.find((name) => !refused.includes(name)) ?? null
    },
    findLanguage: loaded.find,
  }
}

/** The voice of a page without a chosen language: the package's English. */
export const plainVoice = lazy(() =>
  createWords({ root: false, defaultLanguage: 'en', site: '' }).voiceFor([]),
)

const outline = lazy(() => outlineOf('templates/words/en.yml', ['site'], 'site'))

/** A language's name in that language, such as "Deutsch". The shipped ones are known: Intl loads data for 10 ms of CPU. */
function nameOf(lang: string): string {
  return shippedNames[lang] ?? nameByIntl(lang)
}

const shippedNames: Readonly<Record<string, string>> = { de: 'Deutsch', en: 'English' }

function nameByIntl(lang: string): string {
  const name = new Intl.DisplayNames([lang], { type: 'language' }).of(lang) ?? lang
  return name.charAt(0).toLocaleUpperCase(lang) + name.slice(1)
}
