import test from 'ava'
import { run } from '../simulation/model/run.ts'
import type { History, Step } from '../simulation/model/steps.ts'

const bought: Step = { do: 'buy', who: 'ann', plan: 'pro' }
const merged: Step = { do: 'merge', who: 'ann', into: 'ben' }
const back: Step = { do: 'merge back', who: 'ann' }
function there(plan: 'pro' | 'team'): Step {
  return { do: 'buy', who: 'ben', plan, at: 'to' }
}

/** What was right for each feature alone, tried where two of them meet. */
const combinations: Readonly<Record<string, readonly History[]>> = {
  'a switch and a merge': [
    [bought, { do: 'switch' }, merged, there('pro'), back],
    [bought, merged, { do: 'switch' }, there('pro'), back, { do: 'undo switch' }],
    [bought, { do: 'switch' }, merged, there('team'), { do: 'time', days: 32 }],
    [bought, { do: 'switch' }, merged, { do: 'undo switch' }, back],
  ].map((steps) => ({ from: 'paddle', to: 'stripe', steps }) as const) as History[],
  'a merge and a refund': (['stripe', 'paddle', 'polar', 'lemonsqueezy'] as const).flatMap((from) => {
    const cheaper: Step = { do: 'change', who: 'ann', plan: 'pro' }
    const refund: Step = { do: 'refund', who: 'ann', by: 'dashboard' }
    const team: Step = { do: 'buy', who: 'ann', plan: 'team' }
    const book: Step = { do: 'buy', who: 'ann', plan: 'book' }
    return [
      { from, steps: [team, merged, cheaper, back, refund] },
      { from, steps: [team, cheaper, merged, refund, back] },
      { from, steps: [book, merged, refund, back] },
    ] satisfies History[]
  }),
  'a pause and the rule for second trials': [true, false].flatMap((isTrial) => {
    const site = isTrial ? { from: 'stripe' as const, trial: 14 } : { from: 'stripe' as const }
    const first: Step = { do: 'buy', who: 'ann', plan: 'pro', card: 'shared' }
    const second: Step = { do: 'buy', who: 'ben', plan: 'team', card: 'shared' }
    const paused: Step = { do: 'pause', who: 'ben' }
    return [
      { ...site, steps: [first, second, paused, { do: 'time', days: 40 }, { do: 'settle' }] },
      { ...site, steps: [first, { do: 'messages', are: 'held' }, second, paused] },
      { ...site, steps: [first, second, paused, merged, { do: 'resume', who: 'ben' }] },
      { ...site, steps: [first, second, { do: 'free days', who: 'ben', days: 20 }, merged, back] },
    ] satisfies History[]
  }),
  'another selling account and an open checkout': (['stripe', 'paddle', 'polar'] as const).flatMap((from) => {
    const open: Step = { do: 'buy', who: 'ben', plan: 'pro', pays: 'later' }
    const changed: Step = { do: 'change account' }
    return [
      { from, steps: [open, changed, { do: 'pay', who: 'ben' }] },
      { from, steps: [open, changed, { do: 'time', days: 1 }, { do: 'buy', who: 'ben', plan: 'team' }] },
      { from, steps: [bought, changed, { do: 'cancel', who: 'ann', when: 'now' }] },
    ] satisfies History[]
  }),
}

for (const [name, histories] of Object.entries(combinations))
  test.serial(`${name} leave the paying buyer with access, once`, async (t) => {
    for (const history of histories) {
      const { broken, log } = await run(history)
      t.deepEqual(broken, [], `${history.from}\n${log.join('\n')}`)
    }
  })
