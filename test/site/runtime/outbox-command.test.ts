import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { createMembership } from '../../../src/index.ts'
import { runCommand } from '../../support/command.ts'

const start = new Date('2026-11-21T12:00:00Z')

/** A site on a file whose hook never works, so that its message is given up. */
async function siteWithDeadMessage(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'membership-outbox-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const database = `sqlite:${join(folder, 'site.db')}`
  await writeFile(
    join(folder, 'membership.yml'),
    `membership:\n  database:\n    url: ${database}\n  providers:\n    stripe:\n      webhook: whsec_test\n`,
  )
  let now = start
  const told: string[] = []
  const m = await createMembership({
    'membership.database.url': database,
    'membership.providers.stripe.webhook': 'whsec_test',
    'membership.webhooks.retries': 1,
    install: false,
    root: false,
    now: () => now,
    log: () => undefined,
    hooks: {
      'member.created': ({ id }) => {
        told.push(id)
        throw new Error('the newsletter is down')
      },
    },
  })
  await m.users.create({ email: 'ann@example.com' })
  await m.runDueJobs()
  now = new Date(start.getTime() + 3_600_000)
  await m.runDueJobs()
  await m.close()
  return { folder, told }
}

function outbox(folder: string, ...args: string[]) {
  return runCommand(folder, ['outbox', ...args], { env: { NO_COLOR: '1' } })
}

test('a given-up message is shown with its reason, and waits again after replay', async (t) => {
  const { folder, told } = await siteWithDeadMessage(t)
  t.is(told.length, 2)
  t.is(new Set(told).size, 1, 'the same id at each try')
  const config = ['-c', join(folder, 'membership.yml')]

  const { stdout } = await outbox(folder, 'list', '--dead', ...config)
  t.regex(stdout, /^1\s+hook\s+gave up\s+2 tries\s+the newsletter is down$/m)
  t.is((await outbox(folder, 'replay', '1', ...config)).code, 0)
  const list = await outbox(folder, 'list', '--json', ...config)
  const [message] = JSON.parse(list.stdout) as Record<string, unknown>[]
  // A command has no hooks: it takes the message from nobody.
  t.like(message, { seq: 1, kind: 'hook', status: 'waiting', attempts: 0 })
  t.false(list.stdout.includes('ann@example.com'), 'contents are not listed')

  const unknown = await outbox(folder, 'replay', '99', ...config)
  t.is(unknown.code, 1)
  t.regex(unknown.stderr, /No message 99/)
})
