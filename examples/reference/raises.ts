import { type Examples, equal } from './site.ts'

const request = { from: 'price_month', to: 'price_dearer', on: '2026-03-01', noticeDays: 30 }

/** Examples of `m.raises`. */
export const raises: Examples = {
  async plan({ m }) {
    const plan = await m.raises.plan({
      from: 'price_month',
      to: 'price_dearer',
      on: '2026-03-01',
      noticeDays: 30,
    })
    const [member] = plan.members
    equal([member?.email, member?.from_amount, member?.to_amount], ['ann@example.com', 900, 1200])
    equal(await m.raises.list(), []) // nothing has begun
  },

  async raise({ m, mails }) {
    await m.raises.raise({ from: 'price_month', to: 'price_dearer', on: '2026-03-01', noticeDays: 30 }, 'eve')
    await m.runDueJobs()
    equal(mails.at(-1)?.to, 'ann@example.com')
  },

  async list({ m }) {
    await m.raises.raise(request, 'eve')
    const [raise] = await m.raises.list()
    equal([raise?.status, raise?.created_by], ['running', 'eve'])
  },

  async get({ m }) {
    const { id } = await m.raises.raise(request, 'eve')
    equal((await m.raises.get(id)).status, 'running')
  },

  async show({ m }) {
    const { id } = await m.raises.raise(request, 'eve')
    equal((await m.raises.show(id)).to_price, 'price_dearer')
  },

  async stop({ m }) {
    const { id } = await m.raises.raise(request, 'eve')
    equal((await m.raises.stop(id)).status, 'stopped')
  },

  async resume({ m }) {
    const { id } = await m.raises.raise(request, 'eve')
    await m.raises.stop(id)
    equal((await m.raises.resume(id)).status, 'running')
  },

  async undo({ m }) {
    const { id } = await m.raises.raise(request, 'eve')
    equal((await m.raises.undo(id)).status, 'undone')
  },

  async noticeBounced({ m }) {
    const { id } = await m.raises.raise(request, 'eve')
    await m.runDueJobs()
    equal(await m.raises.noticeBounced(id, 'ann@example.com'), 1)
  },

  async noticeAgain({ m }) {
    const { id } = await m.raises.raise(request, 'eve')
    await m.runDueJobs()
    await m.raises.noticeBounced(id, 'ann@example.com')
    equal(await m.raises.noticeAgain(id, 'ann@example.com'), 1)
  },

  async members({ m }) {
    const { id } = await m.raises.raise(request, 'eve')
    const page = await m.raises.members(id, { account: '', subscription_id: '' }, 100)
    equal(page.length, 1)
  },
}
