import { appendFileSync, readFileSync } from 'node:fs'
import ava, { type ExecutionContext, type TestFn } from 'ava'

// A whole run takes its test files in groups, one process for each group: a process for each file would load the package
// 260 times and never get warm. Here stands what the files import as `ava` then. Within a group, one test runs at a time,
// so that a busy machine makes a test slower and no other test's time limits.

type Run = (t: ExecutionContext, ...args: unknown[]) => unknown
type Kind = 'serial' | 'failing' | 'skip'
interface Declared {
  readonly title: string
  readonly kind: Kind
  readonly isThorough: boolean
  readonly run: (t: ExecutionContext) => unknown
}
interface TestFile {
  readonly name: string
  readonly tests: Declared[]
  readonly before: Run[]
  readonly after: Run[]
}

const files: TestFile[] = []

/** Loads one test file; what it declares is its own, with its `before` and `after`. */
export async function addFile(name: string, load: () => Promise<unknown>): Promise<void> {
  files.push({ name, tests: [], before: [], after: [] })
  await load()
}

/** Hands everything that was declared to AVA; a second call has nothing left. */
export function runFiles(): void {
  for (const file of files.splice(0)) runFile(file)
}

function runFile({ name, tests, before, after }: TestFile): void {
  const wanted = tests.filter(isWanted)
  let prepared: Promise<void> | null = null
  let left = wanted.filter(({ kind }) => kind !== 'skip').length
  for (const { title, kind, run } of wanted) {
    const fullTitle = [...name.split('/'), title].join(' › ')
    if (kind === 'skip') ava.skip(fullTitle, run)
    else
      (kind === 'failing' ? ava.serial.failing : ava.serial)(fullTitle, async (t) => {
        // The first teardown runs last.
        t.teardown(async () => {
          left--
          if (left === 0) await runEach(after, t)
        })
        prepared ??= runEach(before, t)
        await prepared
        await measured(fullTitle, () => run(t))
      })
  }
}

async function runEach(hooks: readonly Run[], t: ExecutionContext): Promise<void> {
  for (const run of hooks) await run(t)
}

/** Appends what the test took, its child processes included, to the file of TEST_TIMES. */
async function measured(title: string, run: () => unknown): Promise<void> {
  const file = process.env.TEST_TIMES
  if (!file) return void (await run())
  const [cpu, started] = [cpuMs(), Date.now()]
  await run()
  const times = { title, cpu_ms: cpuMs() - cpu, wall_ms: Date.now() - started }
  appendFileSync(file, `${JSON.stringify(times)}\n`)
}

/** What this process and those of its children that ended have used, by Linux's account: `man 5 proc_pid_stat`. */
function cpuMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0)
}

// `npm test` leaves out what is thorough, `npm run test:all` nothing, and CI runs one after the other.
function isWanted({ isThorough }: Declared): boolean {
  if (process.env.TEST_PART === 'usual') return !isThorough
  return process.env.TEST_PART === 'thorough' ? isThorough : true
}

function declare(kind: Kind, isThorough: boolean) {
  return (...given: unknown[]): void => {
    const title = typeof given[0] === 'string' ? given.shift() : undefined
    const [implementation, ...args] = given
    const run = toRun(implementation)
    files.at(-1)!.tests.push({
      title: String(title ?? ''),
      kind,
      isThorough,
      run: (t) => run(t, ...args),
    })
  }
}

function declareHook(hook: 'before' | 'after') {
  return (...given: unknown[]): void => {
    const run = toRun(given.find((part) => typeof part !== 'string'))
    files.at(-1)![hook].push(run)
  }
}

function toRun(implementation: unknown): Run {
  const run =
    typeof implementation === 'object' && implementation !== null && 'exec' in implementation
      ? implementation.exec
      : implementation
  if (typeof run !== 'function') throw new TypeError('A test needs a function')
  return run as Run
}

function createTest(isThorough: boolean) {
  const serial = Object.assign(declare('serial', isThorough), {
    failing: declare('failing', isThorough),
    skip: declare('skip', isThorough),
  })
  return Object.assign(declare('serial', isThorough), {
    serial,
    failing: serial.failing,
    skip: serial.skip,
    before: declareHook('before'),
    after: Object.assign(declareHook('after'), { always: declareHook('after') }),
    macro: (exec: Run) => ({ exec }),
  })
}

export default Object.assign(createTest(false), { thorough: createTest(true) as unknown as TestFn })
