/** Writes the tables of the README and of docs/, which are made from code: tsx scripts/configuration-table.ts */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configKeys } from '../src/core/config/index.ts'
import { definitions } from '../src/testkit/definitions.ts'
import { withAccessSummary, withAccessTable } from './access-table.ts'
import { withBounds } from './bounds-table.ts'
import { withCapabilities } from './drift/capability-table.ts'
import { clientTypes, openapiDocument } from './openapi.ts'
import { describeAll, withCertified, withLacks, withNotes, withProviders } from './provider-tables.ts'
import { configurationTypes } from './typed-configuration.ts'

const cell = (text: string) => text.replaceAll('|', '\\|')
const toCode = (value: unknown) =>
  value === undefined || value === null ? '–' : `\`${cell(JSON.stringify(value))}\``

/** The table as it must stand in docs/configuration.md. */
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

export const withTable = (page: string): string =>
  page.replace(
    /(<!-- configuration -->\n)[\s\S]*?(<!-- \/configuration -->)/,
    (_, open: string, close: string) => `${open}${configurationTable()}\n${close}`,
  )

/** Writes the kinds of mails into the default file, as the schema has them. */
const withMailKinds = (text: string): string => {
  const { default: kinds } = configKeys(definitions).find(({ key }) => key === 'membership.mails.kinds')!
  return text.replace(
    /^( +kinds: )\[.*\]$/m,
    (_, start: string) => `${start}[${(kinds as string[]).join(', ')}]`,
  )
}

if (process.argv[1]?.endsWith('configuration-table.ts')) {
  const write = async (name: string, change: (text: string) => string | Promise<string>) => {
    const file = join(import.meta.dirname, '..', name)
    writeFileSync(file, await change(readFileSync(file, 'utf8')))
  }
  const described = await describeAll()
  await write('README.md', (text) => withAccessSummary(withProviders(text, described)))
  await write('docs/configuration.md', withTable)
  await write('config/membership.default.yml', withMailKinds)
  await write('docs/members.md', withAccessTable)
  await write('docs/operating.md', (text) => withBounds(text, described))
  await write('docs/providers/README.md', (text) => withNotes(text, described))
  await write('docs/provider-capabilities.md', (text) => withCapabilities(text, described))
  for (const one of described)
    await write(`docs/providers/${one.definition.key}.md`, (text) => withCertified(withLacks(text, one), one))
  await write('src/generated/configuration-keys.ts', configurationTypes)
  const document = await openapiDocument()
  await write('docs/openapi.json', () => document)
  await write('src/generated/client-paths.ts', () => clientTypes(document))
}
