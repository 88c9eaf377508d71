import type { Problems } from './problems.ts'
import { type Branch, findNode } from './resolve.ts'

/** The keys that were given and undefined, most often by `process.env`, with who gave them. */
export type Unset = ReadonlyMap<string, string>

const advice =
  "Set the environment variable that it is read from; .env files are not read by themselves (node --env-file=.env …). With env('NAME') in place of process.env.NAME the message names it."

const words = (key: string, source: string): string =>
  `${key} is undefined (${source}): the environment variable that it is read from is probably not set`

/** A provider of which nothing but undefined values is said was meant to be there. One that is undefined itself was not:
 *  so a site leaves it out where it has no keys. */
export const checkUnset = (unset: Unset, configured: readonly string[], problems: Problems): void => {
  for (const [key, source] of unset) {
    const [, section, provider = '', ...below] = key.split('.')
    if (section === 'providers' && below.length > 0 && !configured.includes(provider))
      problems.add(words(key, source), advice)
  }
}

/** Finds the parts that go on without a secret that somebody meant to give. */
export const findUnset = (tree: Branch, unset: Unset): string[] =>
  [...unset].flatMap(([key, source]) => {
    const path = key.split('.').slice(1)
    const isSecret = /^(secret|webhook)$/.test(path.at(-1) ?? '')
    return isSecret && !isThere(tree, path) ? [`${words(key, source)}. ${advice}`] : []
  })

// Another source may have given it.
const isThere = (tree: Branch, path: readonly string[]): boolean =>
  findNode(tree, path) !== findNode(tree, path.slice(0, -1))
