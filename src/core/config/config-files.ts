import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { isMembershipError } from '../errors.ts'
import { yaml } from '../yaml.ts'
import { importDefault, isCodeFile } from './code-files.ts'
import type { Problems } from './problems.ts'
import type { Source } from './resolve.ts'

/** Selects the files of a configuration. */
export interface ReadFilesInput {
  readonly root: string | false
  /** A file that replaces the base file. Its overlay is beside it. */
  readonly config: string | undefined
  readonly environmentName: string | undefined
  readonly problems: Problems
}

const extensions = ['ts', 'js', 'mjs', 'json', 'yml', 'yaml']

/** Reads the base file and then its overlay for NODE_ENV. An unreadable file becomes a problem. */
export async function readFiles(input: ReadFilesInput): Promise<Source[]> {
  const { root, config, environmentName, problems } = input
  if (environmentName !== undefined && !/^[\w-]+$/.test(environmentName)) {
    problems.add('NODE_ENV may hold letters, digits, "-" and "_" only, because it names a configuration file')
    return []
  }
  if (root === false && config === undefined) return []
  const home = root === false ? process.cwd() : resolve(root)
  const base = config === undefined ? join(home, 'config', 'membership') : resolve(home, config)
  const stem = config === undefined ? base : base.slice(0, base.length - extname(base).length)
  const label = (file: string) => toLabel(home, file)

  const names = await readdir(dirname(stem)).catch((): string[] => [])
  const find = (name: string): string[] => {
    const found = extensions.map((extension) => `${name}.${extension}`).filter((file) => names.includes(file))
    const [first, second] = found.map((file) => label(join(dirname(stem), file)))
    if (second !== undefined)
      problems.add(
        `${first} and ${second} are both there, and only one may be`,
        `Delete ${first} or ${second}.`,
      )
    return found.map((file) => join(dirname(stem), file))
  }
  const baseFiles = config === undefined ? find(basename(stem)) : [base]
  const overlays = environmentName === undefined ? [] : find(`${basename(stem)}.${environmentName}`)
  // The configured file may itself be named like an overlay. It is then read once.
  const files = new Set([...baseFiles, ...overlays])
  const sources = await Promise.all([...files].map((file) => readSource(file, label(file), problems)))
  return sources.flatMap((source) => source ?? [])
}

function toLabel(home: string, file: string): string {
  const path = relative(home, file)
  return path.startsWith('..') || isAbsolute(path) ? file : path.split(sep).join('/')
}

async function readSource(file: string, label: string, problems: Problems): Promise<Source | undefined> {
  const extension = extname(file).slice(1)
  if (!extensions.includes(extension)) {
    problems.add(
      `${label} cannot be read: its name must end in ${extensions.map((end) => `.${end}`).join(', ')}`,
    )
    return undefined
  }
  const data = isCodeFile(file)
    ? await importCode(file, label, problems)
    : await readText(file, label, problems)
  return data === undefined ? undefined : { label, data }
}

async function importCode(file: string, label: string, problems: Problems): Promise<unknown> {
  try {
    return await importDefault(file, label)
  } catch (error) {
    if (!isMembershipError(error)) throw error
    problems.add(error.message, error.action)
    return undefined
  }
}

async function readText(file: string, label: string, problems: Problems): Promise<unknown> {
  let text: string
  try {
    text = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    problems.add(`${label} could not be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}`)
    return undefined
  }
  return parseText(text, label, problems)
}

/** Parses YAML and JSON. Messages name a line but never quote it, because it may contain a secret. */
function parseText(text: string, label: string, problems: Problems): unknown {
  const { isMap, isScalar, LineCounter, parseDocument, visit } = yaml()
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  const lineAt = (offset: number | undefined) => lines.linePos(offset ?? 0).line
  const isJson = label.endsWith('.json')
  const [failure] = document.errors
  if (isJson ? !isValidJson(text) : failure) {
    const line = failure ? ` (line ${lineAt(failure.pos[0])})` : ''
    problems.add(`${label} is not valid ${isJson ? 'JSON' : 'YAML'}${line}`)
    return undefined
  }
  visit(document, {
    Map: (_, map) => {
      if (!isMap(map)) return
      const seen = new Map<string, number>()
      for (const { key } of map.items) {
        if (!isScalar(key)) continue
        const name = String(key.value)
        const line = lineAt(key.range?.[0])
        const earlier = seen.get(name)
        if (earlier !== undefined)
          problems.add(`"${name}" is given twice in ${label}: on line ${earlier} and on line ${line}`)
        seen.set(name, line)
      }
    },
  })
  try {
    return (isJson ? (JSON.parse(text) as unknown) : (document.toJS() as unknown)) ?? {}
  } catch {
    // The file has too many aliases, or one without its anchor.
    problems.add(`${label} uses YAML aliases that cannot be followed`)
    return undefined
  }
}

function isValidJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
