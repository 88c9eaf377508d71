import { lazy } from '../lazy.ts'
import { checkBrand, checkFields, checkProviders, checkSecret, findWarnings, placeSite } from './checks.ts'
import { readFiles } from './config-files.ts'
import { type DefinitionLike, isDefinition, type ListedDefinition, loadAll } from './definitions.ts'
import { type Environment, resolveEnv } from './env.ts'
import { configKeys } from './keys.ts'
import { type ParseContext, parsePart } from './parse.ts'
import { createProblems, type Problems } from './problems.ts'
import { type ProviderConfig, webhookNames } from './provider.ts'
import { parseProviders } from './provider-config.ts'
import { type Branch, findNode, mergeTrees, type Node, resolveSource, type Source, toKey } from './resolve.ts'
import { type CoreConfig, coreSchema } from './schema.ts'
import { findFormerNames, parseSitePlans } from './site-plans.ts'
import { checkUnset, findUnset, type Unset } from './unset.ts'
import { findV1Key } from './v1.ts'

/** The configuration with every default. */
export interface Config extends Omit<CoreConfig, 'gates' | 'base_path'> {
  /** The path below which the site stands; empty at the root of a host. `url` ends with it. */
  readonly base_path: string
  readonly gates: { readonly past_due_seconds: number }
  readonly providers: Readonly<Record<string, ProviderConfig>>
}

export interface LoadConfigInput<D extends DefinitionLike> {
  /** Options in code. They override files. */
  readonly options?: unknown
  /** The folder with `config/`; false reads no files. */
  readonly root: string | false
  /** A file that replaces `config/membership.*`, relative to `root`. Its overlay is `{name}.{NODE_ENV}.*` beside it. */
  readonly config?: string
  readonly env: Environment
  /** The available providers. A listed one is loaded only if it is configured or a problem exists. */
  readonly definitions: readonly (D | ListedDefinition<D>)[]
}

/** A configuration with every default, its sources and warnings. */
export interface LoadedConfig<D extends DefinitionLike> {
  readonly config: Config
  /** The configured providers, including one of the site's own given as `membership.provider.handler`. */
  readonly definitions: readonly D[]
  /** The sources, in the order of reading. */
  readonly sources: readonly string[]
  readonly warnings: readonly string[]
  /** Sentences about keys under their former name. */
  readonly formerNames: readonly string[]
}

/**
 * Reads the configuration: defaults, then `config/membership.*`, then `config/membership.{NODE_ENV}.*`, then options in
 * code. Later sources override key by key. The given objects are not changed.
 * @throws ERR_CONFIG with every problem, one per line
 */
export async function loadConfig<D extends DefinitionLike>(
  input: LoadConfigInput<D>,
): Promise<LoadedConfig<D>> {
  const problems = createProblems()
  const sources = await readSources(input, problems)
  // Further problems would only mislead after an unreadable file.
  problems.throwIfAny()

  const unset = new Map<string, string>()
  const merged = mergeSources(sources, input.definitions, problems, unset)
  const { tree, given } = takeHandler(merged, problems)
  const known = [
    ...input.definitions.filter(({ key }) => key !== given?.key),
    // `isDefinition` checked the shape. Only the caller's own type of definition can follow from it.
    ...(given ? [given as D] : []),
  ]
  const definitions = await loadAll(known.filter(isNamed(tree)))
  const config =
    problems.count === 0 && (await parseTree({ tree, unset }, definitions, input.env, createProblems()))
  if (config) {
    const labels = sources.map((source) => source.label)
    return {
      config,
      definitions,
      sources: labels,
      warnings: [...findWarnings(config, input.env), ...findUnset(tree, unset)],
      formerNames: findFormerNames(tree),
    }
  }
  // A start loads only configured providers. A problem's text may name any provider, and must hide the secrets of all.
  await parseTree({ tree, unset }, await loadAll(known), input.env, problems)
  problems.throwIfAny()
  throw new TypeError('unreachable: what cannot be parsed is a problem')
}

/** True if the configuration has an entry for the provider. */
function isNamed(tree: Branch): (definition: { readonly key: string }) => boolean {
  const node = findNode(tree, ['providers'])
  return ({ key }) => node.kind === 'branch' && node.children.has(key)
}

