import type { Problems } from './problems.ts'
import { type Branch, findNode } from './resolve.ts'

/** The source of each key whose value is undefined (mostly from `process.env`). */
export type Unset = ReadonlyMap<string, string>

const advice =
  "Set the environment variable that it is read from. A site reads .env only if it is started with node --env-file=.env …. With env('NAME') in place of process.env.NAME the message names it."

function words(key: string, source: string): string {
  return `${key} is undefined (${source}): the environment variable that it is read from is probably not set`
}

/**
 * Reports a provider whose values are all undefined, because it was meant to exist. A provider that is itself undefined
 * is left out on purpose, where it has no keys.
 */
export function checkUnset(unset: Unset, configured: readonly string[], problems: Problems): void {
  for (const [key, source] of unset) {
    const [, section, provider = '', ...below] = key.split('.')
    if (section === 'providers' && below.length > 0 && !configured.includes(provider))
      problems.add(words(key, source), advice)
  }
}

/** Finds missing secrets that were given as undefined. */
export function findUnset(tree: Branch, unset: Unset): string[] {
  return [...unset].flatMap(([key, source]) => {
    const path = key.split('.').slice(1)
    const isSecret = /^(secret|webhook)$/.test(path.at(-1) ?? '')
    return isSecret && !isThere(tree, path) ? [`${words(key, source)}. ${advice}`] : []
  })
}

// Another source may have set it.
function isThere(tree: Branch, path: readonly string[]): boolean {
  return findNode(tree, path) !== findNode(tree, path.slice(0, -1))
}
