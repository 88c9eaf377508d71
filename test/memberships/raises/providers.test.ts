import test from 'ava'
import { creem } from '../../providers/creem/selling.ts'
import { paddle } from '../../providers/paddle/selling.ts'
import { polar } from '../../providers/polar/selling.ts'
import type { SellingCase } from '../../providers/selling-case.ts'
import { stripe } from '../../providers/stripe/selling.ts'
import { openSellingSite, purchase } from '../../support/selling-site.ts'
import { createMailbox } from '../../support/visitor.ts'

/** The same seller whose dearer price belongs to the plan. */
function inOnePlan(sellingCase: SellingCase): SellingCase {
  return {
    ...sellingCase,
    settings: (fake) => ({
      ...sellingCase.settings?.(fake),
      plans: {
        pro: {
          prices: [
            { id: sellingCase.prices.month, amount: 900, currency: 'EUR', interval: 'month' },
            { id: sellingCase.prices.team, amount: 2500, currency: 'EUR', interval: 'month', retired: true },
          ],
        },
      },
    }),
  }
}

for (const [sellingCase, can] of [
  [polar, 'schedule'],
  [paddle, 'set'],
  [creem, 'set'],
] as const)
  test(`${sellingCase.key}: a raise charges the old price until its renewal, and the new one from then on`, async (t) => {
    const opened = await openSellingSite(t, inOnePlan(sellingCase))
    const { m, fake } = opened
    await purchase(opened, 'ann@example.com')
    const request = {
      from: sellingCase.prices.month,
      to: sellingCase.prices.team,
      on: '2026-03-01T00:00:00.000Z',
    }
    const plan = await m.raises.raise({ ...request, noticeDays: 30, needsConsent: false }, 'olga')
    t.is(plan.provider_can, can)
    t.deepEqual(
      plan.members.map(({ does }) => does),
      ['raise'],
    )
    const charged = async (days: number) => {
      for (let day = 0; day < days; day++) {
        await fake.advance({ days: 1 })
        await m.runDueJobs()
        await fake.deliver()
        await m.runDueJobs()
        const user = await m.users.findByEmail('ann@example.com')
        t.true(
          user?.hasGate(sellingCase.prices.month as never),
          'a gate with the id of the old price stays open',
        )
      }
      return sellingCase.moved(fake).charged
    }
    t.deepEqual(await charged(56), [900, 900])
    t.deepEqual(await charged(6), [900, 900, 2500])
    const [row] = await m.raises.members(plan.id, { account: '', subscription_id: '' }, 10)
    t.is(row?.state, 'raised', row?.reason ?? '')
    t.deepEqual(await charged(31), [900, 900, 2500, 2500])
  })

for (const when of ['noticed', 'planned', 'raised'] as const)
  for (const [from, to] of [
    [stripe, paddle],
    [paddle, stripe],
  ] as const)
    test(`a switch from ${from.key} to ${to.key} that is taken back beside a raise that is ${when}: raised once`, async (t) => {
      const mailbox = createMailbox()
      const here = inOnePlan(from)
      const choices = { 'membership.provider.choices': [from.key as 'stripe', to.key as 'stripe'] }
      const opened = await openSellingSite(t, here, { ...mailbox.options, ...choices }, {}, [to])
      const { m, fakes } = opened
      const days = async (count: number) => {
        for (let day = 0; day < count; day++) {
          for (const fake of fakes) await fake.advance({ days: 1 })
          await m.runDueJobs()
          for (const fake of fakes) await fake.deliver()
          await m.runDueJobs()
        }
      }
      const state = async () =>
        (await m.raises.members(raise.id, { account: '', subscription_id: '' }, 10))[0]
      await purchase(opened, 'ann@example.com')
      const terms = { from: from.prices.month, to: from.prices.team, on: '2026-02-01T00:00:00.000Z' }
      const raise = await m.raises.raise({ ...terms, noticeDays: 10, needsConsent: false }, 'olga')
      await days(when === 'noticed' ? 20 : when === 'planned' ? 30 : 40)
      t.is((await state())?.state, when)
      const fromTo = { from: from.key as 'stripe', to: to.key as 'stripe' }
      const [ending] = (await m.operator.switch({ ...fromTo, write: true })).subscriptions
      t.is(ending?.kind, 'ending')
      if (when !== 'planned') await days(3)
      await m.operator.switch({ ...fromTo, undo: true })
      await days(70)
      const user = (await m.users.findByEmail('ann@example.com'))!
      t.is(user.subscriptions().length, 1)
      t.like(user.subscriptions()[0], { status: 'active', price_id: from.prices.team })
      t.is((await state())?.state, 'raised')
      const { charged } = from.moved(fakes[0])
      const first = charged.indexOf(2500)
      t.true(first > 0, String(charged))
      t.true(
        charged.every((amount, n) => amount === (n < first ? 900 : 2500)),
        String(charged),
      )
      t.deepEqual(to.moved(fakes[1]!).charged, [])
      t.is(mailbox.of('ann@example.com', 'price-raise').length, 1, 'one notice')
    })
