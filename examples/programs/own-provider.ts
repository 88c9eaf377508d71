import { bodyScheme, createMembership, defineProvider, signHmac, verifyHmac } from 'membership'
import { z } from 'zod'

const scheme = bodyScheme({ header: 'x-acme-signature' })

/** A provider of the site's own: its key is a key of the configuration, without being declared anywhere. */
const acme = defineProvider({
  key: 'acme',
  options: z.strictObject({}),
  create: () => ({
    key: 'acme',
    verify: (delivery, secrets, now) => verifyHmac(scheme, { delivery, secrets, now, toleranceSeconds: 300 }),
    read: (delivery) => [
      {
        id: 'evt_1',
        type: 'ping',
        occurred_at: '2026-01-01T00:00:00Z',
        livemode: null,
        object_id: null,
        object: JSON.parse(delivery.body.toString()),
      },
    ],
    changes: () => [],
  }),
})

export async function run(): Promise<string> {
  const m = await createMembership({
    install: false,
    root: false,
    customProviders: [acme],
    'membership.database.url': 'sqlite::memory:',
    'membership.providers.acme.webhook': 'whsec_acme',
  })
  try {
    const body = Buffer.from('{"hello":1}')
    const headers = signHmac(scheme, body, 'whsec_acme', new Date())
    return await m.webhooks.receive('acme', { body, headers })
  } finally {
    await m.close()
  }
}
export const expected = 'ignored'
