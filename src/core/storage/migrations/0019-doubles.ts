import { type Compilable, CompiledQuery, type Kysely } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'doubles'

/**
 * Joins what stands twice: with one API key beside several labels, answers to our own calls were written under the first
 * label, and the messages about the same objects under their own, so that a refund never reached the copy.
 *
 * A copy is what one owner has under a label of which no message ever spoke of any of it, while messages of exactly one
 * other label speak of an owner who has two or more of the same objects (one id alone could be chance). The copy goes.
 * What it alone knew is asked for again under the label that stays; its member, where the other has none, what the member
 * was told of, and names that wait to be sent go over. Access by hand and started checkouts name no label.
 */
export const up = (_: Kysely<Tables>, dialect: Dialect): Compilable[] =>
  statements(dialect === 'sqlite' ? 'instr' : 'strpos').map((text) => ({
    compile: () => CompiledQuery.raw(text),
  }))

const statements = (placeOf: string): string[] => [
  ...findCopies(placeOf),
  ...keepWhatCopiesKnew,
  ...removeCopies,
  ...['double_words', 'doubles', 'double_heard', 'double_things'].map((table) => `drop table ${table}`),
]

const isOfCopy = (table: string, owner: string): string => `exists (
  select 1 from doubles d
  where d.provider = ${table}.provider and d.account = ${table}.account and d.owner_id = ${table}.${owner}
)`

const findCopies = (placeOf: string): string[] => [
  // What each owner has, where a provider has several labels.
  `create table double_things as
    with labelled as (
      select provider from (select distinct provider, account from customers) each_once
      group by provider having count(*) > 1
    )
    select provider, account, customer_id as owner_id, 'customer' as kind, customer_id as id
      from customers where guest = 0 and provider in (select provider from labelled)
    union select provider, account, owner_id, 'subscription', id
      from subscriptions where provider in (select provider from labelled)
    union select r.provider, r.account, y.owner_id,
        substr(r.ref, 1, ${placeOf}(r.ref, ':') - 1), substr(r.ref, ${placeOf}(r.ref, ':') + 1)
      from payment_refs r
      join payments y on y.provider = r.provider and y.account = r.account and y.id = r.payment_id
      where r.provider in (select provider from labelled)`,
  'create index double_things_id on double_things (provider, id)',
  'create index double_things_owner on double_things (provider, account, owner_id)',
  // Read from front to back, whatever a planner thinks of two fresh tables: there is no index by object.
  `create table double_heard as
    select distinct t.provider, t.account, t.owner_id
    from events e cross join double_things t
    where t.provider = e.provider and t.id = e.object_id and t.account = e.account`,
  'create index double_heard_owner on double_heard (provider, account, owner_id)',
  `create table doubles as
    select copy.provider, copy.account, copy.owner_id, kept.account as into_account, kept.owner_id as into_owner
    from double_things copy
    join double_things kept
      on kept.provider = copy.provider and kept.kind = copy.kind and kept.id = copy.id
      and kept.account <> copy.account
    join double_heard heard
      on heard.provider = kept.provider and heard.account = kept.account and heard.owner_id = kept.owner_id
    where not exists (
      select 1 from double_heard h
      where h.provider = copy.provider and h.account = copy.account and h.owner_id = copy.owner_id
    )
    group by copy.provider, copy.account, copy.owner_id, kept.account, kept.owner_id
    having count(*) > 1`,
  // Two that could be meant decide nothing.
  `delete from doubles where exists (
    select 1 from doubles other
    where other.provider = doubles.provider and other.account = doubles.account
      and other.owner_id = doubles.owner_id
      and (other.into_account <> doubles.into_account or other.into_owner <> doubles.into_owner)
  )`,
  'create index doubles_owner on doubles (provider, account, owner_id)',
]

const atOnce = '1970-01-01T00:00:00.000Z'

