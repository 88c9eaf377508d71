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
    const isPlain = !/^-|[/*]|\.[jt]s$/.test(arg) && !withValue.has(args[n - 1] ?? '')
    return isPlain ? [`test/**/*${arg}*.test.ts`, `test/**/*${arg}*/**/*.test.ts`] : [arg]
  })
}
