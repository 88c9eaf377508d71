import { type Environment, resolveEnv } from './env.ts'
import { configKeys, type DefinitionLike, isDefinition, shapeOf } from './keys.ts'
import { findNearest } from './nearest.ts'
import { type ParseContext, parsePart, placeOf, reportUnknown } from './parse.ts'
import { findRepeatedPrices } from './plans.ts'
import { createProblems, type Problems } from './problems.ts'
import { type ProviderConfig, providerSchema, toProviderConfig } from './provider.ts'
import { readFiles } from './read.ts'
import { type Branch, findNode, mergeTrees, type Node, resolveSource, type Source, toKey } from './resolve.ts'
import { type CoreConfig, coreSchema } from './schema.ts'
import { findV1Key } from './v1.ts'

/** The whole configuration with every default filled in. */
export interface Config extends Omit<CoreConfig, 'gates'> {
  readonly gates: { readonly past_due_seconds: number }
  readonly providers: Readonly<Record<string, ProviderConfig>>
}

export interface LoadConfigInput<D extends DefinitionLike> {
  /** Options in code; they win over files. */
  readonly options?: unknown
  /** The folder that holds `config/`; false reads no files. */
  readonly root: string | false
  /** A file in place of `config/membership.*`, from `root`; its overlay is `{name}.{NODE_ENV}.*` beside it. */
  readonly config?: string
  readonly env: Environment
  /** The providers that there are. */
  readonly definitions: readonly D[]
}

export interface LoadedConfig<D extends DefinitionLike> {
  readonly config: Config
  /** Providers of the site's own, given as `membership.provider.handler`. */
  readonly definitions: readonly D[]
  /** Where the configuration came from, in the order of reading. */
  readonly sources: readonly string[]
  readonly warnings: readonly string[]
}

/** Reads the configuration: defaults, then `config/membership.*`, then `config/membership.{NODE_ENV}.*`, then
 *  options in code; later wins key by key. The objects given stay untouched.
 *  @throws ERR_CONFIG with everything that is wrong, one line each. */
export const loadConfig = async <D extends DefinitionLike>(
  input: LoadConfigInput<D>,
): Promise<LoadedConfig<D>> => {
  const problems = createProblems()
  const sources = await readSources(input, problems)
  // What follows from a file that could not be read would only mislead.
  problems.throwIfAny()

  const merged = mergeSources(sources, input.definitions, problems)
  const { tree, given } = takeHandler(merged, problems)
  const definitions = [
    ...input.definitions.filter(({ key }) => key !== given?.key),
    ...(given ? [given] : []),
  ]
  const filled = fillFromEnvironment(tree, input.env, problems)
  const context: ParseContext = { ...filled, tree, problems, keys: configKeys(definitions) }

  const { providers: providerInputs = {}, ...coreInput } = filled.data
  const core = await parsePart(coreSchema, coreInput, [], context)
  const providers = await parseProviders(providerInputs, definitions, context)
  checkProviders({
    handler: coreInput.provider,
    providers: providerInputs,
    definitions,
    env: input.env,
    context,
  })
  checkFields(providers, context)
  problems.throwIfAny()
  if (!core) throw new TypeError('unreachable: a part that cannot be parsed is a problem')

  const { gates, ...rest } = core
  const config = { ...rest, gates: { past_due_seconds: gates.past_due }, providers }
  return {
    config,
    // The caller's type of definition is the only one that works with it; `isDefinition` checked the shape.
    definitions: given ? [given as D] : [],
    sources: sources.map((source) => source.label),
    warnings: findWarnings(config, input.env),
  }
}

const readSources = async (
  { options, root, config, env }: LoadConfigInput<DefinitionLike>,
  problems: Problems,
): Promise<Source[]> => {
  const environmentName = env.NODE_ENV || undefined
  const files = await readFiles({ root, config, environmentName, problems })
  return options === undefined ? files : [...files, { label: 'options in code', data: options }]
}

const mergeSources = (
  sources: readonly Source[],
  definitions: readonly DefinitionLike[],
  problems: Problems,
): Branch => {
  const providerKeys = definitions.map(({ key }) => key)
  const canonical = (path: readonly string[], found: { source: string; written: string }) => {
    const old = findV1Key(path, providerKeys)
    if (old) reportV1(old, found, problems)
    return resolveAlias(old?.path ?? path)
  }
  const isValue = (path: readonly string[]) => handlerPaths.has(path.join('.'))
  return sources
    .map((source) => resolveSource(source, { problems, canonical, isValue }))
    .reduce(mergeTrees, { kind: 'branch', children: new Map(), source: 'no source gives it' })
}

const handlerPaths = new Set(['provider.handler', 'provider.current'])

