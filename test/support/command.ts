import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { runCli } from '../../src/cli/program.ts'

// In the whole suite everything was translated, and starts in less than half the time; a single file runs from its source.
const isTranslated = import.meta.filename.endsWith('.js')

/** What Node needs before a file of ours. */
export const loader: readonly string[] = isTranslated ? [] : ['--import', import.meta.resolve('tsx')]

/** What Node runs as `membership`. */
export const command: readonly string[] = [
  ...loader,
  join(import.meta.dirname, isTranslated ? '../programs/cli/main.js' : '../../src/cli/main.ts'),
]

/** A program of this folder, to be run with `loader`; `whole: false` loads it module by module. */
export function programFile(name: string, { whole = true } = {}): string {
  if (!isTranslated) return join(import.meta.dirname, `${name}.ts`)
  return join(import.meta.dirname, whole ? '../programs' : '', `${name}.js`)
}

/** A file of `src`, for a process of its own with `loader`; `whole: false` as above. */
export function sourceFile(name: string, { whole = true } = {}): string {
  if (!isTranslated) return join(import.meta.dirname, '../../src', `${name}.ts`)
  return join(import.meta.dirname, whole ? '../programs' : '../../.built', `${name}.js`)
}

/** How a command ended, and what it printed. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

interface Given {
  readonly env?: NodeJS.ProcessEnv
  readonly input?: string
}

/** The environment of somebody who set nothing in it. */
function plainEnv(): NodeJS.ProcessEnv {
  const { NODE_ENV: _, DATABASE_URL: __, ...env } = process.env
  return env
}

/** Runs the command in a folder, in a process of its own: what a process alone can show. */
export function spawnCommand(
  cwd: string,
  args: readonly string[],
  { env, input = '' }: Given = {},
): Promise<Ended> {
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [...command, ...args],
      { cwd, env: { ...plainEnv(), ...env } },
      (error, stdout, stderr) => done({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
    child.stdin?.on('error', () => undefined).end(input)
  })
}

let last: Promise<unknown> = Promise.resolve()

/**
 * Runs the command in a folder, in this process: the same program without the second that a process of its
 * own takes to start. One after another, since folder, environment and exit code belong to the process.
 */
export function runCommand(cwd: string, args: readonly string[], given: Given = {}): Promise<Ended> {
  const run = last.then(() => inPlaceOf(cwd, given, () => runCli(args)))
  last = run
  return run
}

/** What `work` prints and how it ends when it stands where a process of its own would. */
async function inPlaceOf(cwd: string, { env, input = '' }: Given, work: () => Promise<void>): Promise<Ended> {
  const out: string[] = []
  const err: string[] = []
  const restore = [
    swapped(process, 'env', { ...plainEnv(), ...env }),
    swapped(process, 'stdin', Readable.from(input === '' ? [] : [Buffer.from(input)])),
    swapped(process.stdout, 'write', keeping(out)),
    swapped(process.stderr, 'write', keeping(err)),
    movedTo(cwd),
    endedAs(undefined),
  ]
  try {
    await work()
    return { code: Number(process.exitCode ?? 0), stdout: out.join(''), stderr: err.join('') }
  } finally {
    for (const back of restore.reverse()) back()
  }
}

/** Puts a value in place, and gives the way back. */
function swapped<T extends object, K extends keyof T>(holder: T, key: K, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(holder, key)
  Object.defineProperty(holder, key, { value, configurable: true, writable: true, enumerable: true })
  return () => {
    if (before) Object.defineProperty(holder, key, before)
    else Reflect.deleteProperty(holder, key)
  }
}

function movedTo(folder: string): () => void {
  const before = process.cwd()
  process.chdir(folder)
  return () => process.chdir(before)
}

function endedAs(code: typeof process.exitCode): () => void {
  const before = process.exitCode
  process.exitCode = code
  return () => {
    process.exitCode = before
  }
}

function keeping(texts: string[]) {
  return (text: string | Uint8Array) => {
    texts.push(typeof text === 'string' ? text : Buffer.from(text).toString())
    return true
  }
}
