import type { WriteMoney } from '../dto/index.ts'
import { lazy } from '../lazy.ts'
import { outlineOf } from './language-file.ts'
import { loadLanguages } from './languages.ts'
import { readAccepted } from './tags.ts'
import { createVoice, type Voice } from './voice.ts'

export type { Words } from '../../generated/words.ts'
export { type ErrorTexts, errorIn, offersLogin } from './errors.ts'
export { type Outline, outlineOf, readShippedTexts } from './language-file.ts'
export { type Chosen, type Languages, loadLanguages } from './languages.ts'
export { Markup, type Part } from './markup.ts'
export {
  chargeIn,
  closedIn,
  costIn,
  type FeatureName,
  featureIn,
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
export type { Voice, WordKey } from './voice.ts'

/** The words of a site's pages. */
export interface PageWords {
  /** The voice for somebody: the first language of theirs that there is a file of, else what their browser asks for by
   *  `Accept-Language`, else the default. */
  voiceFor(preferred: readonly (string | null | undefined)[], acceptLanguage?: string): Voice
  /** The same language by its name, or null where neither somebody's own nor their browser's has a file. */
  askedFor(preferred: readonly (string | null | undefined)[], acceptLanguage?: string): string | null
  /** The name of the nearest language that there is a file of, or undefined. */
  findLanguage(tag: string): string | undefined
}

/** The package's `templates/words/` and the site's over them, read once. @throws ERR_CONFIG for a file with mistakes. */
export const createWords = (deps: {
  root: string | false
  defaultLanguage: string
  site: string
  money?: WriteMoney
}): PageWords => {
  const { root, defaultLanguage, site, money } = deps
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
      // Whoever asks may name any region of the world.
      if (voices.size >= 200) voices.clear()
      const made = createVoice(chosen, { site, languages, money })
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

/** The voice of a page where nobody chose a language: the package's English. */
export const plainVoice = lazy(() =>
  createWords({ root: false, defaultLanguage: 'en', site: '' }).voiceFor([]),
)

const outline = lazy(() => outlineOf('templates/words/en.yml', ['site'], 'site'))

/** "Deutsch": how those who speak it call it. */
const nameOf = (lang: string): string => {
  const name = new Intl.DisplayNames([lang], { type: 'language' }).of(lang) ?? lang
  return name.charAt(0).toLocaleUpperCase(lang) + name.slice(1)
}