/** `webhook_secret` is what several providers call it. */
const resolveAlias = (path: readonly string[]): readonly string[] =>
  path[0] === 'providers' && path[2] === 'webhook_secret'
    ? [...path.slice(0, 2), 'webhook', ...path.slice(3)]
    : path

const reportV1 = (
  old: { v1: string; v2: string },
  found: { source: string; written: string },
  problems: Problems,
): void => {
  const isDotted = found.written.replaceAll('"', '').split(' > ').join('.').startsWith(old.v1)
  const spelling = isDotted ? '' : `, written as ${found.written},`
  problems.add(
    `"${old.v1}"${spelling} is a key of version 1 (${found.source}); in version 2 it is "${old.v2}". To rewrite the files: npx membership migrate`,
    'Run "npx membership migrate" to see the changes, then "npx membership migrate --write".',
  )
}

/** Takes a definition given as handler out of the tree: its key stays in its place. */
const takeHandler = (
  tree: Branch,
  problems: Problems,
): { tree: Branch; given: DefinitionLike | undefined } => {
  const node = findNode(tree, ['provider', 'handler'])
  if (node.kind === 'branch' || typeof node.value === 'string' || node.value === null)
    return { tree, given: undefined }
  if (!isDefinition(node.value)) return { tree, given: undefined }
  const given = node.value
  if (!/^[a-z][a-z0-9_-]*$/.test(given.key))
    problems.add(
      `The key "${given.key}" of the provider given as membership.provider.handler must be lower-case letters, digits, "-" and "_" (${node.source})`,
    )
  const branch = (children: [string, Node][]): Branch => ({
    kind: 'branch',
    children: new Map(children),
    source: node.source,
  })
  const handler = branch([['handler', { ...node, value: given.key }]])
  // A provider handed over as an object counts as configured, with its schema's defaults.
  const configured = branch([[given.key, branch([])]])
  const named = branch([
    ['provider', handler],
    ['providers', configured],
  ])
  return { tree: mergeTrees(tree, named), given }
}

interface Filled {
  readonly data: Record<string, unknown>
  readonly failed: ReadonlySet<string>
  readonly variables: ReadonlyMap<string, readonly string[]>
}

/** The tree as plain objects with the environment's values in it. A key without a value counts as not given. */
const fillFromEnvironment = (tree: Branch, env: Environment, problems: Problems): Filled => {
  const failed = new Set<string>()
  const variables = new Map<string, readonly string[]>()
  const data = fill(tree, []) as Record<string, unknown>
  return { data, failed, variables }

  function fill(node: Node, path: string[]): unknown {
    if (node.kind === 'branch') {
      const entries = [...node.children].map(([key, child]) => [key, fill(child, [...path, key])] as const)
      return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
    }
    // `stripe:` with nothing below it names a provider, and `pro:` a plan.
    if (node.value === null) return isName(path) ? {} : undefined
    return fillLeaf(node.value, path, node.source)
  }

  function fillLeaf(given: unknown, path: string[], source: string): unknown {
    const key = toKey(path)
    const { value, names, missing, isMalformed } = resolveEnv(given, env)
    if (names.length > 0) variables.set(key, names)
    for (const name of missing)
      problems.add(
        `The environment variable ${name} is not set, and ${key} needs it (${source})`,
        `Set ${name} in the environment of the process; .env files are not read by themselves (node --env-file=.env …).`,
      )
    if (isMalformed)
      problems.add(
        `${key} holds "\${" that names no environment variable (${source})`,
        `Write \${NAME} or \${NAME:-default}; $\${ stands for the characters themselves.`,
      )
    if (missing.length === 0 && !isMalformed) return value
    failed.add(key)
    return undefined
  }
}

const isName = (path: readonly string[]): boolean =>
  path[0] === 'providers' && (path.length === 2 || (path.length === 4 && path[2] === 'plans'))

const parseProviders = async (
  inputs: unknown,
  definitions: readonly DefinitionLike[],
  context: ParseContext,
): Promise<Record<string, ProviderConfig>> => {
  const providers: Record<string, ProviderConfig> = {}
  for (const [key, input] of Object.entries(asGroup(inputs, ['providers'], context))) {
    const definition = definitions.find((known) => known.key === key)
    if (!definition) {
      reportUnknownProvider(key, definitions, context)
      continue
    }
    const config = await parseProvider(definition, asGroup(input, ['providers', key], context), context)
    if (config) providers[key] = config
  }
  return providers
}

const asGroup = (input: unknown, path: readonly string[], context: ParseContext): Record<string, unknown> => {
  if (findNode(context.tree, path).kind === 'branch' || input === undefined)
    return (input ?? {}) as Record<string, unknown>
  if (typeof input === 'object' && input !== null && Object.keys(input).length === 0) return {}
  context.problems.add(`${toKey(path)} must be a group of keys (${placeOf(path, context)})`)
  return {}
}

