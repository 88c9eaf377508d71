import pg from 'pg'
import { type Storage, step } from '../../src/core/storage/index.ts'
import type { Migration } from '../../src/core/storage/migrations/index.ts'
import { digestOf } from '../../src/memberships/ledger/digest.ts'
import { Database } from './sqlite.ts'

type Fields = Record<string, unknown>

/** Puts what is stored of Stripe's money back into the words of release 2.0.0: a kind for each of Stripe's objects, no
 *  word on what a payment is for. */
export const asReleased = async (storage: Storage): Promise<void> => {
  const facts = await storage.read((db) => db.selectFrom('facts').selectAll().where('kind', '!=', 'customer'))
  const refs = await storage.read((db) => db.selectFrom('payment_refs').selectAll())
  const payments = await storage.read((db) => db.selectFrom('payments').selectAll())
  const fact = storage.prepare<Fields>('released-fact', (db, p) =>
    db
      .updateTable('facts')
      .set({ kind: p.old, data: p.data, tied: p.tied, marks: p.marks } as never)
      .where('kind', '=', p.kind as never)
      .where('id', '=', p.id as never)
      .where('account', '=', p.account as never),
  )
  const ref = storage.prepare<Fields>('released-ref', (db, p) =>
    db
      .updateTable('payment_refs')
      .set({ ref: p.old } as never)
      .where('ref', '=', p.ref as never)
      .where('account', '=', p.account as never),
  )
  const payment = storage.prepare<Fields>('released-payment', (db, p) =>
    db
      .updateTable('payments')
      .set({ data: p.data } as never)
      .where('id', '=', p.id as never)
      .where('account', '=', p.account as never),
  )
  await storage.commit([
    ...facts.map((row) => step(fact, releasedFact(row))),
    ...refs.map((row) => step(ref, { ...row, old: releasedRef(row.ref) })),
    ...payments.map((row) => step(payment, { ...row, data: without(row.data, 'purpose') })),
  ])
}

const words: Readonly<Record<string, string>> = {
  collection: 'intent',
  payment: 'charge',
  bill: 'invoice',
  link: 'invoice_payment',
}

const releasedRef = (ref: string): string => ref.replace(/^[^:]+/, (role) => words[role] ?? role)

const wordOf = ({ kind, id }: { kind: string; id: string }): string =>
  kind === 'payment'
    ? id.startsWith('pi_')
      ? 'intent'
      : id.startsWith('in_')
        ? 'invoice'
        : 'charge'
    : (words[kind] ?? kind)

const releasedFact = (row: {
  kind: string
  id: string
  data: string
  tied: string | null
  marks: string
}) => {
  const digests = new Map<string, string>()
  const renamed = (content: Fields): Fields => {
    const { purpose, final: _, ...said } = content
    const old = {
      ...said,
      refs: (said.refs as { kind: string; id: string }[]).map((one) => ({ kind: wordOf(one), id: one.id })),
      ...(row.kind === 'checkout' ? { mode: purpose === 'recurring' ? 'subscription' : 'payment' } : {}),
    }
    digests.set(digestOf(content), digestOf(old))
    return old
  }
  const data = JSON.stringify(renamed(JSON.parse(row.data)))
  const contents = Object.values(JSON.parse(row.tied ?? '{}') as Record<string, Fields>).map(renamed)
  const tied = Object.fromEntries(contents.map((one) => [digestOf(one), one]))
  const marks = (JSON.parse(row.marks) as { digest: string }[]).map((mark) => ({
    ...mark,
    digest: digests.get(mark.digest) ?? mark.digest,
  }))
  return {
    ...row,
    old: wordOf(row),
    data,
    tied: row.tied === null ? null : JSON.stringify(tied),
    marks: JSON.stringify(marks),
  }
}

const without = (text: string, key: string): string => {
  const { [key]: _, ...rest } = (JSON.parse(text) ?? {}) as Fields
  return text === 'null' ? text : JSON.stringify(rest)
}

/** The statements of one migration. */
export const textsOf = (
  { up, rewrites }: Pick<Migration, 'up' | 'rewrites'>,
  dialect: 'sqlite' | 'postgres',
): string[] => [
  ...(rewrites?.(dialect) ?? []).flatMap(({ texts }) => texts('true')),
  ...up(undefined as never, dialect).map((query) => query.compile().sql),
]

/** Statements on a database by its address, past everything of ours. */
export const runOn = async (url: string, texts: readonly string[]): Promise<void> => {
  if (url.startsWith('sqlite:')) {
    const db = new Database(url.slice('sqlite:'.length))
    for (const text of texts) db.exec(text)
    db.close()
    return
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const text of texts) await client.query(text)
  await client.end()
}
