import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { codeEndings, importDefault, isCodeFile } from '../core/config/index.ts'
import { MembershipError } from '../core/errors.ts'
import type { MembershipOptions } from './options.ts'

/** Options that a file of the site exports. */
export interface ConfigInCode {
  /** Path from the site's folder, with slashes. */
  readonly label: string
  readonly options: MembershipOptions
}

/**
 * Loads a site's options from its `membership.config.*`, or from the file that `"membership"` in its
 * package.json names. `config` names another file. Returns null if the site has no such file. Files with
 * configuration keys (`config/membership.*`) are read elsewhere.
 * @throws ERR_CONFIG when the file is missing, cannot be imported, or exports something else
 */
export async function loadConfigInCode(folder: string, config?: string): Promise<ConfigInCode | null> {
  const file = config === undefined ? findConfigInCode(folder) : namedOptions(folder, config)
  if (file === null) return null
  const label = labelOf(folder, file)
  if (!existsSync(file))
    throw new MembershipError('ERR_CONFIG', `There is no file ${label}.`, {
      action: config === undefined ? 'Correct "membership" in package.json.' : 'Correct --config.',
    })
  return { label, options: optionsIn(await importDefault(file, label), label) }
}

/** Returns the file that exports a site's options, or null. @throws ERR_CONFIG when there are two */
export function findConfigInCode(folder: string): string | null {
  const named = namedInPackage(folder)
  if (named !== null) return resolve(folder, named)
  const [file, second] = codeEndings
    .map((ending) => `membership.config.${ending}`)
    .filter((name) => existsSync(join(folder, name)))
  if (second !== undefined)
    throw new MembershipError('ERR_CONFIG', `${file} and ${second} are both there, and only one may be.`, {
      action: `Delete ${file} or ${second}.`,
    })
  return file === undefined ? null : join(folder, file)
}

/** Returns true if a folder has its own configuration, in code or in `config/`. @throws ERR_CONFIG */
export function hasOwnConfig(folder: string): boolean {
  if (findConfigInCode(folder) !== null) return true
  const below = join(folder, 'config')
  return (
    existsSync(below) && readdirSync(below).some((name) => /^membership\.(ts|js|mjs|json|ya?ml)$/.test(name))
  )
}

/**
 * A file that `--config` names holds options if it is called `*.config.*`, or if package.json names it as
 * well.
 */
function namedOptions(folder: string, config: string): string | null {
  const file = resolve(folder, config)
  const isNamed = namedInPackage(folder) !== null && findConfigInCode(folder) === file
  return isCodeFile(file) && (isNamed || /\.config\.\w+$/.test(basename(file))) ? file : null
}

function namedInPackage(folder: string): string | null {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return null
  try {
    const { membership } = JSON.parse(readFileSync(file, 'utf8')) as { membership?: unknown }
    return typeof membership === 'string' ? membership : null
  } catch {
    return null
  }
}

function labelOf(folder: string, file: string): string {
  const path = relative(folder, file)
  return path.startsWith('..') ? file : path.replaceAll('\\', '/')
}

function optionsIn(exported: unknown, label: string): MembershipOptions {
  const isGroup = typeof exported === 'object' && exported !== null && !Array.isArray(exported)
  const isStarted = isGroup && 'koa' in exported
  if (isGroup && !isStarted) return exported as MembershipOptions
  throw new MembershipError(
    'ERR_CONFIG',
    isStarted
      ? `${label} exports a membership that is running. It has to export the options alone.`
      : `${label} has to export the options of createMembership as an object.`,
    {
      action: `Write export default { … } in ${label}, and in the site: import options from './${label}', then createMembership(options).`,
    },
  )
}

/** Returns the options with another value for one key, whether they write it dotted, nested or mixed. */
export function withKey(options: MembershipOptions, key: string, value: unknown): MembershipOptions {
  return { ...(without(options, key.split('.')) as MembershipOptions), [key]: value }
}

function without(group: object, path: readonly string[]): object {
  return Object.fromEntries(
    Object.entries(group).flatMap(([name, value]): [string, unknown][] => {
      const parts = name.split('.')
      if (parts.some((part, index) => part !== path[index])) return [[name, value]]
      const rest = path.slice(parts.length)
      if (rest.length === 0) return []
      const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value)
      return [[name, isGroup ? without(value, rest) : value]]
    }),
  )
}
