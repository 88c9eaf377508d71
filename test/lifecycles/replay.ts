import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import { createMembership } from '../../src/index.ts'
import { signed } from '../../src/testkit/index.ts'
import { paypalSign, sandboxCertificate } from '../providers/paypal/certificate.ts'
import { createMailbox } from '../support/visitor.ts'
import type { Lifecycle, Message, Played, Sight, Step } from './lifecycle.ts'

const ann = 'ann@example.com'

/** Plays a lifecycle's messages, signed and over HTTP, and lists what does not hold. */
export const replay = async (t: ExecutionContext, lifecycle: Lifecycle): Promise<string[]> => {
  const site = await openSite(t, lifecycle)
  const wrong: string[] = []
  for (const step of lifecycle.steps) {
    for (const message of step.sends ?? []) await site.receive(message)
    const sight = await site.look(step)
    for (const [name, wanted] of Object.entries(step.sees ?? {})) {
      const seen = sight[name as keyof Sight](wanted as never)
      if (seen !== null) wrong.push(`${step.at} ${step.happens}: ${name} ${seen}`)
    }
  }
  return wrong
}

const webhooks: Partial<Record<Played, string>> = {
  paypal: '96605875FF6516633',
  polar: 'polar_whs_lifecycles-of-a-member',
  dodo: 'whsec_bGlmZWN5Y2xlcyBvZiBhIG1lbWJlcg==',
}

const openSite = async (t: ExecutionContext, { provider, plans, steps }: Lifecycle) => {
  let at = Date.parse(steps[0]?.sends?.[0]?.at ?? '')
  const now = () => new Date(at)
  const webhook = webhooks[provider] ?? 'whsec_lifecycles'
  const mailbox = createMailbox()
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.url': 'https://site.example',
    'membership.provider.handler': provider,
    'membership.compare.automatic': false,
    [`membership.providers.${provider}`]: {
      webhook,
      livemode: false,
      plans,
      ...(provider === 'paypal' ? { certificate: sandboxCertificate } : {}),
    },
    root: false,
    install: false,
    now,
    log: () => {},
    ...mailbox.options,
  } as never)
  t.teardown(() => m.close())
  const server = createServer(m.listener()).listen(0, '127.0.0.1')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise((ready) => server.once('listening', ready))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/membership/webhooks/${provider}`

  const receive = async (message: Message): Promise<void> => {
    at = Date.parse(message.at)
    const body = Buffer.from(JSON.stringify(message.event))
    const headers =
      provider === 'paypal'
        ? paypalSign(body, webhook, now())
        : signed(provider, body, { secret: webhook, now: now() }).headers
    const answer = await fetch(address, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })
    t.deepEqual(
      [answer.status, ((await answer.json()) as { status?: string }).status],
      [200, 'processed'],
      `${provider} ${message.at}`,
    )
  }

  const look = async (step: Step): Promise<Seen> => {
    at = Date.parse(step.at)
    for (let round = 0; round < 3; round++) await m.runDueJobs()
    const mails = mailbox.sent.splice(0)
    const user = await m.users.findByEmail(ann)
    const subscriptions = user?.subscriptions() ?? []
    return {
      open: (gates) =>
        differing(
          Object.fromEntries(
            Object.keys(gates ?? {}).map((gate) => [gate, user?.hasGate(gate as never) ?? false]),
          ),
          gates,
        ),
      status: (status) => differing(subscriptions[0]?.status, status),
      until: (until) => differing(user?.explain('pro' as never).until ?? null, until),
      payments: (payments) =>
        differing(
          user
            ?.payments()
            .map((p) => `${p.amount} ${p.status}`)
            .sort(),
          [...(payments ?? [])].sort(),
        ),
      mails: (kinds) => differing(mails.map(({ kind }) => kind).sort(), [...(kinds ?? [])].sort()),
      mailSays: (words) =>
        missing(
          words,
          mails.some(({ text }) => words?.test(text)),
        ),
      mailSaysNot: (words) =>
        missing(words, !mails.some(({ text, subject }) => words?.test(`${subject} ${text}`))),
    }
  }
  return { receive, look }
}

/** For each part of a sight: null where it is as wanted, else what it is. */
type Seen = { readonly [K in keyof Required<Sight>]: (wanted: Sight[K]) => string | null }

const differing = (seen: unknown, wanted: unknown): string | null =>
  JSON.stringify(seen) === JSON.stringify(wanted)
    ? null
    : `is ${JSON.stringify(seen)}, wanted ${JSON.stringify(wanted)}`

const missing = (words: RegExp | undefined, isThere: boolean): string | null =>
  isThere ? null : `does not hold: ${String(words)}`
