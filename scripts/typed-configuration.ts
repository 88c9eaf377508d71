import type { z } from 'zod'
import { providerSchema } from '../src/core/config/index.ts'
import { sitePlanSchema } from '../src/core/config/plan-config.ts'
import { coreSchema } from '../src/core/config/schema.ts'
import { definitions } from '../src/testkit/definitions.ts'

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: it is the code of types */
/** The types of every key, as they must stand in src/generated/configuration-keys.ts. */
export function configurationTypes(): string {
  const shared = keysOf(providerSchema)
  const core = keysOf(coreSchema)
  const own = definitions.map(({ key, options }) => ({ key, keys: keysOf(options as z.core.$ZodType) }))
  return `${[
    '// Made from the schemas of the configuration: npm run docs',
    '',
    "import type { EnvReference, DefinitionLike } from '../core/config/index.ts'",
    "import type { Register } from '../core/register.ts'",
    "import type { User } from '../memberships/members/index.ts'",
    '',
    'export type Text = string | EnvReference',
    'export type Numeric = number | EnvReference',
    'export type Flag = boolean | EnvReference',
    '/** What a site adds to each checkout is asked with this. */',
    'export interface CheckoutContext {',
    '  readonly user: User | null',
    '  /** The plan’s id. */',
    '  readonly plan: string | null',
    '  /** The price’s id. */',
    '  readonly price: string',
    '  readonly quantity: number',
    '  readonly currency?: string | null',
    '  readonly code?: string | null',
    '  readonly intentId: string',
    '  readonly trialDays: number | null',
    '}',
    '/** The providers that a site may name: those that it has declared, or else those of this package. */',
    'export type ProviderName = Register extends { providers: infer Names extends string } ? Names : keyof PackageProviders',
    '',
    ...interfaceOf('PriceKeys', 'A price of a plan.', keysOf(priceOf(shared)), 'price'),
    ...interfaceOf('PlanKeys', 'A plan: a named group of prices.', keysOf(planOf(shared)), 'plan'),
    '/** A price of a plan of the site: its id, or its ids by provider. */',
    "export interface SitePriceKeys extends Omit<PriceKeys, 'id'> {",
    `  /** ${aboutOf(keysOf(sitePriceOf()).id!)} */`,
    '  id?: Text | Readonly<Record<string, Text>> | undefined',
    '}',
    ...interfaceOf(
      'SitePlanKeys',
      'A plan of the site, with the prices of every provider.',
      keysOf(sitePlanSchema()),
      'siteplan',
    ),
    '/** A key of a plan that is written with dots. */',
    'export type SitePlanPart = SitePlanKeys[keyof SitePlanKeys]',
    "export type PlanPart = PlanKeys['name' | 'features' | 'trial' | 'quantity' | 'prices' | 'limits']",
    ...interfaceOf('ProviderKeys', 'Keys of every provider.', shared, 'provider'),
    ...own.flatMap(({ key, keys }) =>
      interfaceOf(`${nameOf(key)}Keys extends ProviderKeys`, `Keys of ${key}.`, keys, key),
    ),
    '/** The providers of this package. */',
    'export interface PackageProviders {',
    ...own.map(({ key }) => `  ${key}?: ${nameOf(key)}Keys | null`),
    '}',
    '/** Providers of the site’s own: declared in `Register`, or given as `customProviders`, whose key is no mere text then. */',
    'export type OwnProvider<Own extends string> =',
    '  | (Register extends { providers: infer Names extends string } ? Exclude<Names, keyof PackageProviders> : never)',
    '  | (string extends Own ? never : Own)',
    'export type OwnKeys = ProviderKeys & Readonly<Record<string, unknown>>',
    '/** The configuration as groups of keys, below `membership`. `Own`: keys of the site’s own providers. */',
    'export interface NestedKeys<Own extends string = string> {',
    ...membersOf(core, 'membership', 1),
    '  /** Plans by id: named groups of prices. */',
    '  plans?: Readonly<Record<string, SitePlanKeys | null>>',
    '  /** The providers by key. */',
    '  providers?: PackageProviders & { [K in OwnProvider<Own>]?: OwnKeys | null }',
    '}',
    '/** The same keys with their dots. */',
    'export interface DottedKeys<Own extends string = string> {',
    ...dottedOf(core, 'membership'),
    "  'membership.plans'?: NestedKeys<Own>['plans']",
    '  /** A plan, or with one more part a key of it. */',
    '  [plan: `membership.plans.${string}`]: SitePlanKeys | SitePlanPart | null | undefined',
    "  'membership.providers'?: NestedKeys<Own>['providers']",
    ...own.flatMap(({ key, keys }) => [
      `  'membership.providers.${key}'?: ${nameOf(key)}Keys | null`,
      ...dottedOf({ ...shared, ...keys }, `membership.providers.${key}`),
      '  /** A plan, or with one more part a key of it; what is grouped once more stands in the plan itself. */',
      `  [plan: \`membership.providers.${key}.plans.\${string}\`]: PlanKeys | PlanPart | null | undefined`,
    ]),
    '}',
    '/** The keys of a site’s own providers with their dots. */',
    'export type OwnDottedKeys<Own extends string = string> = { [K in OwnProvider<Own> as `membership.providers.${K}`]?: OwnKeys | null } & {',
    '  [K in OwnProvider<Own> as `membership.providers.${K}.${string}`]: unknown',
    '}',
  ].join('\n')}\n`
}

/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: it is the code of types */

type Keys = Readonly<Record<string, z.core.$ZodType>>
interface Def {
  readonly type: string
  readonly innerType?: z.core.$ZodType
  readonly in?: z.core.$ZodType
  readonly out?: z.core.$ZodType
  readonly element?: z.core.$ZodType
  readonly valueType?: z.core.$ZodType
  readonly options?: readonly z.core.$ZodType[]
  readonly entries?: Readonly<Record<string, string>>
  readonly values?: readonly unknown[]
  readonly shape?: Keys
  readonly defaultValue?: unknown
}
function defOf(schema: z.core.$ZodType): Def {
  return schema._zod.def as unknown as Def
}

/** The schema below defaults, nullability and transforms. */
function bare(schema: z.core.$ZodType): z.core.$ZodType {
  const def = defOf(schema)
  if (def.innerType) return bare(def.innerType)
  if (def.type === 'pipe') return bare(isTransform(def.in) ? def.out! : def.in!)
  return schema
}
function isTransform(schema?: z.core.$ZodType): boolean {
  return schema !== undefined && defOf(schema).type === 'transform'
}
function keysOf(schema: z.core.$ZodType): Keys {
  return defOf(bare(schema)).shape ?? {}
}
function planOf(shared: Keys) {
  return defOf(bare(shared.plans!)).valueType!
}
function priceOf(shared: Keys) {
  return defOf(bare(keysOf(planOf(shared)).prices!)).element!
}

function sitePriceOf() {
  return defOf(bare(keysOf(sitePlanSchema()).prices!)).element!
}

function nameOf(key: string): string {
  return key[0]!.toUpperCase() + key.slice(1)
}

function interfaceOf(head: string, about: string, keys: Keys, below: string): string[] {
  return [
    `/** ${about} */`,
    `export interface ${head} {`,
    ...membersOf(keys, below, 1),
    ...(below === 'provider'
      ? aliases.map((name) => `  /** The same as \`webhook\`. */\n  ${name}?: ProviderKeys['webhook']`)
      : []),
    '}',
  ]
}
const aliases = ['webhook_secret', 'webhook_id', 'webhook_auth']

function membersOf(keys: Keys, below: string, depth: number): string[] {
  return Object.entries(keys).flatMap(([name, schema]) => member(name, schema, `${below}.${name}`, depth))
}

function dottedOf(keys: Keys, below: string): string[] {
  return Object.entries(keys).flatMap(([name, schema]) => {
    const key = `${below}.${name}`
    const inner = isSection(schema) ? dottedOf(keysOf(schema), key) : []
    const names = name === 'webhook' ? [key, ...aliases.map((aliase) => `${below}.${aliase}`)] : [key]
    return [...names.flatMap((name) => member(`'${name}'`, schema, key, 1)), ...inner]
  })
}

function isSection(schema: z.core.$ZodType): boolean {
  return defOf(bare(schema)).type === 'object'
}

function member(name: string, schema: z.core.$ZodType, key: string, depth: number): string[] {
  const indent = '  '.repeat(depth)
  const type = typeAt(schema, key, depth)
  return [`${indent}/** ${aboutOf(schema)} */`, `${indent}${name}?: ${type} | undefined`]
}

/** The sentence and the default, as the reference has them. */
function aboutOf(schema: z.core.$ZodType): string {
  const { description, fallback } = described(schema)
  const text = (description ?? '')
    .replaceAll('*/', '*\\/')
    .replace(/^(?=The former name of )/, '@deprecated ')
  const isPlain = fallback !== undefined && fallback !== null && !isSection(schema)
  return isPlain ? `${text} Default: \`${JSON.stringify(fallback)}\`.` : text
}
function described(schema: z.core.$ZodType): { description?: string; fallback?: unknown } {
  const def = defOf(schema)
  const own = 'description' in schema ? (schema.description as string | undefined) : undefined
  const next = def.innerType ?? (def.type === 'pipe' ? (isTransform(def.in) ? def.out : def.in) : undefined)
  const inner = next === undefined ? {} : described(next)
  return {
    description: own ?? inner.description,
    fallback: def.type === 'default' || def.type === 'prefault' ? def.defaultValue : inner.fallback,
  }
}

