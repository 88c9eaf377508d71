/** Writes the parts of README.md that are made from the code: `npm run docs`. A test fails when they are out of date. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ConfigKey, configKeys } from '../src/config/index.ts'
import { providers } from '../src/providers/index.ts'

const readme = join(import.meta.dirname, '..', 'README.md')

/** The reference of the configuration as a table in Markdown. */
export const configTable = (): string =>
  [
    '| Key | Default | Meaning |',
    '|---|---|---|',
    ...configKeys(providers)
      .filter(({ isSection }) => !isSection)
      .map((entry) => `| \`${entry.key}\` | ${defaultOf(entry)} | ${cell(entry.description)} |`),
  ].join('\n')

/** The text with the table in its place. */
export const withConfigTable = (text: string): string => {
  const marked = /(<!-- config -->)[\s\S]*?(<!-- \/config -->)/
  if (!marked.test(text)) throw new Error('README.md has no <!-- config --> … <!-- /config -->')
  return text.replace(marked, (_all, open: string, close: string) => `${open}\n${configTable()}\n${close}`)
}

const defaultOf = ({ key, default: value }: ConfigKey): string => {
  if (key.endsWith('.field')) return 'the provider’s key'
  return value === undefined || value === null ? '–' : `\`${cell(JSON.stringify(value))}\``
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

if (process.argv[1] === import.meta.filename)
  writeFileSync(readme, withConfigTable(readFileSync(readme, 'utf8')))