const keepWhatCopiesKnew = [
  `update customers set
    member_id = coalesce(member_id, (${ofCopies('min(c.member_id)')})),
    purchased = coalesce((${ofCopies('max(c.purchased)')}), purchased),
    revision = revision + 1
  where exists (
    select 1 from doubles d
    where d.provider = customers.provider and d.into_account = customers.account
      and d.into_owner = customers.customer_id
  )`,
  `insert into fetches (provider, account, kind, id, due_at, attempts, wishes)
    select distinct t.provider, d.into_account, t.kind, t.id, '${atOnce}', 0, 1
    from doubles d
    join double_things t
      on t.provider = d.provider and t.account = d.account and t.owner_id = d.owner_id
    where exists (
      select 1 from facts f
      where f.provider = t.provider and f.account = t.account and f.kind = t.kind and f.id = t.id
        and not exists (
          select 1 from facts g
          where g.provider = t.provider and g.account = d.into_account and g.kind = t.kind and g.id = t.id
        )
    ) or exists (
      select 1 from fetches f
      where f.provider = t.provider and f.account = t.account and f.kind = t.kind and f.id = t.id
    ) or (
      t.kind = 'subscription' and not exists (
        select 1 from subscriptions s
        where s.provider = t.provider and s.account = d.into_account and s.id = t.id
      )
    )
    on conflict do nothing`,
  // What was told once is no news under another label.
  `create table double_words as
    select member_id, said, becomes, row_number() over (partition by member_id order by said) as n from (
      select distinct c.member_id,
        '"' || t.provider || '/' || t.account || '/' || t.id || '"' as said,
        '"' || t.provider || '/' || d.into_account || '/' || t.id || '"' as becomes
      from doubles d
      join customers c
        on c.provider = d.provider and c.account = d.account and c.customer_id = d.owner_id
        and c.member_id is not null
      join double_things t
        on t.provider = d.provider and t.account = d.account and t.owner_id = d.owner_id
        and t.kind <> 'customer'
    ) each_once`,
  'create index double_words_member on double_words (member_id, n)',
  `update told set revision = revision + 1, data = (
    with recursive rewritten (n, data) as (
      select cast(0 as bigint), told.data
      union all
      select w.n, case when replace(r.data, w.becomes, '') <> r.data then r.data
        else replace(r.data, w.said, w.becomes) end
      from rewritten r join double_words w on w.member_id = told.member_id and w.n = r.n + 1
    )
    select data from rewritten order by n desc limit 1
  )
  where member_id in (select member_id from double_words)`,
  `insert into tell (provider, account, owner_id, wishes, due_at)
    select distinct provider, into_account, into_owner, 1, '${atOnce}' from doubles where true
    on conflict do nothing`,
  `update outbox set payload = (
    select replace(outbox.payload, ${namingOf('account')}, ${namingOf('into_account')})
    from doubles d where outbox.payload like ${namingOf('account')} || '%' limit 1
  )
  where kind = 'customer' and exists (
    select 1 from doubles d where outbox.payload like ${namingOf('account')} || '%'
  )`,
]

function ofCopies(what: string): string {
  return `select ${what} from doubles d
    join customers c on c.provider = d.provider and c.account = d.account and c.customer_id = d.owner_id
    where d.provider = customers.provider and d.into_account = customers.account
      and d.into_owner = customers.customer_id`
}

// How a message about a customer begins.
function namingOf(account: string): string {
  return `'{"provider":"' || d.provider || '","account":"' || d.${account} || '","customer_id":"' || d.owner_id || '"'`
}

const isThingOfCopy = (table: string): string => `exists (
  select 1 from doubles d
  join double_things t on t.provider = d.provider and t.account = d.account and t.owner_id = d.owner_id
  where t.provider = ${table}.provider and t.account = ${table}.account and t.kind = ${table}.kind
    and t.id = ${table}.id
)`

const removeCopies = [
  `delete from facts where ${isThingOfCopy('facts')}`,
  `delete from fetches where ${isThingOfCopy('fetches')}`,
  `delete from payment_refs where exists (
    select 1 from payments y
    where y.provider = payment_refs.provider and y.account = payment_refs.account
      and y.id = payment_refs.payment_id and ${isOfCopy('y', 'owner_id')}
  )`,
  `delete from payments where ${isOfCopy('payments', 'owner_id')}`,
  `delete from subscriptions where ${isOfCopy('subscriptions', 'owner_id')}`,
  `delete from tell where ${isOfCopy('tell', 'owner_id')}`,
  `delete from customers where ${isOfCopy('customers', 'customer_id')}`,
]
