import assert from 'node:assert/strict'

// What the tests use of AVA, in this process and one after the other: AVA's own start takes many times what most of
// them do. Every test passes with it, unchanged, before the first mutant does its work.

type Body = (t: Assertions, ...args: unknown[]) => unknown
type Hook = () => Promise<void>

/** The tests of the file that is being loaded. */
export const registered = {
  tests: [] as { readonly title: string; readonly run: Hook }[],
  before: [] as Hook[],
  after: [] as Hook[],
}

function add(title: string, body: Body, ...args: unknown[]): void {
  registered.tests.push({ title, run: () => runOf(body, args) })
}

async function runOf(body: Body, args: readonly unknown[]): Promise<void> {
  const ends: (() => unknown)[] = []
  try {
    await body({ ...assertions, teardown: (end) => void ends.unshift(end) }, ...args)
  } finally {
    for (const end of ends) await end()
  }
}

function hook(list: Hook[]) {
  return (body: Body) => void list.push(() => runOf(body, []))
}
function skip(): void {}
export default Object.assign(add, {
  serial: add,
  skip,
  macro: (body: Body) => body,
  before: hook(registered.before),
  after: { always: hook(registered.after) },
})

interface Expected {
  readonly message?: string | RegExp | ((message: string) => boolean)
  readonly code?: string
  readonly name?: string
  readonly instanceOf?: new (...args: never) => unknown
}
type Thrower<T> = T | (() => T)

const assertions = {
  pass: () => undefined,
  log: () => undefined,
  timeout: () => undefined,
  fail: (message = 'failed') => assert.fail(message),
  is: (a: unknown, b: unknown, message?: string) => assert.ok(Object.is(a, b), message ?? `${a} is not ${b}`),
  not: (a: unknown, b: unknown, message?: string) => assert.ok(!Object.is(a, b), message),
  true: (a: unknown, message?: string) => assert.ok(a === true, message),
  false: (a: unknown, message?: string) => assert.ok(a === false, message),
  truthy: (a: unknown, message?: string) => assert.ok(a, message),
  falsy: (a: unknown, message?: string) => assert.ok(!a, message),
  deepEqual: (a: unknown, b: unknown, message?: string) => assert.deepStrictEqual(a, b, message),
  notDeepEqual: (a: unknown, b: unknown, message?: string) => assert.notDeepStrictEqual(a, b, message),
  like: (a: unknown, part: unknown, message?: string) =>
    assert.deepStrictEqual(partOf(a, part), part, message),
  regex: (text: string, pattern: RegExp, message?: string) =>
    assert.ok(pattern.test(text), message ?? `${text} does not match ${pattern}`),
  notRegex: (text: string, pattern: RegExp, message?: string) => assert.ok(!pattern.test(text), message),
  throws: (run: () => unknown, expected?: Expected, message?: string) => {
    try {
      run()
    } catch (error) {
      return asExpected(error, expected)
    }
    return assert.fail(message ?? 'nothing was thrown')
  },
  throwsAsync: async (run: Thrower<Promise<unknown>>, expected?: Expected, message?: string) => {
    try {
      await (typeof run === 'function' ? run() : run)
    } catch (error) {
      return asExpected(error, expected)
    }
    return assert.fail(message ?? 'nothing was thrown')
  },
  notThrows: (run: () => unknown) => run(),
  notThrowsAsync: async (run: Thrower<Promise<unknown>>) => (typeof run === 'function' ? run() : run),
}
type Assertions = typeof assertions & { readonly teardown: (end: () => unknown) => void }

function asExpected(error: unknown, { message, code, name, instanceOf }: Expected = {}): unknown {
  assert.ok(error instanceof (instanceOf ?? Error))
  const said = error as Error & { code?: string }
  if (code !== undefined) assert.equal(said.code, code)
  if (name !== undefined) assert.equal(said.name, name)
  if (typeof message === 'string') assert.equal(said.message, message)
  if (message instanceof RegExp) assert.match(said.message, message)
  if (typeof message === 'function') assert.ok(message(said.message))
  return error
}

/** Of a value what `part` names of it. */
function partOf(value: unknown, part: unknown): unknown {
  if (typeof part !== 'object' || part === null || typeof value !== 'object' || value === null) return value
  const inner = Object.entries(part).map(([key, item]) => [
    key,
    partOf((value as Record<string, unknown>)[key], item),
  ])
  return Array.isArray(part) ? inner.map(([, item]) => item) : Object.fromEntries(inner)
}
