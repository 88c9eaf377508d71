import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { packageFolder } from '../../core/package-folder.ts'
import type { InitAnswers } from './answers.ts'

/** Configuration of a new site, and what its pages and its environment take from it. */
export interface SellingConfig {
  readonly text: string
  /** First plan, which gates the first page. */
  readonly gate: string
  /** First price, which the first page sells. */
  readonly price: string
  /** Variables that the site needs to start. */
  readonly variables: readonly string[]
}

/** Returns `config/membership.yml` of a new site: the package's example for the provider, with the site's
 *  own database and index. */
export const sellingConfig = ({ provider, database, index }: InitAnswers): SellingConfig => {
  const example = readFileSync(join(packageFolder(), 'config', `${provider}.example.yml`), 'utf8')
  const at = example.search(/^ {2}provider:$/m)
  const text = [
    '# Every key with its default: node_modules/membership/docs/configuration.md',
    '',
    'membership:',
    '  # Where buyers come back to.',
    `  url: ${fromEnvironment(`SITE_URL:-http://localhost:${fromEnvironment('PORT:-3000')}`)}`,
    '  database:',
    `    url: ${database === 'sqlite' ? 'sqlite:data/membership.db' : fromEnvironment('DATABASE_URL')}`,
    ...(database === 'sqlite'
      ? []
      : ['  # The same in every process.', `  secret: ${fromEnvironment('MEMBERSHIP_SECRET')}`]),
    ...(index === null ? [] : ['  reports:', `    system: ${index}`]),
    example.slice(at),
  ].join('\n')
  const { gate, price } = firstOffer(text, provider)
  return { text, gate, price, variables: variablesIn(text) }
}

const fromEnvironment = (name: string): string => `$\{${name}}`

interface Example {
  readonly membership: {
    readonly providers: Readonly<
      Record<string, { plans: Record<string, { prices: readonly (string | { id: string })[] }> }>
    >
  }
}

const firstOffer = (text: string, provider: string): { gate: string; price: string } => {
  const { membership } = parse(text) as Example
  const [gate = '', plan] = Object.entries(membership.providers[provider]?.plans ?? {})[0] ?? []
  const [price = ''] = plan?.prices ?? []
  return { gate, price: typeof price === 'string' ? price : price.id }
}

const variablesIn = (text: string): string[] => {
  const read = text.replaceAll(/^\s*#.*$/gm, '')
  return [...new Set([...read.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name))]
}
