import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { subjects } from './subjects.ts'

// How Stryker runs our tests: all in one process that stays, where a mutant is switched on and off again. Its command
// runner starts a process for each mutant, which takes several times as long, and knows no test by name.

/** What instrumented code reads and writes. */
interface Switches {
  activeMutant?: string
  currentTestId?: string
  hitCount?: number
  hitLimit?: number
  mutantCoverage?: unknown
}
// Few of a property's cases: there is one run for each mutant.
process.env.FC_RUNS ??= '100'
const everywhere = globalThis as { __stryker__?: Switches }
everywhere.__stryker__ ??= {}
const switches = everywhere.__stryker__

type StandIn = typeof import('./ava.ts')

interface MutantRun {
  readonly activeMutant: { readonly id: string }
  /** Ids of tests; none for what is made while a file is loaded. */
  readonly testFilter?: readonly string[]
  readonly sandboxFileName: string
  readonly hitLimit?: number
  readonly mutantActivation: 'runtime' | 'static'
}

interface Loaded {
  readonly id: string
  readonly run: () => Promise<void>
}

function createRunner() {
  const known = new Map<string, readonly Loaded[]>()

  /** The tests of a file, ready to run. */
  const load = async (file: string): Promise<readonly Loaded[]> => {
    const before = known.get(file)
    if (before) return before
    const { registered } = (await import(builtFrom('test/mutation/ava.ts'))) as StandIn
    await import(builtFrom(file))
    // On SQLite alone: a rule is the same on either database, and a run in PostgreSQL takes ten times as long.
    const tests = registered.tests
      .splice(0)
      .filter(({ title }) => !title.endsWith('postgresDatabases'))
      .map(({ title, run }) => ({ id: `${file} ${title}`, run }))
    for (const start of registered.before.splice(0)) await start()
    known.set(file, tests)
    return tests
  }

  const dryRun = async () => {
    const tests = []
    for (const file of new Set(Object.values(subjects).flat()))
      for (const { id, run } of await load(file)) {
        const begun = performance.now()
        switches.currentTestId = id
        const failure = await failureOf(run)
        delete switches.currentTestId
        const about = { id, name: id, fileName: file, timeSpentMs: performance.now() - begun }
        tests.push(
          failure === null ? { ...about, status: 0 } : { ...about, status: 1, failureMessage: failure },
        )
      }
    return { status: 'complete', tests, mutantCoverage: switches.mutantCoverage }
  }

  const mutantRun = async (wish: MutantRun) => {
    const { activeMutant, testFilter, hitLimit, mutantActivation } = wish
    const files = subjects[relative(process.cwd(), wish.sandboxFileName)] ?? []
    let nrOfTests = 0
    for (const file of files) {
      if (mutantActivation === 'static') switches.activeMutant = activeMutant.id
      const tests = await load(file).catch(String)
      if (typeof tests === 'string')
        return { status: 'killed', killedBy: [file], failureMessage: tests, nrOfTests }
      Object.assign(switches, { activeMutant: activeMutant.id, hitCount: 0, hitLimit })
      for (const { id, run } of tests.filter((test) => testFilter?.includes(test.id) ?? true)) {
        nrOfTests++
        const failure = await failureOf(run)
        if (switches.hitCount! > (hitLimit ?? Number.POSITIVE_INFINITY)) return { status: 'timeout' }
        if (failure !== null) return { status: 'killed', killedBy: [id], failureMessage: failure, nrOfTests }
      }
      delete switches.activeMutant
    }
    return { status: 'survived', nrOfTests }
  }

  return {
    // What was imported stays: a new process is made where loading matters.
    capabilities: () => ({ reloadEnvironment: false }),
    dryRun,
    mutantRun: (wish: MutantRun) => mutantRun(wish).finally(() => delete switches.activeMutant),
  }
}

function builtFrom(file: string): string {
  return pathToFileURL(join(process.cwd(), file.replace('test/', '.tests/').replace(/ts$/, 'js'))).href
}

const patienceMs = 5000

async function failureOf(run: () => Promise<void>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const hangs = new Promise<string>((done) => {
    timer = setTimeout(done, patienceMs, 'it hangs')
  })
  try {
    return await Promise.race([run().then(() => null, String), hangs])
  } finally {
    clearTimeout(timer)
  }
}

/** What Stryker looks for in a plugin. */
export const strykerPlugins = [{ kind: 'TestRunner', name: 'bundled', factory: createRunner }]
