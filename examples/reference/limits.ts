import { codeOf, type Examples, equal } from './site.ts'

/** Examples of `m.limits`. */
export const limits: Examples = {
  async use({ m, ann }) {
    const limit = await m.limits.use(ann, 'exports', 1, { key: 'report-17' })
    equal(limit.left, 99)
    equal((await m.limits.use(ann, 'exports', 1, { key: 'report-17' })).left, 99) // the same key takes once
    equal(await codeOf(() => m.limits.use(ann, 'exports', 100)), 'ERR_LIMIT')
  },

  async release({ m, ann }) {
    await m.limits.use(ann, 'exports', 3, { key: 'report-17' })
    const limit = await m.limits.release(ann, 'exports', { key: 'report-17' })
    equal(limit.left, 100)
  },

  async reserve({ m, ann }) {
    const held = await m.limits.reserve(ann, 'exports', 5, { minutes: 15 })
    const limit = await held.keep() // or held.release()
    equal(limit.left, 95)
  },

  async list({ m, ann }) {
    const [limit] = await m.limits.list(ann)
    equal([limit?.name, limit?.amount, limit?.left], ['exports', 100, 100])
  },

  async correct({ m, ann }) {
    const limit = await m.limits.correct({
      memberId: ann.id,
      name: 'exports',
      amount: 20,
      reason: 'outage',
      by: 'eve',
    })
    equal(limit.left, 120)
  },
}
