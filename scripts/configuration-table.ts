/** Writes the README's tables that are made from code: tsx scripts/configuration-table.ts */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configKeys } from '../src/core/config/index.ts'
import { definitions } from '../src/testkit/definitions.ts'
import { withAccessTable } from './access-table.ts'

const cell = (text: string) => text.replaceAll('|', '\\|')
const toCode = (value: unknown) =>
  value === undefined || value === null ? '–' : `\`${cell(JSON.stringify(value))}\``

/** The table as it must stand in the README. */
export const configurationTable = (): string =>
  [
    '| Key | Default | Meaning |',
    '|---|---|---|',
    ...configKeys(definitions)
      .filter(({ isSection }) => !isSection)
      .map(
        ({ key, default: value, description }) =>
          `| \`${key}\` | ${key.endsWith('.field') ? 'the provider’s key' : toCode(value)} | ${cell(description)} |`,
      ),
  ].join('\n')

export const withTable = (readme: string): string =>
  readme.replace(
    /(<!-- configuration -->\n)[\s\S]*?(<!-- \/configuration -->)/,
    (_, open: string, close: string) => `${open}${configurationTable()}\n${close}`,
  )

if (process.argv[1]?.endsWith('configuration-table.ts')) {
  const file = join(import.meta.dirname, '..', 'README.md')
  writeFileSync(file, await withAccessTable(withTable(readFileSync(file, 'utf8'))))
}
