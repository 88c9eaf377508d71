import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Koa from 'koa'
import { createPasses } from '../src/core/http/passes.ts'
import { createMembership } from '../src/index.ts'

/** The text of the closed page that the walks look for. */
export const closedText = 'The closed chapter, for members alone.'

const secret = 'a secret of the walk, long enough'

/** The site behind a worker: a member who may log in at `/membership/enter`, and whose access is given and taken here. */
export async function openSite({ url, port, folder }: { url: string; port: number; folder: string }) {
  const m = await createMembership({
    'membership.database.url': `sqlite:${join(folder, `${port}.db`)}`,
    'membership.url': url,
    'membership.secret': secret,
    'membership.providers.sandbox': { plans: { pro: { prices: ['price_pro'] } } },
    'membership.provider.handler': 'sandbox',
    'membership.office.enabled': false,
    install: false,
    root: false,
    log: () => undefined,
  })
  const member = await m.users.create({ email: 'ann@example.com' })
  const app = new Koa()
  app.use(async (ctx, next) => {
    if (ctx.path !== '/membership/enter') return next()
    await m.sessions.open(ctx, member.id, true)
    ctx.set('Cache-Control', 'no-store')
    ctx.body = 'logged in'
  })
  app.use(m.koa())
  const server = createServer((request, response) => void app.callback()(request, response))
  await once(server.listen(port, '127.0.0.1'), 'listening')
  /** A pass that this site signed, with something else about it. */
  const passWith = (other: { readonly audience?: string; readonly minutesAgo?: number }): Promise<string> => {
    const at = Date.now() - (other.minutesAgo ?? 0) * 60_000
    const passes = createPasses(
      () => [secret],
      () => new Date(at),
    )
    return passes.sign({
      issuer: url,
      audience: other.audience ?? url,
      memberId: member.id,
      gates: ['pro'],
      features: [],
      sessionId: null,
      expiresAt: new Date(at + 300_000),
    })
  }
  return {
    give: () => m.users.grant({ memberId: member.id, gate: 'pro' }),
    take: (grantId: string) => m.users.revoke(grantId),
    passWith,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await m.close()
    },
  }
}
export type BackSite = Awaited<ReturnType<typeof openSite>>

/** Waits for a server that was started as a process. @throws Error when it ends, or stays silent for 30 seconds */
export async function untilListening(url: string, child: ChildProcess): Promise<void> {
  for (let n = 0; n < 300; n++) {
    if (child.exitCode !== null) throw new Error(`the runtime ended with ${child.exitCode}`)
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return
    await sleep(100)
  }
  throw new Error('the runtime did not listen within 30 seconds')
}

/** Compares, and counts how often it did. */
export function createChecks() {
  let count = 0
  return {
    same: (actual: unknown, expected: unknown, what: string): void => {
      count += 1
      const text = `${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`
      assert.deepEqual(actual, expected, text)
    },
    count: () => count,
  }
}
