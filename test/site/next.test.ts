import { register } from 'node:module'
import test from 'ava'
import { createMembership } from '../../src/index.ts'

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

const startRequest = (headers: Record<string, string>) => {
  const jar = new Map<string, string>()
  const cookies = {
    getAll: () => [...jar].map(([name, value]) => ({ name, value })),
    set: ({ name, value }: { name: string; value: string }) => jar.set(name, value),
  }
  Object.assign(globalThis, { fakeNext: { headers: new Headers(headers), cookies } })
  return jar
}

test('Next: every form of one page is taken, also of a browser’s first page', async (t) => {
  const { nextHost } = await import('../../src/entries/next.ts')
  const host = nextHost(() =>
    createMembership({
      'membership.database.url': 'sqlite::memory:',
      install: false,
      root: false,
      log: () => {},
      mails: { transport: async () => {} },
    }),
  )
  t.teardown(async () => (await host.instance()).close())
  const jar = startRequest({ host: 'example.com', 'x-forwarded-proto': 'https', cookie: 'theirs=a=b' })
  const tokens = [await host.formToken(), await host.formToken()]
  t.is(jar.size, 1)
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  for (const token of tokens) {
    const answer = await host.handlers.POST(
      new Request('https://example.com/membership/login', {
        method: 'POST',
        headers: { cookie, accept: 'application/json' },
        body: new URLSearchParams({ token, email: 'ann@example.com' }),
      }),
    )
    t.is(answer.status, 202, await answer.text())
  }
})
