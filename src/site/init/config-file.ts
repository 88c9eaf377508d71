import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMap, isScalar, isSeq, type Pair, parseDocument, type YAMLMap } from 'yaml'
import { packageFolder } from '../../core/package-folder.ts'
import type { InitAnswers } from './answers.ts'

/** `membership.config.ts` of a new site, and what its pages and its environment need of it. */
export interface ConfigFile {
  readonly text: string
  /** First plan, which gates the first page. */
  readonly gate: string
  /** First price, which the first page sells. */
  readonly price: string
  /** Variables that the site needs to start. */
  readonly variables: readonly string[]
  /** Example prices that the developer must replace by prices of the provider. */
  readonly placeholders: readonly string[]
}

/** The language of a file of code: TypeScript, a module of JavaScript, or CommonJS. */
export type CodeLanguage = 'ts' | 'esm' | 'cjs'

/** The language of the options, and the address where the site answers while it is developed. */
export interface ConfigForm {
  readonly language: CodeLanguage
  /** Code of the default of `membership.url`. */
  readonly url: string
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code of the site
const ofNewSite: ConfigForm = { language: 'ts', url: '`http://localhost:${process.env.PORT ?? 3000}`' }

/** The options of a site: the package's example of the provider, with the site's own database, mails and index. */
export function configFile(
  { provider, database, mails, index }: Omit<InitAnswers, 'host'>,
  { language, url }: ConfigForm = ofNewSite,
): ConfigFile {
  const text = readFileSync(join(packageFolder(), 'config', `${provider}.example.yml`), 'utf8')
  const example = parseDocument(text).get('membership') as YAMLMap
  const entries = [
    '// Buyers come back here after paying.',
    `url: env('SITE_URL', ${url}),`,
    database === 'sqlite'
      ? "database: { url: 'sqlite:data/membership.db' },"
      : "database: { url: env('DATABASE_URL') },",
    ...(database === 'sqlite' ? [] : ['// The same in every process.', "secret: env('MEMBERSHIP_SECRET'),"]),
    '// Proxies in front of the site, which may name the visitor’s address: 1 behind Caddy.',
    'ratelimit: { trust_proxy: Number(process.env.TRUST_PROXY ?? 0) },',
    ...(index === null ? [] : [`reports: { system: ${quoted(index)} },`]),
    ...example.items.filter(({ key }) => isScalar(key) && taken.has(key.value)).flatMap(entryLines),
    // By them TypeScript knows the names of gates.
    ...callLines('definePlans', entryLines(plansOf(example))),
  ]
  const isTyped = language === 'ts'
  const names = [
    'definePlans',
    'env',
    ...(isTyped ? ['type MembershipOptions'] : []),
    ...(mails === 'smtp' ? ['smtp'] : []),
  ].join(', ')
  const lines = [
    language === 'cjs'
      ? `const { ${names} } = require('membership')`
      : `import { ${names} } from 'membership'`,
    '',
    '// The site and the commands of `membership` read this file.',
    '// Every key with its default: node_modules/membership/docs/configuration.md',
    ...(isTyped ? [] : ["/** @type {import('membership').MembershipOptions} */"]),
    language === 'cjs' ? 'module.exports = {' : 'export default {',
    '  membership: {',
    ...entries.map((line) => `    ${line}`),
    '  },',
    ...mailLines[mails],
    isTyped ? '} satisfies MembershipOptions' : '}',
    '',
  ]
  return {
    text: lines.join('\n'),
    ...offersIn(example, provider),
    variables: [...lines.join('\n').matchAll(/\benv\('(\w+)'\)/g)].map(([, name = '']) => name),
  }
}

const mailLines: Record<InitAnswers['mails'], readonly string[]> = {
  none: [],
  smtp: [
    "  mails: { transport: smtp({ url: process.env.SMTP_URL ?? '', from: process.env.MAIL_FROM ?? '' }) },",
  ],
  log: [
    '  // Login links and receipts are printed here until a mail server sends them.',
    '  mails: {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code of the site
    '    transport: async ({ to, subject, text }) => console.log(`To ${to}: ${subject}\\n\\n${text}`),',
    '  },',
  ],
}

/** The groups of an example that a new site takes over. */
const taken = new Set<unknown>(['provider', 'providers'])

function plansOf(example: YAMLMap): Pair {
  return example.items.find(({ key }) => isScalar(key) && key.value === 'plans')!
}

/** The value of an entry as the argument of a function. */
function callLines(name: string, [first = '', ...rest]: readonly string[]): string[] {
  return [first.replace(': ', `: ${name}(`), ...rest.slice(0, -1), (rest.at(-1) ?? '').replace(/,$/, '),')]
}

interface Plans {
  readonly [plan: string]: {
    readonly prices: Readonly<Record<string, readonly (string | { readonly id: string })[]>>
  }
}

function offersIn(example: YAMLMap, provider: string): Pick<ConfigFile, 'gate' | 'price' | 'placeholders'> {
  const plans = (plansOf(example).value as YAMLMap).toJSON() as Plans
  const [gate = '', plan] = Object.entries(plans)[0] ?? []
  const [price = ''] = plan?.prices[provider] ?? []
  const placeholders = Object.values(plans).flatMap(({ prices }) =>
    (prices[provider] ?? []).filter((item) => typeof item === 'string'),
  )
  return { gate, price: typeof price === 'string' ? price : price.id, placeholders }
}

// A new site needs neither key.
const leftOut = new Set<unknown>(['metadata', 'retired'])

/** One key of an example as lines of code, with its comment above it. */
function entryLines({ key, value }: Pair): string[] {
  const [first = '', ...rest] = valueLines(value)
  const name = isScalar(key) ? String(key.value) : ''
  const written = /^[A-Za-z_]\w*$/.test(name) ? name : quoted(name)
  return [...commentLines(key), `${written}: ${first}`, ...rest].map((line, index, all) =>
    index === all.length - 1 ? `${line},` : line,
  )
}

const width = 100

function valueLines(value: unknown): string[] {
  if (isMap(value))
    return bracketed(
      '{',
      value.items.filter(({ key }) => !leftOut.has(isScalar(key) ? key.value : null)).map(entryLines),
      value,
    )
  if (isSeq(value))
    return bracketed(
      '[',
      value.items.map((item) => {
        const [first = '', ...rest] = valueLines(item)
        const lines = [...commentLines(item), first, ...rest]
        return [...lines.slice(0, -1), `${lines.at(-1)},`]
      }),
      value,
    )
  return [isScalar(value) ? scalar(value.value) : 'null']
}

/** Formats a group or a list, on one line if it is short and has no comments. */
function bracketed(
  open: '{' | '[',
  parts: readonly string[][],
  node: { commentBefore?: string | null },
): string[] {
  const close = open === '{' ? '}' : ']'
  if (parts.length === 0) return [`${open}${close}`]
  const isFlat = parts.every((lines) => lines.length === 1) && !node.commentBefore
  const space = open === '{' ? ' ' : ''
  const line = `${open}${space}${parts.flat().join(' ').replace(/,$/, '')}${space}${close}`
  if (isFlat && line.length < width - 30) return [line]
  return [open, ...[...commentLines(node), ...parts.flat()].map((part) => `  ${part}`), close]
}

function commentLines(node: unknown): string[] {
  return ((node as { commentBefore?: string | null } | null)?.commentBefore ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `//${line.replaceAll(/\$\{(\w+)\}/g, "env('$1')")}`)
}

function scalar(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  const [, name, fallback] = /^\$\{(\w+)(?::-(.*))?\}$/.exec(value) ?? []
  if (name === undefined) return quoted(value)
  return fallback === undefined ? `env('${name}')` : `env('${name}', ${quoted(fallback)})`
}

function quoted(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text.replaceAll('\\', '\\\\')}'`
}
