import { type ChooseTexts, loadSpokenTexts } from '../core/words/index.ts'

export type { Fillings, SpokenTexts as Words } from '../core/words/index.ts'

/** The office's own language files, `templates/office/words/`, and the site's over them. They are beside those of the pages:
 *  a site without an office reads none of them. @throws ERR_CONFIG for a file with mistakes */
export const loadWords = (root: string | false, defaultLanguage: string): ChooseTexts =>
  loadSpokenTexts({ folder: 'office/words', of: 'the office', root, defaultLanguage })
