/**
 * Writes the types of the pages' texts, which are made from the English file, and the list of mails that a
 * site can turn off, which is made from the mails' modules: tsx scripts/words.ts
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { textsOf } from '../src/core/words/language-file.ts'
import { piecesOf, wordingsOf } from '../src/core/words/text.ts'
import { kinds } from '../src/memberships/mails/kinds/index.ts'

const root = join(import.meta.dirname, '..')

/** The file as it must stand in src/generated/words.ts. */
export function keysFile(): string {
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

/** The file as it must stand in src/generated/mail-kinds.ts. */
export function mailKindsFile(): string {
  const names = Object.entries(kinds).flatMap(([kind, { canBeTurnedOff }]) => (canBeTurnedOff ? [kind] : []))
  return [
    '// Made from src/memberships/mails/kinds/ by `npm run words`.',
    '',
    '/** The mails that a site can turn off. */',
    'export const optionalMails = [',
    ...names.map((name) => `  '${name}',`),
    '] as const',
    '',
  ].join('\n')
}

if (process.argv[1]?.endsWith('words.ts')) {
  writeFileSync(join(root, 'src', 'generated', 'words.ts'), keysFile())
  writeFileSync(join(root, 'src', 'generated', 'mail-kinds.ts'), mailKindsFile())
}
