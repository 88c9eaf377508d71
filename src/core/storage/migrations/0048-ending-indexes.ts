import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'
import type { Rewriting } from './rewriting.ts'

export const name = 'ending-indexes'

/** Fills the columns of what is stored already. */
export const rewrites = (dialect: Dialect): Rewriting[] => {
  const at = (text: string) => (dialect === 'sqlite' ? `instr(data, '${text}')` : `strpos(data, '${text}')`)
  const trial = at('"trial_ends_at":"')
  return [
    {
      table: 'subscriptions',
      key: ['provider', 'account', 'id'],
      texts: (range) => [
        `update subscriptions set
          ending = case when ${at('"cancel_at":"')} > 0 or ${at('"cancel_at_period_end":true')} > 0 then 1 else 0 end,
          trial_ends_at = case when ${trial} > 0 then substr(data, ${trial} + 17, 24) end
        where ${range}`,
      ],
    },
  ]
}

export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] =>
  dialect === 'sqlite' ? outgrown.map((index) => db.schema.dropIndex(index)) : []

/** What the office lists of subscriptions that are to end, and of trials that end soon and go on. */
export const indexes = (db: Kysely<Tables>): Compilable[] => [
  db.schema
    .createIndex('subscriptions_ending')
    .on('subscriptions')
    .columns(['status', 'provider', 'account', 'id'])
    .where(sql<boolean>`ending = 1`),
  db.schema
    .createIndex('subscriptions_trials')
    .on('subscriptions')
    .columns(['trial_ends_at', 'provider', 'account', 'id'])
    .where(sql<boolean>`status = 'trialing' and ending = 0`),
]

export const outgrown = ['subscriptions_stopping', 'subscriptions_trial_ends']
