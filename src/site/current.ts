import { AsyncLocalStorage } from 'node:async_hooks'
import { MembershipError } from '../core/errors.ts'
import type { View } from '../memberships/members/index.ts'

/** The part of an instance that this module needs. */
export interface Installable {
  close(): Promise<void>
}

interface Scope {
  readonly instance: Installable
  readonly view: View
  readonly outer: Scope | undefined
}

interface Installed {
  readonly options: Readonly<Record<string, unknown>>
  readonly instance: Promise<Installable>
}

interface State {
  readonly scopes: AsyncLocalStorage<Scope>
  installed: Installed | null
  /** The installed instance, once it is ready. */
  ready: Installable | null
}

// Bundlers may load a module twice; the state is shared.
const key = Symbol.for('membership')
const holder = globalThis as { [key]?: State }
function state(): State {
  holder[key] ??= { scopes: new AsyncLocalStorage(), installed: null, ready: null }
  return holder[key]
}

/** Runs `fn` with a view in scope for everything that it calls and awaits. */
export function runWithView<T>(instance: Installable, view: View, fn: () => T): T {
  return state().scopes.run({ instance, view, outer: state().scopes.getStore() }, fn)
}

/** Returns the view of the running request that belongs to `instance`. @throws ERR_NO_VIEW */
export function currentView(instance: Installable): View {
  for (let scope = state().scopes.getStore(); scope; scope = scope.outer)
    if (scope.instance === instance) return scope.view
  throw new MembershipError(
    'ERR_NO_VIEW',
    'No member was looked up here: this runs outside of a request that membership knows.',
    {
      action:
        'Mount app.use(m.koa()) above it, or pass the view: await m.viewOf(request), m.runAs(user, fn).',
    },
  )
}

/** Returns the instance of the running request, else the default. @throws ERR_NOT_INSTALLED */
export function requireInstance(): Installable {
  const found = state().scopes.getStore()?.instance ?? state().ready
  if (found) return found
  throw new MembershipError('ERR_NOT_INSTALLED', 'There is no membership in this process yet.', {
    action: 'Call await createMembership({ … }) when the site starts, before membership() is used.',
  })
}

/**
 * Makes an instance the default of this process. Equal options return the same instance. Other options, and
 * functions with another source, throw an error that names the difference. In development they replace the
 * instance instead (hot reload).
 * @throws ERR_INSTALLED
 */
export async function install<I extends Installable>(input: {
  options: Readonly<Record<string, unknown>>
  create: () => Promise<I>
  replace: boolean
}): Promise<I> {
  const shared = state()
  const before = shared.installed
  if (before) {
    const difference = differenceOf(before.options, input.options)
    if (difference === null) return before.instance as Promise<I>
    if (!input.replace)
      throw new MembershipError(
        'ERR_INSTALLED',
        `This process has a membership already, with another value of ${difference}.`,
        {
          action: 'Close the first one, or pass install: false for a second one beside it.',
        },
      )
    shared.installed = null
    shared.ready = null
    await (await before.instance).close()
  }
  const instance = input.create()
  const installed = { options: input.options, instance }
  shared.installed = installed
  try {
    const made = await instance
    shared.ready = made
    return made
  } catch (error) {
    if (shared.installed === installed) shared.installed = null
    throw error
  }
}

/** Forgets an instance that was closed. */
export function uninstall(instance: Installable): void {
  const shared = state()
  if (shared.ready !== instance) return
  shared.ready = null
  shared.installed = null
}

function differenceOf(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
): string | null {
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)]))
    if (!isSame(a[name], b[name])) return `"${name}"`
  return null
}

/**
 * Compares values. Functions are equal when their source is, as far as a bundler leaves it: it makes two of
 * each in a module that it loads twice, and a minifier names the variables of each anew.
 */
function isSame(a: unknown, b: unknown, above: readonly unknown[] = []): boolean {
  if (Object.is(a, b)) return true
  if (typeof a === 'function' && typeof b === 'function') return sourceOf(a) === sourceOf(b)
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  // The value contains itself, and this comparison is already running.
  if (above.includes(a)) return true
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  const valueIn = (group: object, name: string) => (group as Record<string, unknown>)[name]
  return [...names].every((name) => isSame(valueIn(a, name), valueIn(b, name), [...above, a]))
}

/** A function's source without spaces and without names of one or two letters, which minifiers give. */
function sourceOf(fn: unknown): string {
  return String(fn)
    .replaceAll(/\b[a-z_$][\w$]?\b/gi, '_')
    .replaceAll(/\s+/g, '')
}
