/** Writes the types of the pages' texts, which are made from the English file: tsx scripts/words.ts */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { textsOf } from '../src/core/words/language-file.ts'
import { piecesOf, wordingsOf } from '../src/core/words/text.ts'

const root = join(import.meta.dirname, '..')

/** The file as it must stand in src/generated/words.ts. */
export const keysFile = (): string => {
  const english = parse(readFileSync(join(root, 'templates', 'words', 'en.yml'), 'utf8'))
  const lines = textsOf(english, '').map(([key, text]) => {
    const names = wordingsOf(text)
      .flatMap(piecesOf)
      .flatMap((piece) => (piece.kind === 'value' && piece.name !== 'site' ? [`'${piece.name}'`] : []))
    return `  '${key}': ${[...new Set(names)].sort().join(' | ') || 'never'}`
  })
  return [
    '// Made from templates/words/en.yml by `npm run words`.',
    '',
    '/** Every text of the pages, with the names of its placeholders. */',
    'export interface Words {',
    ...lines,
    '}',
    '',
  ].join('\n')
}

if (process.argv[1]?.endsWith('words.ts'))
  writeFileSync(join(root, 'src', 'generated', 'words.ts'), keysFile())
