import type { Compilable } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Rewriting } from './rewriting.ts'

export const name = 'money-kinds'

export const up = (): Compilable[] => []

/**
 * Calls what is stored of money by kinds that fit every provider, and says what each payment is for: a fact says now what
 * it would have said had it arrived today, so that a payment of which the rest is still to come ends as any other. Done
 * again it changes nothing.
 */
export const rewrites = (dialect: Dialect): Rewriting[] => {
  const words = dialect === 'sqlite' ? sqlite : postgres
  return [
    { table: 'facts', key: ['provider', 'account', 'kind', 'id'], texts: (range) => [facts(words, range)] },
    {
      table: 'fetches',
      key: ['provider', 'account', 'kind', 'id'],
      texts: (range) => [fetches(range)],
    },
    { table: 'payment_refs', key: ['provider', 'account', 'ref'], texts: refs },
    { table: 'payments', key: ['provider', 'account', 'id'], texts: (range) => [payments(words, range)] },
  ]
}

interface Words {
  readonly placeOf: string
  /** The text under a key of an object. */
  readonly read: (object: string, key: string) => string
  /** An object of contents with each of them rewritten. */
  readonly each: (contents: string, rewrite: (content: string) => string) => string
}

const sqlite: Words = {
  placeOf: 'instr',
  read: (object, key) => `json_extract(${object}, '$.${key}')`,
  each: (contents, rewrite) =>
    `(select json_group_object(one.key, json(${rewrite('one.value')})) from json_each(${contents}) one)`,
}

// PostgreSQL reads no JSON with U+0000 in it, be it far from what is asked for; `jsonb` also sorts the keys.
const postgres: Words = {
  placeOf: 'strpos',
  read: (object, key) =>
    `(cast(replace(replace(${object}, '\\\\', ''), '\\u0000', '') as json) ->> '${key}')`,
  each: (contents, rewrite) => `case when strpos(${contents}, '\\u0000') > 0 then ${toKinds(contents)} else (
    select cast(json_object_agg(one.key, cast(${rewrite('cast(one.value as text)')} as json)) as text)
    from json_each(cast(${contents} as json)) one
  ) end`,
}

const isRenamed = `kind in ('intent', 'charge', 'invoice', 'invoice_payment')`

// What a process of the release before wrote meanwhile under the old kind stays where the new one stands.
const kindOf = (table: string): string => `case when ${isRenamed} and not exists (
    select 1 from ${table} n
    where n.provider = ${table}.provider and n.account = ${table}.account and n.id = ${table}.id
      and n.kind = case ${table}.kind when 'invoice_payment' then 'link' else 'payment' end
  ) then case kind when 'invoice_payment' then 'link' else 'payment' end else kind end`

const facts = (words: Words, range: string): string => `update facts set
    kind = ${kindOf('facts')},
    data = ${rewritten(words, 'data')},
    tied = case when tied is null then null else ${words.each('tied', (content) => rewritten(words, content))} end,
    revision = revision + 1
  where (${isRenamed} or kind in ('checkout', 'refund', 'dispute')) and ${range}`

const fetches = (range: string): string =>
  `update fetches set kind = ${kindOf('fetches')} where ${isRenamed} and ${range}`

const refs = (range: string): string[] =>
  [
    ['intent', 'collection'],
    ['charge', 'payment'],
    ['invoice', 'bill'],
    ['invoice_payment', 'link'],
  ].map(([old, role]) => {
    const ref = `'${role}' || substr(ref, ${old!.length + 1})`
    return `update payment_refs set ref = ${ref} where ref like '${old}:%' and ${range} and not exists (
      select 1 from payment_refs n
      where n.provider = payment_refs.provider and n.account = payment_refs.account
        and n.ref = '${role}' || substr(payment_refs.ref, ${old!.length + 1})
    )`
  })

const payments = (words: Words, range: string): string =>
  `update payments set revision = revision + 1, data = ${withPurpose(
    'data',
    `case
      when subscription_id is not null or ${saysOfPayment(words, 'recurring')} then 'recurring'
      when ${saysOfPayment(words, 'one_time')} then 'one_time'
      else 'unknown'
    end`,
  )}
  where data <> 'null' and ${words.read('data', 'purpose')} is null and ${range}`

// References stand before the first bracket closes; what metadata is called behind it is its own affair.
function rewritten({ placeOf, read }: Words, content: string): string {
  const end = `${placeOf}(${content}, ']')`
  const refs = `substr(${content}, 1, ${end})`
  const purpose = `case
      when ${read(content, 'purpose')} is not null then null
      when kind = 'checkout' then case ${read(content, 'mode')}
        when 'subscription' then 'recurring' when 'payment' then 'one_time' end
      when kind not in ('intent', 'charge', 'invoice') then null
      when ${read(content, 'subscription_id')} is not null then 'recurring'
      when kind = 'invoice' then 'one_time'
      when ${read(content, 'price_id')} is null or ${placeOf}(${refs}, '{"kind":"invoice",') > 0 then null
      else 'one_time'
    end`
  return withPurpose(`${toKinds(refs)} || substr(${content}, ${end} + 1)`, purpose)
}

function toKinds(text: string): string {
  return [
    ['intent', '"payment","part":"collection"'],
    ['charge', '"payment"'],
    ['invoice', '"payment","part":"bill"'],
    ['invoice_payment', '"link"'],
  ].reduce((said, [old, kind]) => `replace(${said}, '{"kind":"${old}",', '{"kind":${kind},')`, text)
}

/** An object as text, with what it is for as its last word where that is known. */
function withPurpose(object: string, purpose: string): string {
  const whole = `(${object})`
  return `coalesce(substr(${whole}, 1, length(${whole}) - 1) || ',"purpose":"' || (${purpose}) || '"}', ${whole})`
}

function saysOfPayment({ placeOf, read }: Words, purpose: string): string {
  const role = `substr(r.ref, 1, ${placeOf}(r.ref, ':') - 1)`
  return `exists (
        select 1 from payment_refs r
        join facts f on f.provider = r.provider and f.account = r.account
          and f.kind = case when ${role} in ('collection', 'bill') then 'payment' else ${role} end
          and f.id = substr(r.ref, ${placeOf}(r.ref, ':') + 1)
        where r.provider = payments.provider and r.account = payments.account and r.payment_id = payments.id
          and ${read('f.data', 'purpose')} = '${purpose}'
      )`
}
