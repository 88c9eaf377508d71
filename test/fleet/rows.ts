import { deliver, openInstance } from '../support/converge.ts'
import {
  chargeObject,
  customerObject,
  invoiceObject,
  stripeEvent,
  subscriptionObject,
} from '../support/stripe-events.ts'
import type { Cluster } from './cluster.ts'

// Stands for a member's number in every id.
const place = 'q0q0q'

/** A database with so many members and ten times as many events, of 450 days. */
export async function fillSite(cluster: Cluster, name: string, members: number): Promise<void> {
  const rows = await exampleRows(cluster)
  await cluster.query(`create database ${name}`)
  await (await openInstance(cluster.url(name), () => new Date())).close()
  for (const [table, row] of rows)
    await cluster.query(
      `insert into ${table} select (json_populate_record(null::${table}, replace($row$${JSON.stringify(row)}$row$, '${place}', n::text)::json)).* from generate_series(1, ${members}) n`,
      name,
    )
  await cluster.query(
    `insert into events (provider, account, event_id, type, object_id, occurred_at, received_at, livemode, status, attempts, body_hash, body)
     select 'stripe', '', 'evt_' || n, (array['invoice.paid', 'charge.succeeded', 'customer.subscription.updated'])[n % 3 + 1],
       'sub_' || (n % ${members}), at, at, 0, 'processed', 0, md5(n::text) || md5(n::text),
       case when age < 30 then decode(repeat(md5(n::text), 10), 'hex') end
     from (select n, 450.0 * (1 - n::numeric / ${members * 10}) as age from generate_series(1, ${members * 10}) n) a,
       lateral (select to_char((now() - age * interval '1 day') at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at) t`,
    name,
  )
  await cluster.query('vacuum analyze', name)
}

/** What one member leaves in each table, by their own events. */
async function exampleRows(cluster: Cluster): Promise<[table: string, row: object][]> {
  await cluster.query('create database example')
  const site = await openInstance(cluster.url('example'), () => new Date())
  const [customer, email] = [`cus_${place}`, `m${place}@example.com`]
  const [charge, intent] = [`ch_${place}`, `pi_${place}`]
  for (const event of [
    stripeEvent('customer.created', customerObject({ id: customer, email, name: `Ann Number ${place}` })),
    stripeEvent('customer.subscription.created', subscriptionObject({ id: `sub_${place}`, customer })),
    stripeEvent('invoice.paid', invoiceObject({ id: `in_${place}`, customer, customer_email: email })),
    stripeEvent(
      'charge.succeeded',
      chargeObject({ id: charge, customer, payment_intent: intent, billing_details: { email } }),
    ),
  ])
    await deliver(site, event)
  await site.close()
  const [member] = await cluster.query<{ id: string }>('select id from members', 'example')
  if (!member) throw new Error('the events made no member')
  const rows: [string, object][] = []
  for (const table of ['members', 'customers', 'subscriptions', 'facts', 'payment_refs', 'payments'])
    for (const { row } of await cluster.query<{ row: object }>(
      `select row_to_json(t) as row from ${table} t`,
      'example',
    ))
      rows.push([table, JSON.parse(JSON.stringify(row).replaceAll(member.id, `m_${place}`))])
  return rows
}
