import { z } from 'zod'
import { titleOf } from '../../dto/index.ts'
import { MembershipError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Change, Provider, ProviderEvent, Ref } from '../contract.ts'
import { defineProvider } from '../define.ts'
import { signHmac, timestampedScheme, verifyHmac } from '../signatures.ts'
import {
  checkoutChange,
  customerChange,
  paymentChange,
  sandboxChanges,
  subscriptionChange,
} from './changes.ts'
import type {
  SandboxCheckout,
  SandboxCustomer,
  SandboxEvent,
  SandboxPayment,
  SandboxPrice,
  SandboxSubscription,
} from './objects.ts'
import { sandboxPages } from './pages.ts'
import { createShop } from './shop.ts'

const scheme = timestampedScheme({
  header: 'sandbox-signature',
  separator: ',',
  timeKey: 't',
  signatureKey: 'v1',
  joiner: '.',
})

/**
 * A whole payment provider inside the process: checkout page, signed webhooks over real HTTP, books of its own. It is
 * what the demo runs on, and the example for people who write a provider. No money moves.
 */
export const sandbox = defineProvider({
  key: 'sandbox',
  options: z.strictObject({}),
  create({ now, randomId, store, log, plans, webhookSecret }) {
    let site: string | null = null
    const send = (event: SandboxEvent): void => {
      if (site === null) {
        log('the sandbox does not know the site’s address yet', { type: event.type })
        return
      }
      void deliver({
        event,
        address: `${site}/membership/webhooks/sandbox`,
        secret: webhookSecret(),
        now,
        log,
      })
    }
    const shop = createShop({ store, now, randomId, send })

    const provider: Provider = {
      key: 'sandbox',
      capabilities: {
        portal: false,
        pause: false,
        swap: false,
        quantity: false,
        invoice_preview: false,
        one_time: true,
        fetch: true,
        catalogue: false,
        pull: false,
      },
      verify: (delivery, secrets, at) =>
        verifyHmac(scheme, { delivery, secrets, now: at, toleranceSeconds: 300 }),
      sign: (body, secret, at) => ({
        'content-type': 'application/json',
        ...signHmac(scheme, body, secret, at),
      }),
      read: (delivery) => [toEvent(delivery.body)],
      changes: (event) => sandboxChanges(event.object),
      fetch: async (ref) => {
        const change = await read(ref)
        return change === null
          ? null
          : { changes: [change], at: new Date(now().getTime() - 1000).toISOString() }
      },
      checkout: (request) => {
        site = request.localUrl
        return shop.open(
          request,
          priceOf(request.priceId),
          (id) => `/membership/sandbox/checkout/${encodeURIComponent(id)}`,
        )
      },
      routes: (tools) => sandboxPages(shop, tools),
    }

    const priceOf = (id: string): SandboxPrice => {
      const price = plans()
        .flatMap((plan) => plan.prices)
        .find((one) => one.id === id)
      if (!price || price.amount === null || price.currency === null)
        throw new MembershipError('ERR_CONFIG', `The sandbox has no amount for the price "${id}".`, {
          action: 'Give the price an amount and a currency under membership.providers.sandbox.plans.',
        })
      return {
        id,
        label: titleOf(id, plans()),
        amount: price.amount,
        currency: price.currency,
        interval: price.interval,
        interval_count: price.interval_count ?? 1,
        trial_days: price.trial_days ?? 0,
      }
    }

    const read = async ({ kind, id }: Ref): Promise<Change | null> => {
      if (kind === 'checkout') return whole(await shop.get<SandboxCheckout>('checkout', id), checkoutChange)
      if (kind === 'subscription')
        return whole(await shop.get<SandboxSubscription>('subscription', id), subscriptionChange)
      if (kind === 'charge') return whole(await shop.get<SandboxPayment>('payment', id), paymentChange)
      if (kind === 'customer') return whole(await shop.get<SandboxCustomer>('customer', id), customerChange)
      return null
    }
    return provider
  },
})

const whole = <T>(object: T | null, toChange: (object: T, stage: 'updated') => Change): Change | null =>
  object === null ? null : toChange(object, 'updated')

const toEvent = (body: Buffer): ProviderEvent => {
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

const tries = 5

// Like any provider: over HTTP, signed, again when it is not taken.
const deliver = async (input: {
  event: SandboxEvent
  address: string
  secret: string
  now: () => Date
  log: Log
}): Promise<void> => {
  const { event, address, secret, now, log } = input
  const body = Buffer.from(JSON.stringify(event))
  for (let attempt = 1; attempt <= tries; attempt++) {
    try {
      const headers = { 'content-type': 'application/json', ...signHmac(scheme, body, secret, now()) }
      const answer = await fetch(address, {
        method: 'POST',
        body,
        headers,
        signal: AbortSignal.timeout(5000),
      })
      if (answer.ok) return
      log('the site refused a webhook of the sandbox', { type: event.type, status: answer.status })
    } catch (error) {
      log('a webhook of the sandbox did not reach the site', { type: event.type, error: String(error) })
    }
    await new Promise((next) => setTimeout(next, 500 * 2 ** attempt).unref())
  }
}
