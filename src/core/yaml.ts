import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lazy } from './lazy.ts'
import { isBuilt, loadOwn, packageFolder } from './package-folder.ts'

/** The YAML library, loaded with the first file. A site without YAML files never needs it. */
export const yaml = lazy((): typeof import('yaml') => loadOwn('yaml') as typeof import('yaml'))

/**
 * Reads a YAML file of this package by its path. The build has converted it to JSON, because parsing the texts would
 * cost a site's first page more than everything else.
 */
export const readShippedYaml = (path: string): unknown => {
  const built = join(packageFolder(), 'dist', `${path}.json`)
  if (isBuilt() && existsSync(built)) return JSON.parse(readFileSync(built, 'utf8'))
  return yaml().parse(readFileSync(join(packageFolder(), path), 'utf8'))
}
