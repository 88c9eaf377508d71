import test from 'ava'
import { createMembership } from '../../src/index.ts'
import { startNextRequest } from '../support/fake-next.ts'

test.serial('Next: every form of one page is accepted, even on a browser’s first page', async (t) => {
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
  const jar = startNextRequest({ host: 'example.com', 'x-forwarded-proto': 'https', cookie: 'theirs=a=b' })
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

test.serial('Next: a build that renders a gated page opens nothing', async (t) => {
  const { nextHost } = await import('../../src/entries/next.ts')
  let opened = 0
  const host = nextHost(() => {
    opened++
    return createMembership({ root: false, install: false, 'membership.database.url': 'sqlite::memory:' })
  })
  // What Next's headers() does while a page is prerendered.
  Object.assign(globalThis, {
    fakeNext: {
      get headers() {
        throw new Error('the page is dynamic')
      },
    },
  })
  await t.throwsAsync(host.view(), { message: 'the page is dynamic' })
  await t.throwsAsync(host.gate('pro', '/join'), { message: 'the page is dynamic' })
  await t.throwsAsync(host.formToken(), { message: 'the page is dynamic' })
  await t.throwsAsync(host.subscribe(new FormData()), { message: 'the page is dynamic' })
  t.is(opened, 0)
})
