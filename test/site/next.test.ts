import test from 'ava'
import { createMembership } from '../../src/index.ts'
import { startNextRequest } from '../support/fake-next.ts'

test('Next: every form of one page is accepted, even on a browser’s first page', async (t) => {
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
