import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MembershipError } from './errors.ts'
import { lazy } from './lazy.ts'
import { isBuilt, loadOwn, packageFolder } from './package-folder.ts'

/** The YAML library, loaded with the first file. A site without YAML files never needs it. */
export const yaml = lazy((): typeof import('yaml') => loadOwn('yaml') as typeof import('yaml'))

/**
 * Reads a YAML file of this package by its path. The build has converted it to JSON, because parsing the texts would
 * cost a site's first page more than everything else.
 * @throws ERR_CONFIG that names file and line
 */
export function readShippedYaml(path: string): unknown {
  const built = join(packageFolder(), 'dist', `${path}.json`)
  if (isBuilt() && existsSync(built)) return JSON.parse(readFileSync(built, 'utf8'))
  const text = readFileSync(join(packageFolder(), path), 'utf8')
  try {
    return yaml().parse(text)
  } catch (error) {
    throw new MembershipError('ERR_CONFIG', `${path} is no YAML: ${firstLine(error)}`, {
      action: `Correct ${path}. Texts with ": " in them need quotes.`,
      cause: error,
    })
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]!.replace(/:$/, '')
}
