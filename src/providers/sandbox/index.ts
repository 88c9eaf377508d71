import { z } from 'zod'
import { currencyDigits } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { createKeyedMutex } from '../../core/jobs/keyed-mutex.ts'
import type { Provider, ProviderContext, ProviderEvent } from '../contract.ts'
import { defineProvider } from '../define.ts'
import { signHmac, timestampedScheme, verifyHmac } from '../signatures.ts'
import type { Book } from './book.ts'
import { createBooks } from './books.ts'
import { changeOf, kindOf, sandboxChanges } from './changes.ts'
import { answer, createCustomers } from './customers.ts'
import { createEvents } from './events.ts'
import { ownerOf } from './ids.ts'
import { createList } from './list.ts'
import type { SandboxEvent } from './objects.ts'
import { createOlder } from './older.ts'
import { sandboxPages } from './pages.ts'
import { createPortal } from './portal.ts'
import { createPrices } from './prices.ts'
import { sheetIn } from './sheet.ts'
import { createShop } from './shop.ts'
import { createSubscriptions } from './subscriptions.ts'

const scheme = timestampedScheme({
  header: 'sandbox-signature',
  separator: ',',
  timeKey: 't',
  signatureKey: 'v1',
  joiner: '.',
})

const optionsSchema = z.strictObject({
  codes: z
    .record(
      z.string(),
      z.int().min(1, 'must be a whole number from 1 to 100').max(100, 'must be a whole number from 1 to 100'),
      { error: 'must be codes with their percentages' },
    )
    .default({})
    .describe('Promotion codes: code → the percentage that it takes off the first payment.'),
})

/** Controls for the demo's bar, which no real provider has. */
export interface SandboxControls {
  /** Sets the site's address in this process, for the webhooks. */
  setSite(url: string): Promise<void>
  failNext(subscriptionId: string): Promise<void>
  isFailing(subscriptionId: string): Promise<boolean>
  refund(paymentId: string): Promise<void>
  dispute(paymentId: string): Promise<void>
  /** Resolves when every event was sent to the site once. */
  offered(): Promise<void>
}

/** The sandbox together with its controls. */
export function createSandbox({
  now,
  randomId,
  store,
  log,
  plans,
  options,
  webhookSecret,
}: ProviderContext): Provider & { readonly controls: SandboxControls } {
  const sign = (body: Buffer, secret: string, at: Date) => ({
    'content-type': 'application/json',
    ...signHmac(scheme, body, secret, at),
  })
  const { codes } = optionsSchema.parse(options ?? {})
  const events = createEvents({ store, now, log, sign: (body) => sign(body, webhookSecret(), now()) })
  const books = createBooks({ store, events, now })
  const fetched = (book: Book, ...ids: string[]) =>
    answer(
      book
        .views()
        .filter(({ data }) => ids.includes(data.id))
        .map((view) => changeOf(view)),
      now(),
    )
  const timers = new Set<NodeJS.Timeout>()
  const wake = (afterMs: number) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work().catch((error: unknown) => log('the sandbox failed at what was due', { reason: String(error) }))
    }, afterMs)
    timers.add(timer.unref())
  }

  const prices = createPrices(plans)
  const shop = createShop({
    books,
    wake,
    addressOf: (id) => `/membership/sandbox/checkout/${encodeURIComponent(id)}`,
    fetched,
    codes: Object.fromEntries(Object.entries(codes).map(([code, percent]) => [code.toUpperCase(), percent])),
  })
  const portal = createPortal({ store, books, now, randomId, secret: webhookSecret })
  const subscriptions = createSubscriptions({
    books,
    priceOf: prices.priceOf,
    fetched,
    payPage: portal.payUrl,
  })
  const customers = createCustomers({ books, now, fetched })
  const older = createOlder({ store, events, now, log })
  const mutex = createKeyedMutex()

  // Waits for a running one instead of joining it, because the clock may have moved since.
  const work = (): Promise<void> =>
    mutex.take(['work'], async () => {
      await older()
      await books.runDue()
      await events.forget()
      await events.offered()
    })

  return {
    key: 'sandbox',
    capabilities: { choose_amount: true },
    verify: (delivery, secrets, at) =>
      verifyHmac(scheme, { delivery, secrets, now: at, toleranceSeconds: 300 }),
    sign,
    read: (delivery) => [toEvent(delivery.body)],
    changes: (event) => sandboxChanges(event.object),
    fetch: async ({ kind, id }) => {
      const owner = kind === 'checkout' ? await books.ownerOfCheckout(id) : ownerOf(id)
      const found = owner === null ? null : await books.look(owner, (book) => fetched(book, id))
      return found?.changes.some((change) => kindOf(change) === kind) ? found : null
    },
    checkout: async (request) => {
      await events.setSite(request.localUrl)
      return shop.open(request, prices.priceOf(request.priceId, request.chosen))
    },
    expireCheckout: shop.expire,
    portal: async (request) => {
      await events.setSite(request.localUrl)
      return portal.open(request)
    },
    ...subscriptions,
    payUrl: portal.payUrl,
    updateCustomer: customers.update,
    subscriptionsOf: customers.subscriptions,
    refund: customers.giveBack,
    invoices: customers.invoices,
    invoiceSheet: (id) => books.look(ownerOf(id), (book) => sheetIn(book, id)),
    prices: async () => prices.catalogue(),
    list: createList({ books, now }),
    pull: events.pull,
    routes: (tools) =>
      sandboxPages(
        {
          hasCodes: Object.keys(codes).length > 0,
          shop,
          portal,
          subscriptions,
          customers,
          prices,
          books,
          randomId,
          now,
        },
        tools,
      ),
    work,
    close: async () => {
      for (const timer of timers) clearTimeout(timer)
      await events.close()
      await mutex.take(['work'], async () => {})
    },
    controls: {
      setSite: events.setSite,
      failNext: customers.letFail,
      isFailing: customers.isFailing,
      refund: customers.refundAll,
      dispute: customers.dispute,
      offered: events.offered,
    },
  }
}

/**
 * A complete payment provider inside the process: checkout page, portal, signed webhooks over real HTTP, its
 * own books, and a clock that can be moved. The demo runs on it, and authors of providers can use it as an
 * example. No money moves.
 */
export const sandbox = defineProvider({
  key: 'sandbox',
  inProcess: true,
  mode: 'message',
  options: optionsSchema,
  lacks: {
    trial_once:
      'A card of the sandbox belongs to nobody. Only the account and the address show who had a trial.',
  },
  minorDigits: currencyDigits,
  create: createSandbox,
})

function toEvent(body: Buffer): ProviderEvent {
  try {
    const object = JSON.parse(body.toString('utf8')) as SandboxEvent
    if (
      typeof object.id !== 'string' ||
      typeof object.type !== 'string' ||
      Number.isNaN(Date.parse(object.created))
    )
      throw new TypeError('no event')
    return {
      id: object.id,
      type: object.type,
      occurred_at: new Date(object.created).toISOString(),
      livemode: false,
      object_id: typeof object.data?.id === 'string' ? object.data.id : null,
      object,
    }
  } catch {
    throw new MembershipError('ERR_BODY_UNREADABLE', 'The body is no event of the sandbox.')
  }
}
