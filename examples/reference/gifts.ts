import { codeOf, type Examples, equal } from './site.ts'

/** Examples of `m.gifts`. */
export const gifts: Examples = {
  async create({ m }) {
    const codes = await m.gifts.create({ plan: 'pro', months: 3, count: 2, label: 'Fair 2026' })
    equal(codes.length, 2)
    equal(codes[0]?.code.length, 23) // such as 01234-56789-ABCDE-FGHJK
  },

  async redeem({ m, bob }) {
    const [gift] = await m.gifts.create({ plan: 'pro', months: 3, count: 1 })
    await m.gifts.redeem({ code: gift?.code ?? '', user: bob })
    equal((await m.users.findById(bob.id))?.explain('pro').reason, 'gift')
    equal(await codeOf(() => m.gifts.redeem({ code: 'no-such-code', user: bob })), 'ERR_NOT_FOUND')
  },

  async of({ m, bob }) {
    const [gift] = await m.gifts.create({ plan: 'pro', months: 3, count: 1 })
    await m.gifts.redeem({ code: gift?.code ?? '', user: bob })
    const { own, bought } = await m.gifts.of(bob)
    equal([own.length, bought.length], [1, 0])
  },

  async list({ m }) {
    await m.gifts.create({ plan: 'pro', months: 3, count: 2 })
    equal((await m.gifts.list({ limit: 10 })).length, 2)
  },

  async get({ m }) {
    const [gift] = await m.gifts.create({ plan: 'pro', months: 3, count: 1 })
    equal((await m.gifts.get(gift?.id ?? '')).months, 3)
  },

  async find({ m }) {
    const [gift] = await m.gifts.create({ plan: 'pro', months: 3, count: 1 })
    const found = await m.gifts.find(gift?.code ?? '')
    equal([found.plan, found.months, found.status], ['pro', 3, 'ready'])
  },

  async revoke({ m }) {
    const [gift] = await m.gifts.create({ plan: 'pro', months: 3, count: 1 })
    const revoked = await m.gifts.revoke(gift?.id ?? '', 'eve')
    equal(revoked.status, 'closed')
  },
}
