import { register } from 'node:module'

// As much of Next as the host asks: the request's headers, and cookies that a later reader of the same request sees.
const modules = {
  'next/headers':
    'export const headers = async () => globalThis.fakeNext.headers; export const cookies = async () => globalThis.fakeNext.cookies',
  'next/navigation': 'export const redirect = (url) => { throw new Error(url) }',
}
register(
  `data:text/javascript,${encodeURIComponent(`
    const modules = ${JSON.stringify(modules)}
    export const resolve = (name, context, next) =>
      name in modules
        ? { url: 'data:text/javascript,' + encodeURIComponent(modules[name]), format: 'module', shortCircuit: true }
        : next(name, context)
  `)}`,
)

/** Begins a request as Next tells of it; answers the cookies that are set meanwhile. */
export function startNextRequest(headers: Record<string, string>): Map<string, string> {
  const jar = new Map<string, string>()
  const cookies = {
    getAll: () => [...jar].map(([name, value]) => ({ name, value })),
    set: ({ name, value }: { name: string; value: string }) => jar.set(name, value),
  }
  Object.assign(globalThis, { fakeNext: { headers: new Headers(headers), cookies } })
  return jar
}
