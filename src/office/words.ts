import { type ChooseTexts, loadSpokenTexts } from '../core/words/index.ts'

export type { Fillings, SpokenTexts as Words } from '../core/words/index.ts'

/**
 * Loads the office's own language files, `templates/office/words/`, with the site's overrides. They are separate from
 * the pages' files, so a site without an office reads none of them.
 * @throws ERR_CONFIG for a file with mistakes
 */
export function loadWords(root: string | false, defaultLanguage: string): ChooseTexts {
  return loadSpokenTexts({ folder: 'office/words', of: 'the office', root, defaultLanguage })
}
