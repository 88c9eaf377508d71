/** Writes the configuration's keys into the README: tsx scripts/configuration-table.ts */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configKeys } from '../src/config/index.ts'
import { allDefinitions } from '../src/providers/registry.ts'

const cell = (text: string) => text.replaceAll('|', '\\|')
const ownKeys: Record<string, string> = {
  'membership.providers.stripe.secret': 'API key; with it, Stripe is asked where its messages do not decide.',
  'membership.providers.stripe.webhook_tolerance': 'Seconds that a signature’s time may be off.',
  'membership.providers.stripe.api_base': 'Another address of the API, for tests.',
}

/** The table as it must stand in the README. */
export const configurationTable = (): string =>
  [
    '| Key | Default | What it says |',
    '|---|---|---|',
    ...configKeys(allDefinitions())
      .filter(({ isSection }) => !isSection)
      .map(
        ({ key, default: value, description }) =>
          `| \`${key}\` | ${value === undefined || value === null ? '' : `\`${JSON.stringify(value)}\``} | ${cell(description || ownKeys[key] || '')} |`,
      ),
  ].join('\n')

export const withTable = (readme: string): string =>
  readme.replace(
    /(<!-- configuration -->\n)[\s\S]*?(<!-- \/configuration -->)/,
    (_, open: string, close: string) => `${open}${configurationTable()}\n${close}`,
  )

if (process.argv[1]?.endsWith('configuration-table.ts')) {
  const file = join(import.meta.dirname, '..', 'README.md')
  writeFileSync(file, withTable(readFileSync(file, 'utf8')))
}
