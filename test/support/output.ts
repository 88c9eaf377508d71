import { stripVTControlCharacters } from 'node:util'

/** Options whose next argument is a value, not a file: https://github.com/avajs/ava/blob/main/docs/05-command-line.md */
const withValue = new Set([
  '--match',
  '-m',
  '--timeout',
  '-T',
  '--concurrency',
  '-c',
  '--config',
  '--node-arguments',
])

/** Turns plain words into globs of the test files whose path contains them; paths, globs and options stay. */
export function toGlobs(args: readonly string[]): string[] {
  return args.flatMap((arg, n) => {
    const isPlain = !/^-|^test\/|\*|\.[jt]s$/.test(arg) && !withValue.has(args[n - 1] ?? '')
    return isPlain ? [`test/**/*${arg}*.test.ts`, `test/**/*${arg}*/**/*.test.ts`] : [arg]
  })
}

/** What a run printed, read again. */
export interface Printed {
  readonly passed: number
  /** The titles of the tests that failed. */
  readonly failed: readonly string[]
  /** Something besides a test went wrong: an exception that nobody caught, a process that did not end, a timeout. */
  readonly isBroken: boolean
  /** The page about the first failure, as AVA wrote it. */
  readonly first: string
}

/** Reads the output of AVA's default reporter: https://github.com/avajs/ava/blob/main/lib/reporters/default.js */
export function readOutput(output: string): Printed {
  const text = stripVTControlCharacters(output)
  const lines = text.split('\n')
  const failed = lines.flatMap((line) => line.match(/^ *✘ \[(?:fail|unexpected pass)\]: (.*)$/)?.[1] ?? [])
  const others = lines.filter((line) => /^ *✘ (?!\[)/.test(line) || broken.test(line))
  const [, pages = ''] = text.split(/^ *─$/m)
  const first = failed.length > 0 ? pages.trim().split(/\n\n\n+/)[0]! : others.join('\n')
  return {
    passed: lines.filter((line) => /^ *✔ /.test(line)).length,
    failed,
    isBroken: others.length > 0,
    first,
  }
}

const broken =
  /^ *(Uncaught exception|Unhandled rejection|Failed to exit|Internal error|No tests found|\d+ (uncaught|unhandled|tests? remained|hooks? failed))/

/** What stands at the end of a run that failed, so that nobody scrolls: which tests did, and how the first one. */
export function summaryOf({ failed, first }: Printed): string {
  return [
    '',
    '== Failed',
    ...failed.map((title) => `  ${title}`),
    '',
    '== The first failure',
    first,
    '',
  ].join('\n')
}
