import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

const folder = join(import.meta.dirname, '..', '..', 'templates', 'mails')
type Tree = Record<string, unknown>
function read(file: string): Tree {
  return parse(readFileSync(join(folder, file), 'utf8')) as Tree
}

/** The package's texts of mails in one language, as a site's own language file would have them. */
export function mailTexts(language: string): Tree {
  return {
    ...read(`${language}.yml`),
    ...Object.fromEntries(
      readdirSync(folder)
        .filter((file) => /^[a-z-]{4,}\.yml$/.test(file))
        .map((file) => [file.replace('.yml', ''), read(file)[language]]),
    ),
  }
}
