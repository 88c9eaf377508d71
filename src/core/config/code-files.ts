import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { MembershipError } from '../errors.ts'

/** The extensions of files that export a configuration. */
export const codeEndings = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'] as const

/** True for a JavaScript or TypeScript file, by its extension. */
export function isCodeFile(file: string): boolean {
  return codeEndings.some((ending) => file.endsWith(`.${ending}`))
}

/**
 * Imports a file and returns its default export. Node imports TypeScript where it can, else the folder's own tsx or
 * jiti.
 * @throws ERR_CONFIG where the file has no default export, cannot be imported, or is TypeScript that nothing here
 * reads; `label` names it
 */
export async function importDefault(file: string, label: string): Promise<unknown> {
  const module = await importModule(file).catch((error: unknown) => {
    throw explained(error, file, label)
  })
  const exported = unwrapped(module.default)
  if (exported !== undefined) return exported
  throw new MembershipError('ERR_CONFIG', `${label} has no default export.`, {
    action: `End ${label} with: export default { … }`,
  })
}

interface Module {
  readonly default?: unknown
}

async function importModule(file: string): Promise<Module> {
  const { href } = pathToFileURL(file)
  try {
    return (await import(href)) as Module
  } catch (error) {
    if (!isTypeScript(file) || !needsTranslation(error)) throw error
    const translate = (await tsxOf(file)) ?? (await jitiOf(file))
    if (translate === null) throw error
    return await translate(href)
  }
}

type Translate = (href: string) => Promise<Module>

async function tsxOf(file: string): Promise<Translate | null> {
  const tsx = (await packageOf(file, 'tsx/esm/api')) as {
    tsImport(specifier: string, parent: string): Promise<Module>
  } | null
  return tsx && ((href) => tsx.tsImport(href, href))
}

async function jitiOf(file: string): Promise<Translate | null> {
  const jiti = (await packageOf(file, 'jiti')) as {
    createJiti(parent: string): { import(specifier: string): Promise<Module> }
  } | null
  return jiti && ((href) => jiti.createJiti(href).import(href))
}

/** Imports a package of the site, resolved from the file; null where it is not installed. */
async function packageOf(from: string, name: string): Promise<unknown> {
  let found: string
  try {
    found = createRequire(from).resolve(name)
  } catch {
    return null
  }
  // tsx resolves to its CommonJS build here, which does not find its own files.
  const file = name.startsWith('tsx/') ? found.replace(/\.cjs$/, '.mjs') : found
  return import(pathToFileURL(file).href)
}

function isTypeScript(file: string): boolean {
  return /^\.[cm]?ts$/.test(extname(file))
}

/** True for errors of TypeScript that Node alone cannot read: syntax beyond types, and imports without extension. */
function needsTranslation(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code !== undefined && (typeScriptCodes.has(code) || resolutionCodes.has(code))
}

const typeScriptCodes = new Set([
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
  'ERR_NO_TYPESCRIPT',
])
const resolutionCodes = new Set(['ERR_MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT', 'MODULE_NOT_FOUND'])

/** A module compiled to CommonJS has its default export one level down. */
function unwrapped(exported: unknown): unknown {
  return typeof exported === 'object' &&
    exported !== null &&
    '__esModule' in exported &&
    'default' in exported
    ? exported.default
    : exported
}

function explained(error: unknown, file: string, label: string): MembershipError {
  const { code, message } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { message: String(error) }
  if (isTypeScript(file) && code !== undefined && typeScriptCodes.has(code))
    return new MembershipError(
      'ERR_CONFIG',
      `${label} is TypeScript. Node ${process.version} cannot import it, and the site has neither tsx nor jiti.`,
      {
        action: `Run Node 22.18 or newer, install tsx (npm install --save-dev tsx), or write ${label.replace(/ts$/, 'js')} in its place.`,
        cause: error,
      },
    )
  const [, name] = /^Cannot find package '([^']+)'/.exec(message) ?? []
  if (name !== undefined)
    return new MembershipError(
      'ERR_CONFIG',
      `${label} imports the package ${name}, which is not installed.`,
      {
        action: 'Run npm install in the folder of the site.',
        cause: error,
      },
    )
  return new MembershipError('ERR_CONFIG', `${label} could not be loaded: ${message.split('\n')[0]}`, {
    action: `Correct ${label}.`,
    cause: error,
  })
}
