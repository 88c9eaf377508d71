import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { parse } from 'yaml'
import {
  type AccessRules,
  type ClosedCode,
  decideGate,
  type Holdings,
  whyClosed,
} from '../../../src/core/access/index.ts'
import { closedIn, plainVoice } from '../../../src/core/words/index.ts'
import { grantWith, itemWith, paymentWith, subscriptionWith } from '../../support/holding.ts'

const now = new Date('2026-12-20T12:00:00.000Z')
function at(day: string) {
  return `2026-${day}T10:00:00.000Z`
}
const none: Holdings = { subscriptions: [], payments: [], grants: [] }
const rules: AccessRules = { plans: [], pastDueSeconds: 14 * 86_400 }

function said(holdings: Partial<Holdings>, more: Partial<AccessRules> = {}): string {
  const all = { ...none, ...holdings }
  const decided = decideGate('price_1', all, { ...rules, ...more }, now)
  if (decided.open) throw new Error(`open by ${decided.reason}`)
  return closedIn(plainVoice(), whyClosed('price_1', all, { ...rules, ...more }, now), now)
}
function sub(fields: Parameters<typeof subscriptionWith>[0]) {
  return subscriptionWith({ interval: 'month', interval_count: 1, started_at: at('10-03'), ...fields })
}
function renewal(fields: Parameters<typeof paymentWith>[0]) {
  return paymentWith({ purpose: 'recurring', subscription_id: 'sub_1', ...fields })
}
const trial = { trial_ends_at: at('12-03'), started_at: at('11-19') }
const paid = renewal({ id: 'p_1', status: 'paid', paid_at: at('11-03'), updated_at: at('11-03') })
const failed = renewal({ id: 'p_2', status: 'failed', paid_at: null, updated_at: at('12-09') })

const cases: Record<string, [sentence: string, holdings: Partial<Holdings>, more?: Partial<AccessRules>]> = {
  nothing: ['Closed: nothing was bought that opens it.', {}],
  'a trial whose payment failed': [
    'Closed: the payment of 3 December failed and the trial had ended.',
    {
      subscriptions: [sub({ ...trial, status: 'past_due', past_due_since: at('12-03') })],
      payments: [failed],
    },
  ],
  'a trial that the provider ended for want of money': [
    'Closed: the payment of 3 December failed and the trial had ended.',
    {
      subscriptions: [
        sub({
          ...trial,
          status: 'canceled',
          current_period_start: at('12-03'),
          canceled_at: at('12-17'),
          ended_at: at('12-17'),
        }),
      ],
      payments: [failed],
    },
  ],
  'a renewal that failed, its days over': [
    'Closed: the payment of 3 December failed, and the days to pay it late ended on 17 December.',
    { subscriptions: [sub({ status: 'past_due', past_due_since: at('12-03') })], payments: [failed, paid] },
  ],
  'a renewal that failed where nothing stays open': [
    'Closed: the payment of 3 December failed.',
    { subscriptions: [sub({ status: 'past_due', past_due_since: at('12-03') })], payments: [failed, paid] },
    { pastDueSeconds: 0 },
  ],
  'a provider that gave up': [
    'Closed: the payment of 3 December failed, and the membership ended on 17 December.',
    {
      subscriptions: [
        sub({
          status: 'canceled',
          current_period_start: at('12-03'),
          canceled_at: at('12-17'),
          ended_at: at('12-17'),
        }),
      ],
      payments: [failed, paid],
    },
  ],
  'a cancellation': [
    'Closed: cancelled on 15 November, ended on 3 December.',
    {
      subscriptions: [sub({ status: 'canceled', canceled_at: at('11-15'), ended_at: at('12-03') })],
      payments: [paid],
    },
  ],
  'an end of which nobody says who asked for it': [
    'Closed: the membership ended on 3 December.',
    {
      subscriptions: [sub({ status: 'canceled', canceled_at: at('12-03'), ended_at: at('12-03') })],
      payments: [paid],
    },
  ],
  'a cancellation whose moment has come': [
    'Closed: cancelled on 15 November, ended on 3 December.',
    { subscriptions: [sub({ canceled_at: at('11-15'), cancel_at: at('12-03') })], payments: [paid] },
  ],
  'a trial that ended unpaid': [
    'Closed: the trial ended on 3 December, and nothing was paid.',
    { subscriptions: [sub({ ...trial, status: 'canceled', ended_at: at('12-03') })] },
  ],
  'a pause': [
    'Closed: paused from 3 December until 3 January 2027.',
    { subscriptions: [sub({ paused_at: at('12-03'), resumes_at: '2027-01-03T10:00:00.000Z' })] },
  ],
  'a pause without an end': [
    'Closed: paused since 3 December.',
    { subscriptions: [sub({ status: 'paused', paused_at: at('12-03') })] },
  ],
  'a first payment that is on its way': [
    'Closed: the first payment has not arrived yet.',
    { subscriptions: [sub({ status: 'incomplete' })] },
  ],
  'a first payment that never came': [
    'Closed: the first payment never arrived.',
    { subscriptions: [sub({ status: 'expired' })] },
  ],
  'a paid membership that its provider calls expired': [
    'Closed: the membership ended on 3 December.',
    {
      subscriptions: [sub({ status: 'expired', ended_at: at('12-03') })],
      payments: [paymentWith({ subscription_id: 'sub_1', paid_at: at('11-03') })],
    },
  ],
  'all agreed periods, where no payment is known': [
    'Closed: the membership ended on 3 December.',
    { subscriptions: [sub({ status: 'expired', ended_for: 'term', ended_at: at('12-03') })] },
  ],
  'a refund': [
    'Closed: the payment of 3 November was refunded.',
    { payments: [paymentWith({ status: 'refunded', amount_refunded: 900, paid_at: at('11-03') })] },
  ],
  'a dispute': [
    'Closed: the payment of 3 November is disputed.',
    { payments: [paymentWith({ status: 'disputed', paid_at: at('11-03') })] },
  ],
  'access by hand that is over, after an older membership': [
    'Closed: the granted access ended on 10 December.',
    {
      subscriptions: [sub({ status: 'canceled', canceled_at: at('11-03'), ended_at: at('11-03') })],
      grants: [grantWith({ gate: 'price_1', expires_at: at('12-10') })],
    },
  ],
  'a change to another price': [
    'Closed: the membership was changed to another price.',
    {
      subscriptions: [sub({ price_id: 'price_2', items: [itemWith('price_2')] })],
      payments: [renewal({ ...paid, price_id: 'price_1' })],
    },
  ],
}

for (const [name, [sentence, holdings, more]] of Object.entries(cases))
  test(`the reason for a closed gate is one sentence: ${name}`, (t) => {
    t.is(said(holdings, more), sentence)
  })

test('every reason has its own sentence, and only one mentions a cancellation', (t) => {
  const file = join(import.meta.dirname, '../../../templates/words/en.yml')
  const closedCodes = Object.keys(parse(readFileSync(file, 'utf8')).closed) as ClosedCode[]
  const sentences = closedCodes.map((code) =>
    closedIn(plainVoice(), { code, at: at('12-03'), until: at('12-10'), by: null }, now),
  )
  t.is(new Set(sentences).size, closedCodes.length)
  for (const sentence of sentences) t.regex(sentence, /^Closed: [^.]+\.( It opens [^.]+\.)?$/)
  t.deepEqual(
    sentences.filter((sentence) => /cancel/i.test(sentence)),
    ['Closed: cancelled on 3 December, ended on 10 December.'],
  )
})