/** Parses the tree; null if it has a problem. */
async function parseTree(
  { tree, unset }: { readonly tree: Branch; readonly unset: Unset },
  definitions: readonly DefinitionLike[],
  env: Environment,
  problems: Problems,
): Promise<Config | null> {
  const filled = fillFromEnvironment(tree, env, problems)
  const secretPrefixes = definitions.flatMap(({ secrets }) => secrets?.prefixes ?? [])
  const keys = lazy(() => configKeys(definitions))
  const context: ParseContext = { ...filled, tree, problems, keys, secretPrefixes }

  const { providers: providerInputs = {}, plans: planInputs, ...coreInput } = filled.data
  const core = await parsePart(coreSchema, coreInput, [], context)
  const sitePlans = await parseSitePlans(planInputs, Object.keys(providerInputs ?? {}), context)
  const providers = await parseProviders(providerInputs, definitions, sitePlans, context)
  checkProviders({ sellers: coreInput.provider, providers: providerInputs, definitions, env, unset, context })
  checkUnset(unset, Object.keys(providerInputs ?? {}), problems)
  checkFields(providers, context)
  if (core) checkSecret(core, env, context)
  if (core) checkBrand(core, context)
  const place = core && placeSite(core, context)
  if (problems.count > 0 || !core || !place) return null
  const { gates, ...rest } = core
  return { ...rest, ...place, gates: { past_due_seconds: gates.past_due }, providers }
}

async function readSources(
  { options, root, config, env }: Omit<LoadConfigInput<DefinitionLike>, 'definitions'>,
  problems: Problems,
): Promise<Source[]> {
  const environmentName = env.NODE_ENV || undefined
  const files = await readFiles({ root, config, environmentName, problems })
  return options === undefined ? files : [...files, { label: 'options in code', data: options }]
}

function mergeSources(
  sources: readonly Source[],
  definitions: readonly { readonly key: string }[],
  problems: Problems,
  unset: Map<string, string>,
): Branch {
  const onUndefined = (path: readonly string[], source: string) =>
    void unset.set(toKey(resolveAlias(path)), source)
  const providerKeys = definitions.map(({ key }) => key)
  const canonical = (path: readonly string[], found: { source: string; written: string }) => {
    const old = findV1Key(path, providerKeys)
    if (old) reportV1(old, found, problems)
    return resolveAlias(old?.path ?? path)
  }
  const isValue = (path: readonly string[]) => handlerPaths.has(path.join('.'))
  return sources
    .map((source) => resolveSource(source, { problems, canonical, isValue, onUndefined }))
    .reduce(mergeTrees, { kind: 'branch', children: new Map(), source: 'no source gives it' })
}

const handlerPaths = new Set(['provider.handler', 'provider.current'])

function resolveAlias(path: readonly string[]): readonly string[] {
  return path[0] === 'providers' && webhookNames.includes(path[2] ?? '')
    ? [...path.slice(0, 2), 'webhook', ...path.slice(3)]
    : path
}

function reportV1(
  old: { v1: string; v2: string },
  found: { source: string; written: string },
  problems: Problems,
): void {
  const isDotted = found.written.replaceAll('"', '').split(' > ').join('.').startsWith(old.v1)
  const spelling = isDotted ? '' : `, written as ${found.written},`
  problems.add(
    `"${old.v1}"${spelling} is a key of version 1 (${found.source}); in version 2 it is "${old.v2}". To rewrite the files: npx membership migrate`,
    'Run "npx membership migrate" to see the changes, then "npx membership migrate --write".',
  )
}

/** Takes a definition given as `handler` out of the tree, and leaves its key there. */
function takeHandler(tree: Branch, problems: Problems): { tree: Branch; given: DefinitionLike | undefined } {
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
  // A provider given as an object counts as configured, with its schema's defaults.
  const configured = branch([[given.key, branch([])]])
  const named = branch([
    ['provider', handler],
    ['providers', configured],
  ])
  return { tree: mergeTrees(tree, named), given }
}

/** A configuration completed from the environment, with what was missing. */
export interface Filled {
  readonly data: Record<string, unknown>
  /** Keys that the environment could not fill. Each is already reported as a problem. */
  readonly failed: ReadonlySet<string>
  /** By key: the variables it was read from. */
  readonly variables: ReadonlyMap<string, readonly string[]>
}

/** Returns the tree as plain objects, with values from the environment. A key without a value counts as not given. */
export function fillFromEnvironment(tree: Branch, env: Environment, problems: Problems): Filled {
  const failed = new Set<string>()
  const variables = new Map<string, readonly string[]>()
  const data = fill(tree, []) as Record<string, unknown>
  return { data, failed, variables }

  function fill(node: Node, path: string[]): unknown {
    if (node.kind === 'branch') {
      const entries = [...node.children].map(([key, child]) => [key, fill(child, [...path, key])] as const)
      return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
    }
    // `stripe:` with nothing below names a provider, and `pro:` a plan.
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
        `Set ${name} in the environment of the process. A site reads it from .env only if it is started with node --env-file=.env …`,
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

function isName(path: readonly string[]): boolean {
  return (
    (path[0] === 'plans' && path.length === 2) ||
    (path[0] === 'providers' && (path.length === 2 || (path.length === 4 && path[2] === 'plans')))
  )
}
