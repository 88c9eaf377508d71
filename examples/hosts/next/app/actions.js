'use server'

import { host } from '../lib/membership.js'

export async function subscribe(form) {
  await host.subscribe(form)
}

export async function cancel() {
  const m = await host.instance()
  const [subscription] = (await host.view()).user()?.subscriptions() ?? []
  await m.subscriptions.cancel({
    request: await host.requestNow('POST'),
    subscriptionId: subscription?.id ?? '',
  })
}
