import { execFile } from 'node:child_process'
import { join } from 'node:path'

// In the whole suite everything was translated, and starts in less than half the time; a single file runs from its source.
const isTranslated = import.meta.filename.endsWith('.js')

/** What Node needs before a file of ours. */
export const loader: readonly string[] = isTranslated ? [] : ['--import', import.meta.resolve('tsx')]

/** What Node runs as `membership`. */
export const command: readonly string[] = [
  ...loader,
  join(import.meta.dirname, '../..', isTranslated ? '.built/cli/main.js' : 'src/cli/main.ts'),
]

/** A program of this folder, to be run with `loader`. */
export const programFile = (name: string): string =>
  join(import.meta.dirname, `${name}.${isTranslated ? 'js' : 'ts'}`)

/** Runs the command in a folder, as somebody would who set nothing in their environment. */
export const runCommand = (
  cwd: string,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((done) => {
    const { NODE_ENV: _, DATABASE_URL: __, ...env } = process.env
    execFile(process.execPath, [...command, ...args], { cwd, env }, (error, stdout, stderr) =>
      done({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
