import test from 'ava'
import { openStripeSite } from '../support/stripe-site.ts'
import { buy, createMailbox, createVisitor } from '../support/visitor.ts'

/** Makes each unit fail that has a step of this name, until it is undone. */
function failing(m: Awaited<ReturnType<typeof openStripeSite>>['m'], name: string) {
  const storage = m.storage as { commit: typeof m.storage.commit }
  const { commit } = storage
  storage.commit = (unit, how) =>
    unit.some(({ statement }) => statement.name === name)
      ? Promise.reject(new Error('the disk is full'))
      : commit(unit, how)
  return () => {
    storage.commit = commit
  }
}

test('the page after paying is shown also where the buyer cannot be logged in', async (t) => {
  const opened = await openStripeSite(t)
  const undo = failing(opened.m, 'intent-entered')
  const { back, visitor } = await buy(opened, 'ann@example.com', { proved: false })
  t.is(back.status, 200)
  t.is(visitor.cookies.get('membership_session') ?? '', '')
  undo()
  t.true(
    opened.log.some((line) => line.includes('could not be logged in') && line.includes('the disk is full')),
  )
})

test('hooks, mails and receivers that fail are tried again later, and no page waits for them', async (t) => {
  const { options, sent } = createMailbox()
  let isDown = true
  const heard: string[] = []
  const opened = await openStripeSite(t, {
    mails: {
      transport: async (mail: Parameters<typeof options.mails.transport>[0]) => {
        if (isDown) throw new Error('the mail server is away')
        await options.mails.transport(mail)
      },
    },
    hooks: {
      'subscription.started': ({ subscription }: { subscription: { id: string } }) => {
        if (isDown) throw new Error('the hook fails')
        heard.push(subscription.id)
      },
    },
  } as never)
  const { m, fake, site } = opened
  const visitor = createVisitor(site)
  const { back, id } = await buy(opened, 'ann@example.com', { visitor })
  t.is(back.status, 200)
  await m.runDueJobs()
  t.is((await visitor.get('/membership/account')).status, 200)
  t.deepEqual([sent.length, heard.length], [0, 0])
  isDown = false
  await fake.advance({ days: 1 })
  await m.runDueJobs()
  t.true(sent.some(({ to }) => to === 'ann@example.com'))
  t.deepEqual(heard, [id])
})