/** What the schema does not say: names that the site declares, and what only code can give. */
const special: Readonly<Record<string, string>> = {
  'membership.provider.handler': 'ProviderName | OwnProvider<Own> | DefinitionLike | EnvReference | null',
  'membership.provider.choices': 'readonly (ProviderName | OwnProvider<Own>)[]',
}

function typeAt(schema: z.core.$ZodType, key: string, depth: number): string {
  if (key in special) return special[key]!
  if (key.endsWith('.plans')) return 'Readonly<Record<string, PlanKeys | null>>'
  if (key === 'siteplan.prices')
    return 'readonly (Text | SitePriceKeys)[] | Readonly<Record<string, readonly (Text | PriceKeys)[]>>'
  if (key === 'siteplan.retired') return 'readonly (Text)[] | Readonly<Record<string, readonly (Text)[]>>'
  if (key === 'plan.prices') return 'readonly (Text | PriceKeys)[]'
  const def = defOf(schema)
  switch (def.type) {
    case 'string':
      return 'Text'
    case 'number':
    case 'int':
      return 'Numeric'
    case 'boolean':
      return 'Flag'
    case 'enum':
      return [...Object.values(def.entries ?? {}).map((entry) => JSON.stringify(entry)), 'EnvReference'].join(
        ' | ',
      )
    case 'literal':
      return (def.values ?? []).map((value) => JSON.stringify(value)).join(' | ')
    case 'nullable':
      return `${typeAt(def.innerType!, key, depth)} | null`
    case 'array':
      return `readonly (${typeAt(def.element!, key, depth)})[]`
    case 'union':
      return [...new Set((def.options ?? []).map((option) => typeAt(option, key, depth)))].join(' | ')
    case 'record':
      return `Readonly<Record<string, ${typeAt(def.valueType!, key, depth)}>>`
    case 'object': {
      const indent = '  '.repeat(depth)
      return `{\n${membersOf(def.shape ?? {}, key, depth + 1).join('\n')}\n${indent}}`
    }
    case 'custom':
      return '((context: CheckoutContext) => unknown)'
    case 'unknown':
      return 'unknown'
    case 'pipe':
      return typeAt(isTransform(def.in) ? def.out! : def.in!, key, depth)
    default:
      if (def.innerType) return typeAt(def.innerType, key, depth)
      throw new TypeError(`no type for ${key}: ${def.type}`)
  }
}
