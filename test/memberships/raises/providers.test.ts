import test from 'ava'
import { creem } from '../../providers/creem/selling.ts'
import { paddle } from '../../providers/paddle/selling.ts'
import { polar } from '../../providers/polar/selling.ts'
import type { SellingCase } from '../../providers/selling-case.ts'
import { openSellingSite, purchase } from '../../support/selling-site.ts'

/** The same seller whose dearer price belongs to the plan. */
const inOnePlan = (one: SellingCase): SellingCase => ({
  ...one,
  settings: (merchant) => ({
    ...one.settings?.(merchant),
    plans: {
      pro: {
        prices: [
          { id: one.prices.month, amount: 900, currency: 'EUR', interval: 'month' },
          { id: one.prices.team, amount: 2500, currency: 'EUR', interval: 'month', retired: true },
        ],
      },
    },
  }),
})

for (const [one, can] of [
  [polar, 'schedule'],
  [paddle, 'set'],
  [creem, 'set'],
] as const)
  test(`${one.key}: a raise charges the old price until its renewal, and the new one from then on`, async (t) => {
    const opened = await openSellingSite(t, inOnePlan(one))
    const { m, merchant } = opened
    await purchase(opened, 'ann@example.com')
    const request = { from: one.prices.month, to: one.prices.team, on: '2026-03-01T00:00:00.000Z' }
    const plan = await m.prices.raise({ ...request, noticeDays: 30, needsConsent: false }, 'olga')
    t.is(plan.provider_can, can)
    t.deepEqual(
      plan.members.map(({ does }) => does),
      ['raise'],
    )
    const charged = async (days: number) => {
      for (let day = 0; day < days; day++) {
        await merchant.advance({ days: 1 })
        await m.runDueJobs()
        await merchant.deliver()
        await m.runDueJobs()
        const user = await m.users.findByEmail('ann@example.com')
        t.true(user?.hasGate(one.prices.month as never), 'a gate with the id of the old price stays open')
      }
      return one.moved(merchant).charged
    }
    t.deepEqual(await charged(56), [900, 900])
    t.deepEqual(await charged(6), [900, 900, 2500])
    const [row] = await m.prices.members(plan.id, { account: '', subscription_id: '' }, 10)
    t.is(row?.state, 'raised', row?.reason ?? '')
    t.deepEqual(await charged(31), [900, 900, 2500, 2500])
  })
