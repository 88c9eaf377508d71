import {
  createStore,
  createWorld,
  type AnyObject as Engine,
  type Kind as EngineKind,
  type Fact,
  type Invoice,
  type Payment,
  type ServerContext,
  type Settings,
} from '../engine/index.ts'
import type { Account } from './account.ts'
import { createEvents } from './events.ts'
import { render } from './render.ts'
import { type AnyObject, configuration, type Kind, shapes } from './shapes.ts'
import { toInvoicePayment } from './shapes-invoice.ts'
import { typesOf } from './tell.ts'

// "Object IDs we generate will never exceed 255 characters": https://docs.stripe.com/upgrades
const longestId = 255

type Show = (object: Engine, url: string) => AnyObject

/** Creates an account without history; events show objects in `apiVersion`. */
export function createAccount(
  settings: Settings & { readonly apiVersion: string },
  { url, clock, ids, messages, replica, longIds }: ServerContext,
): Account {
  const { apiVersion } = settings
  const store = createStore(replica)
  const events = createEvents({ ids, clock, messages, apiVersion })
  const shown = new WeakMap<Engine, AnyObject>()

  const show = (object: Engine): AnyObject => {
    const known = shown.get(object) ?? (shapes[object.kind].show as Show)(object, url)
    shown.set(object, known)
    return known
  }
  const tell = (fact: Fact, object: Engine, before?: Engine): void => {
    for (const { type, of } of typesOf(fact, object)) {
      const isUpdate = type.endsWith('.updated')
      if (isUpdate && before === undefined) continue
      emit(
        type,
        of === 'invoice payment' ? invoicePayment(object.id)! : show(object),
        isUpdate ? before : undefined,
      )
    }
  }
  const emit = (type: string, object: AnyObject, before?: Engine): void => {
    const inVersion = (anyObject: AnyObject) => render(account, anyObject, apiVersion)
    const now = inVersion(object)
    events.append(type, now, before && previousAttributes(inVersion(show(before)), now))
  }
  const invoicePayment = (invoice: string) => {
    const found = store.get('invoice', invoice)
    const payment = store.find('payment', found.payment)
    return payment && showLink(payment, found)
  }
  const links = new WeakMap<Payment, { readonly invoice: Invoice; readonly link: AnyObject }>()
  const showLink = (payment: Payment, invoice: Invoice): AnyObject => {
    const known = links.get(payment)
    if (known?.invoice === invoice) return known.link
    const link = toInvoicePayment(payment, invoice)
    links.set(payment, { invoice, link })
    return link
  }
  const world = createWorld({
    settings,
    clock,
    store,
    idFor: (kind) => {
      const [prefix, length]: readonly [string, number?] =
        kind === 'item' ? ['si', 14] : kind === 'line' ? ['il'] : shapes[kind].id
      const id = ids(prefix, longIds ? longestId - prefix.length - 1 : length)
      return kind === 'coupon' ? id.slice('coupon_'.length) : id
    },
    tell,
  })
  const engineKind = (kind: Kind) =>
    (Object.keys(shapes) as EngineKind[]).find((key) => shapes[key].as === kind)
  const invoicePayments = () =>
    store
      .list('payment')
      .flatMap((payment) =>
        payment.invoice === null ? [] : [showLink(payment, store.get('invoice', payment.invoice))],
      )
  const list = (kind: Kind): AnyObject[] => {
    if (kind === 'invoice_payment') return invoicePayments()
    const of = engineKind(kind)
    return of === undefined ? [configuration] : store.list(of).map(show)
  }
  const find = (kind: Kind, id: string | null): AnyObject | undefined => {
    const of = engineKind(kind)
    if (of === undefined) return list(kind).find((anyObject) => anyObject.id === id)
    const found = store.find(of, id)
    return found && show(found)
  }
  const account: Account = {
    world,
    events,
    url,
    apiVersion,
    show: show as Account['show'],
    find: find as Account['find'],
    list: list as Account['list'],
    findAny: (id) => {
      const found = store.findAny(id)
      return found ? show(found) : (find('invoice_payment', id) ?? find('billing_portal.configuration', id))
    },
  }
  return account
}

type Json = Record<string, unknown>

/**
 * Returns the previous values of changed fields. Hashes contain only the keys that differ, lists are
 * complete, and null stands for an absent value.
 * https://docs.stripe.com/api/events/object#event_object-data-previous_attributes
 */
function previousAttributes(before: Json, after: Json): Json {
  const previous: Json = {}
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[key], after[key]]
    if (JSON.stringify(was) === JSON.stringify(is)) continue
    previous[key] = isHash(was) && isHash(is) ? previousAttributes(was, is) : (was ?? null)
  }
  return previous
}

function isHash(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
