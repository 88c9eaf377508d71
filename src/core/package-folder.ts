import { readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MembershipError } from './errors.ts'
import { lazy } from './lazy.ts'

/**
 * Finds this package's folder with `templates/`, `blueprints/` and `config/`: above this file, or for a bundle among
 * the site's modules. Searched on first use.
 * @throws ERR_CONFIG where it is not there
 */
export const packageFolder = lazy((): string => {
  const found = aboveThis() ?? amongModules()
  if (found !== null) return found
  throw new MembershipError('ERR_CONFIG', 'The files of the package "membership" are not found from here.', {
    action: `Keep node_modules/membership beside what you run, or above it: its pages and words are read from there. This is ${process.cwd()}.`,
  })
})

// webpack does not replace `createRequire` when a module imports it.
const { createRequire } = process.getBuiltinModule('node:module')

// Written so that no bundler takes it for a file to copy. A CommonJS bundle has no address of its own.
function here(): string | null {
  const { url } = import.meta as { url?: string }
  return url?.startsWith('file:') ? fileURLToPath(url) : null
}

function aboveThis(): string | null {
  const file = here()
  if (file === null) return null
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (isOurs(folder)) return folder
    if (folder === dirname(folder)) return null
  }
}

function amongModules(): string | null {
  const places = [process.argv[1], join(process.cwd(), 'here.js')].filter((item) => item !== undefined)
  for (const place of places)
    try {
      return dirname(createRequire(place).resolve('membership/package.json'))
    } catch {
      // Not readable from there.
    }
  return null
}

function isOurs(folder: string): boolean {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name === 'membership'
  } catch {
    return false
  }
}

/** Resolves a package that the site may have: from this file, or for a bundle from the site's modules. */
export function resolveFromSite(name: string): string {
  return requiring((require) => require.resolve(name))
}

/**
 * True if the site has this package. Nothing of it is loaded, so that its other problems show on first use. Asked from
 * where it will be loaded, also in a bundle: no bundler follows either call.
 */
export function isInstalled(name: string): boolean {
  try {
    resolveFromSite(name)
    return true
  } catch (error) {
    return (error as { code?: unknown }).code !== 'MODULE_NOT_FOUND'
  }
}

/** Loads a package that the site may have, however its own code was bundled. No bundler follows this call. */
export function loadFromSite(name: string): unknown {
  return requiring((require) => require(name))
}

/** Loads a dependency of this package synchronously on first use, so that no start waits for what few sites use. */
export function loadOwn(name: string): unknown {
  return createRequire(join(packageFolder(), 'package.json'))(name)
}

/** True if this runs from `dist/` or a site's bundle of it, not from the source or its tests. */
export function isBuilt(): boolean {
  const file = here()
  const inPackage = file?.startsWith(packageFolder() + sep) === true
  return !inPackage || file.startsWith(join(packageFolder(), 'dist') + sep)
}

function requiring<T>(use: (require: NodeJS.Require) => T): T {
  const cwd = join(process.cwd(), 'here.js')
  const file = here() ?? cwd
  try {
    return use(createRequire(file))
  } catch (error) {
    if (file === cwd || (error as { code?: unknown }).code !== 'MODULE_NOT_FOUND') throw error
    return use(createRequire(cwd))
  }
}
