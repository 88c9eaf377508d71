import { type Environment, resolveEnv } from './env.ts'
import type { Problems } from './problems.ts'
import { type Branch, type Node, toKey } from './resolve.ts'

/** A configuration completed from the environment, with what was missing. */
export interface Filled {
  readonly data: Record<string, unknown>
  /** Keys that the environment could not fill. Each is already reported as a problem. */
  readonly failed: ReadonlySet<string>
  /** By key: the variables it was read from. */
  readonly variables: ReadonlyMap<string, readonly string[]>
}

/** Returns the tree as plain objects, with values from the environment. A key without a value counts as not given. */
export const fillFromEnvironment = (tree: Branch, env: Environment, problems: Problems): Filled => {
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
