import type { Account } from './account.ts'
import { invalid } from './errors.ts'
import { firstTen, render } from './render.ts'
import { sessionLines } from './sessions.ts'
import type { AnyObject } from './shapes.ts'
import { toInvoicePayment } from './shapes-invoice.ts'

type Json = Record<string, unknown>
interface On {
  readonly version: string
  readonly path: string
}

/**
 * Builds an API answer: an object in that version, with expanded objects instead of ids.
 * @throws 400 for a field that cannot be expanded. https://docs.stripe.com/api/expanding_objects
 */
export function answer(account: Account, object: AnyObject, version: string, paths: readonly string[]): Json {
  const shown = render(account, object, version)
  for (const path of paths) {
    const parts = path.split('.')
    if (parts.length > 4) throw invalid('You cannot expand more than 4 levels of a property.', 'expand')
    expandAt(account, shown, parts, { version, path })
  }
  return shown
}

function expandAt(account: Account, holder: Json, [key = '', ...rest]: string[], on: On): void {
  const expanded = valueAt(account, holder, key, on)
  if (expanded !== undefined) holder[key] = expanded
  if (rest.length === 0) return
  if (Array.isArray(expanded)) {
    for (const item of expanded) if (isJson(item)) expandAt(account, item, rest, on)
  } else if (isJson(expanded)) expandAt(account, expanded, rest, on)
}

function valueAt(account: Account, holder: Json, key: string, { version, path }: On): unknown {
  // A deleted object keeps only its id.
  if (holder.deleted === true && holder[key] === undefined) return undefined
  const included = includable[`${String(holder.object)}.${key}`]?.(account, String(holder.id), version)
  if (included !== undefined) return included
  const value = holder[key]
  if (value === null) return null
  if (Array.isArray(value)) return value.map((item) => expandOne(account, item, version) ?? item)
  const found = expandOne(account, value, version)
  if (found === undefined) throw invalid(`This property cannot be expanded (${path}).`, 'expand')
  return found
}

function expandOne(account: Account, value: unknown, version: string): Json | undefined {
  // A copy, because its nested objects may be replaced.
  if (isJson(value)) return { ...value }
  const object = typeof value === 'string' ? account.findAny(value) : undefined
  return object && render(account, object, version)
}

type Include = (account: Account, id: string, version: string) => Json

function listOf(path: string, find: (account: Account, id: string) => readonly AnyObject[]): Include {
  return (account, id, version) =>
    firstTen({
      object: 'list',
      data: find(account, id)
        .toReversed()
        .map((item) => render(account, item, version)),
      url: path,
    })
}

/** Properties that are included only on request. */
const includable: Record<string, Include> = {
  'checkout.session.line_items': (account, id, version) =>
    firstTen({
      object: 'list',
      data: sessionLines(account.world, id).map((line) => ({
        ...line,
        price: render(account, account.show(line.price), version),
      })),
      url: `/v1/checkout/sessions/${id}/line_items`,
    }),
  'invoice.payments': listOf('/v1/invoice_payments', ({ world: { store } }, id) =>
    store
      .having('payment', 'invoice', id)
      .map((payment) => toInvoicePayment(payment, store.get('invoice', id))),
  ),
  'charge.refunds': listOf('/v1/refunds', ({ world, show }, id) =>
    world.store.having('refund', 'charge', id).map((refund) => show(refund)),
  ),
  'customer.subscriptions': listOf('/v1/subscriptions', ({ world, show }, id) =>
    world.store
      .having('subscription', 'customer', id)
      .filter(({ status }) => status !== 'canceled')
      .map((subscription) => show(subscription)),
  ),
  'price.currency_options': (account, id) => ({ ...account.find('price', id)?.currency_options }),
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