const parseProvider = async (
  definition: DefinitionLike,
  input: Record<string, unknown>,
  context: ParseContext,
): Promise<ProviderConfig | undefined> => {
  const path = ['providers', definition.key]
  const isShared = ([name]: [string, unknown]) => Object.hasOwn(providerSchema.shape, name)
  const entries = Object.entries(input)
  const own = Object.fromEntries(entries.filter((entry) => !isShared(entry)))
  reportDropped(definition, own, path, context)
  const shared = await parsePart(providerSchema, Object.fromEntries(entries.filter(isShared)), path, context)
  const before = context.problems.count
  const options: unknown = await parsePart(definition.options, own, path, context)
  if (!shared || context.problems.count > before) return undefined
  return toProviderConfig(definition.key, shared, options)
}

/** An object schema of zod drops keys that it does not know without a word; here a typo is an error. */
const reportDropped = (
  definition: DefinitionLike,
  own: Record<string, unknown>,
  path: readonly string[],
  context: ParseContext,
): void => {
  const shape = shapeOf(definition.options)
  if (!shape?.dropsUnknown) return
  for (const key of Object.keys(own)) {
    if (Object.hasOwn(shape.shape, key)) continue
    reportUnknown([...path, key], context)
  }
}

const reportUnknownProvider = (
  key: string,
  definitions: readonly DefinitionLike[],
  context: ParseContext,
): void => {
  const known = definitions.map((definition) => definition.key)
  const nearest = findNearest(key, known)
  const path = ['providers', key]
  context.problems.add(
    `There is no provider "${key}": unknown key "${toKey(path)}" (${placeOf(path, context)}). Providers: ${known.join(', ') || 'none'}.${nearest ? ` Did you mean "${toKey(['providers', nearest])}"?` : ''}`,
    'Correct the name, or give a provider of your own as membership.provider.handler.',
  )
}

interface CheckProvidersInput {
  readonly handler: unknown
  readonly providers: unknown
  readonly definitions: readonly DefinitionLike[]
  readonly env: Environment
  readonly context: ParseContext
}

const checkProviders = ({
  handler: section,
  providers,
  definitions,
  env,
  context,
}: CheckProvidersInput): void => {
  const configured = Object.keys(providers ?? {})
  const handler = (section as { handler?: unknown } | undefined)?.handler
  const path = ['provider', 'handler']
  if (typeof handler === 'string' && handler !== '' && !configured.includes(handler)) {
    const isKnown = definitions.some((definition) => definition.key === handler)
    const nearest = isKnown ? undefined : findNearest(handler, configured)
    context.problems.add(
      `membership.provider.handler names "${handler}", which is not configured (${placeOf(path, context)}); configured: ${configured.join(', ') || 'none'}.${nearest ? ` Did you mean "${nearest}"?` : ''}`,
      isKnown ? `Add membership.providers.${handler}.` : 'Name a configured provider.',
    )
  }
  if (env.NODE_ENV === 'production' && configured.includes('sandbox'))
    context.problems.add(
      `membership.providers.sandbox gives memberships away and is refused under NODE_ENV=production (${placeOf(['providers', 'sandbox'], context)})`,
      'Configure a real provider, and move membership.providers.sandbox to config/membership.development.yml.',
    )
}

const checkFields = (providers: Readonly<Record<string, ProviderConfig>>, context: ParseContext): void => {
  const owners = new Map<string, string>()
  for (const [key, provider] of Object.entries(providers)) {
    const path = ['providers', key]
    const other = owners.get(provider.field)
    if (other !== undefined)
      context.problems.add(
        `${toKey([...path, 'field'])} and ${toKey(['providers', other, 'field'])} are both "${provider.field}"; each provider needs its own (${placeOf([...path, 'field'], context)})`,
      )
    owners.set(provider.field, key)
    for (const { id, plans } of findRepeatedPrices(Object.values(provider.plans)))
      context.problems.add(
        `${toKey([...path, 'plans'])} names the price "${id}" ${plans.length} times: in ${plans.join(', ')} (${placeOf([...path, 'plans'], context)})`,
        'A price belongs to one plan, once: in "prices" or in "retired".',
      )
  }
}

const findWarnings = (config: Config, env: Environment): string[] => {
  const configured = Object.keys(config.providers)
  const warnings: string[] = []
  if (configured.length > 0 && config.provider.handler === null)
    warnings.push(
      `membership.provider.handler is not set, so nothing can be bought; configured: ${configured.join(', ')}`,
    )
  if (env.NODE_ENV === 'production' && config.url === null)
    warnings.push(
      'membership.url is not set; providers need the public address of the site to send buyers back',
    )
  return warnings
}
