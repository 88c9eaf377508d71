import type { accountExportSchema } from '../src/core/dto/account-export.ts'

type ExportField = keyof typeof accountExportSchema.shape

/** A row of the table in docs/privacy.md: tables with personal data, and what becomes of it. */
export interface PersonalTables {
  readonly tables: readonly string[]
  /** The part of the table, where the row is about no other. */
  readonly part?: string
  readonly copy: string
  /** The fields of a member's copy that the tables fill. */
  readonly fields?: readonly ExportField[]
  readonly stays: string
  readonly why: string
  /** Every column that still has the member's id after a deletion. test/memberships/account/every-table.test.ts reads all. */
  readonly ids?: readonly string[]
  /** Every column that still has an address, a name or a text that somebody typed, in the cases that `stays` names. */
  readonly personal?: readonly string[]
}

export const personalTables: readonly PersonalTables[] = [
  {
    tables: ['members'],
    copy: 'profile, fields, merged accounts, the choice to get fewer mails',
    fields: ['profile', 'fields', 'merged_accounts', 'mails_off_at'],
    stays: 'id and moments',
    why: 'records of purchases point to it',
    ids: ['members.id'],
  },
  {
    tables: ['sessions'],
    copy: 'sessions, without their ids',
    fields: ['sessions'],
    stays: 'ended',
    why: 'a stolen cookie stays worth nothing',
    ids: ['sessions.member_id'],
  },
  {
    tables: ['identities'],
    copy: 'no: hashes, and your own id of the person',
    stays: 'hashes',
    why: 'the next page view does not open the account again',
    ids: ['identities.member_id'],
  },
  {
    tables: ['customers'],
    copy: 'customers, with `place`',
    fields: ['customers'],
    stays: 'the provider’s id, without name, address and place',
    why: 'a later refund or dispute names it',
    ids: ['customers.member_id'],
  },
  {
    tables: ['subscriptions', 'payments'],
    copy: 'both, whole, with the terms that they were sold under (`sold`)',
    fields: ['subscriptions', 'payments'],
    stays: 'ids, amounts, dates',
    why: 'tax law keeps accounts for years',
  },
  {
    tables: ['other_subscriptions'],
    copy: 'no: purchases of other shops of the payment account',
    stays: 'ids, price, product, amount, state and moments',
    why: 'they are of no member; they show what the site did not sell. The same stays of their payments. Their messages lose their bodies as soon as they are known to be another shop’s, and after a week while that is not known',
  },
  {
    tables: ['other_people'],
    copy: 'no: ids of customers and payments, for a week at most',
    stays: 'the same',
    why: 'they lead to names and addresses in `customers` and `facts` that have to go. Those of people who bought only from other shops go within a minute. While nothing is known of a purchase, they go after a week',
  },
  {
    tables: ['facts', 'payment_refs'],
    copy: 'folded into subscriptions and payments',
    stays: 'the same, without names',
    why: 'the same',
  },
  {
    tables: ['grants'],
    copy: 'grants',
    fields: ['grants'],
    stays: 'ended, without their reason',
    why: 'they explain access that was open',
    ids: ['grants.member_id'],
  },
  {
    tables: ['gifts'],
    copy: 'gifts that the member bought, and gifts to the member, without codes',
    fields: ['gifts'],
    stays: 'plan, months and dates; the address and the message are deleted once the gift is sent',
    why: 'the gift stays valid for its holder, and a refund must find it',
    ids: ['gifts.member_id'],
    personal: ['gifts.to_email', 'gifts.message'],
  },
  {
    tables: ['limit_usage', 'limit_keys'],
    copy: 'limits',
    fields: ['limits'],
    stays: 'deleted',
    why: 'they count what a plan includes; keys leave after 30 days',
  },
  {
    tables: ['wall_counts'],
    copy: 'free pages: how many, not which',
    fields: ['free_pages'],
    stays: 'deleted',
    why: 'hashes of the pages that a member or a stranger’s browser opened before a [metered wall](metered-wall.md); they leave when the period ends',
  },
  {
    tables: ['feeds'],
    copy: 'paths and moments',
    fields: ['feeds'],
    stays: 'deleted',
    why: 'the member’s own addresses of [feeds](files-and-feeds.md), as hashes',
  },
  {
    tables: ['feed_clients'],
    copy: 'none',
    stays: 'deleted',
    why: 'the clients of these addresses as keyed hashes, for two days',
  },
  { tables: ['ended_links'], copy: 'none', stays: 'deleted', why: 'when the member’s older links ended' },
  {
    tables: ['limit_credits'],
    copy: 'limits',
    fields: ['limits'],
    stays: 'deleted',
    why: 'amounts that an operator gave, with the reason',
  },
  {
    tables: ['groups', 'group_seats'],
    copy: 'seats',
    fields: ['seats'],
    stays: 'ended, without the address',
    why: 'the group’s other seats count on',
    ids: ['group_seats.member_id'],
  },
  {
    tables: ['intents'],
    copy: 'checkouts, with what was agreed to',
    fields: ['checkouts'],
    stays: 'the order with what was agreed to; it names nobody',
    why: 'it proves what was ordered',
    ids: ['intents.member_id', 'intents.claim'],
  },
  {
    tables: ['consent_proofs'],
    copy: 'proofs of consent',
    fields: ['consent_proofs'],
    stays:
      'where the [law of California](shop-law.md#california) asks: the e-mail address, the texts, plan, price and moment, without the account',
    why: 'they prove what was agreed to, for three years or one year after the contract, whichever is longer',
    personal: ['consent_proofs.email'],
  },
  {
    tables: ['events', 'past_events', 'fetches'],
    copy: 'no: the rest is read from them',
    stays: 'ids; bodies that name the member go, except of events that failed',
    why: 'a payment may depend on them; they are deleted once they are applied, or after 90 days',
    personal: ['events.body'],
  },
  {
    tables: ['audit_log', 'change_requests'],
    copy: 'actions, without the operators’ names',
    fields: ['audit_log'],
    stays: 'who, when and what, without texts',
    why: 'they prove what staff did',
    ids: ['audit_log.member_id', 'audit_log.subject', 'change_requests.member_id'],
  },
  {
    tables: ['declarations'],
    copy: 'declarations',
    fields: ['declarations'],
    stays: 'those that are open stay whole until they are answered; of the others kind, day and state',
    why: 'a withdrawal has to be paid back; later nothing that was typed stays',
    ids: ['declarations.member_id'],
    personal: ['declarations.name', 'declarations.contract', 'declarations.email', 'declarations.reason'],
  },
  {
    tables: ['deletions'],
    copy: 'deletion',
    fields: ['deletion'],
    stays: 'when it was asked for and done; a hash of the address for a month',
    why: 'late messages of a provider are recognised',
    ids: ['deletions.member_id'],
  },
  { tables: ['sent_mails'], copy: 'mails', fields: ['mails'], stays: 'nothing', why: '' },
  {
    tables: ['outbox'],
    copy: 'mails that wait or could not be delivered',
    fields: ['unsent_mails'],
    stays: 'id and address for [receivers](events-out.md) and hooks, until they are notified of the deletion',
    why: 'they erase the person, too; after a month nothing is left',
    ids: ['outbox.id', 'outbox.lane', 'outbox.payload'],
    personal: ['outbox.payload'],
  },
  {
    tables: ['login_links', 'email_changes', 'merge_wishes'],
    copy: 'no: they last minutes to days',
    stays: 'nothing',
    why: '',
  },
  {
    tables: ['merges'],
    copy: 'merged accounts',
    fields: ['merged_accounts'],
    stays: 'which account became which',
    why: 'late payments find their record',
    ids: ['merges.kept_id'],
  },
  {
    tables: ['price_raise_members'],
    copy: 'no: ids and prices of subscriptions',
    stays: 'the same, without the member',
    why: 'they prove who was notified of a new price',
  },
  {
    tables: ['switches', 'overdue', 'recurring_months', 'member_snapshots', 'notify_queue'],
    copy: 'no: ids alone',
    stays: 'ids alone, or nothing',
    why: '',
    ids: ['notify_queue.owner_id'],
  },
  {
    tables: ['documents'],
    part: 'in the space `unnamed-gates`',
    copy: 'no: names of gates that pages asked for and that nothing names, with the day',
    stays: 'the same, at most 100 for a month',
    why: 'the doctor lists them; a page that takes the name from its address may store what a visitor typed there',
  },
  {
    tables: ['trials'],
    copy: 'no: hashes alone',
    stays: 'hashes for the rest of 24 months; those of a discount for good',
    why: 'see above',
  },
]

/** The table as it must stand in docs/privacy.md. */
export function privacyTable(): string {
  return [
    '| Table | In the copy | After a deletion | Why that stays |',
    '|---|---|---|---|',
    ...personalTables.map(({ tables, part, copy, stays, why, ids = [] }) => {
      const names = [
        tables.map((name) => `\`${name}\``).join(', '),
        ...(part === undefined ? [] : [part]),
      ].join(' ')
      const columns = ids.map((column) => `\`${tables.length > 1 ? column : column.split('.')[1]}\``)
      const account = columns.length === 0 ? '' : `; the account’s id in ${columns.join(', ')}`
      return `| ${names} | ${copy} | ${stays}${account} | ${why} |`.replaceAll('|  |', '| |')
    }),
  ].join('\n')
}

export function withPersonalTables(page: string): string {
  return page.replace(
    /(<!-- tables -->\n)[\s\S]*?(<!-- \/tables -->)/,
    (_, open: string, close: string) => `${open}${privacyTable()}\n${close}`,
  )
}
