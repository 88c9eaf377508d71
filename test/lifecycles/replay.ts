import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import { createWords } from '../../src/core/words/index.ts'
import { createMembership } from '../../src/index.ts'
import { accountForPage } from '../../src/site/pages/account-words.ts'
import { createMailbox } from '../support/visitor.ts'
import { openEnvelope } from './envelopes.ts'
import type { Lifecycle, Message, Sight, Step } from './lifecycle.ts'

const ann = 'ann@example.com'
const bob = 'bob@example.com'

type Test = Pick<ExecutionContext, 'teardown'>

/** What a replay found. */
export interface Replayed {
  /** What does not hold. */
  readonly wrong: readonly string[]
  /** All that a member, a page and an operator can see after each step, as text. */
  readonly seen: readonly string[]
}

/** Plays a lifecycle's messages, signed and over HTTP, and lists what does not hold. */
export async function replay(t: Test, lifecycle: Lifecycle): Promise<readonly string[]> {
  return (await replayAll(t, lifecycle)).wrong
}

/** The same, with all that can be seen. The clock begins with the first message, or at another moment. */
export async function replayAll(
  t: Test,
  lifecycle: Lifecycle,
  begins = lifecycle.steps[0]?.sends?.[0]?.at,
): Promise<Replayed> {
  const site = await openSite(t, lifecycle, begins)
  const wrong: string[] = []
  const seen: string[] = []
  for (const step of lifecycle.steps) {
    for (const message of step.sends ?? []) {
      const refused = await site.receive(message)
      if (refused !== null) wrong.push(`${message.at} the message is ${refused}`)
    }
    const unread = await site.compare(step)
    if (unread !== null) wrong.push(`${step.at} the comparison is refused: ${unread}`)
    const sight = await site.look(step)
    for (const [name, wanted] of Object.entries(step.sees ?? {})) {
      const found = sight.parts[name as keyof Sight](wanted as never)
      if (found !== null) wrong.push(`${step.at} ${step.happens}: ${name} ${found}`)
    }
    seen.push(sight.all)
  }
  return { wrong, seen }
}

async function openSite(t: Test, { provider, plans }: Lifecycle, begins = '') {
  let at = Date.parse(begins)
  const now = () => new Date(at)
  const envelope = await openEnvelope(t, provider, now)
  const mailbox = createMailbox()
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.url': 'https://site.example',
    'membership.provider.handler': provider,
    'membership.compare.automatic': false,
    [`membership.providers.${provider}`]: { livemode: false, plans, ...envelope.settings },
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
  const voice = createWords({ root: false, defaultLanguage: 'en', site: '' }).voiceFor([])
  // An app gives its purchases the ids of its users.
  const appUser = async (email: string) => m.appUserId(await m.users.create({ email, verified: true }))
  const named = envelope.isStore ? { $ANN: await appUser(ann), $BOB: await appUser(bob) } : {}
  const filled = (value: unknown): unknown =>
    JSON.parse(
      Object.entries(named).reduce((text, [mark, id]) => text.replaceAll(mark, id), JSON.stringify(value)),
    )

  /** Posts a message. Null for one that counts, else what became of it. */
  const receive = async (message: Message): Promise<string | null> => {
    at = Date.parse(message.at)
    envelope.answer((filled(message.answers ?? {}) ?? {}) as Record<string, unknown>)
    const { body, headers } = await envelope.wrap(filled(message.event))
    const answer = await fetch(address, { method: 'POST', body: new Uint8Array(body), headers })
    const text = await answer.text()
    if (envelope.isAsked) {
      // The site asks a few seconds later, and for what the answers name after that.
      for (let round = 0; round < 3; round++) {
        at += 3000
        await m.runDueJobs()
      }
      at = Date.parse(message.at)
    }
    if (answer.status !== 200) return `answered ${answer.status} ${text}`
    const { status = 'processed' } = text.startsWith('{') ? (JSON.parse(text) as { status?: string }) : {}
    return status === 'processed' || status === 'queued' ? null : status
  }

  /** Runs the nightly comparison of a step that has one. Null where it ran, else why it did not. */
  const compare = async (step: Step): Promise<string | null> => {
    at = Date.parse(step.at)
    if (step.answers !== undefined) envelope.answer(filled(step.answers) as Record<string, unknown>)
    if (step.compares === undefined) return null
    return m.operator.compare({ provider, write: true }).then(
      () => null,
      (error: Error) => error.message,
    )
  }

  const look = async (step: Step): Promise<{ readonly parts: Seen; readonly all: string }> => {
    at = Date.parse(step.at)
    for (let round = 0; round < 3; round++) await m.runDueJobs()
    const mails = mailbox.sent.splice(0)
    const user = await m.users.findByEmail(ann)
    const other = await m.users.findByEmail(bob)
    const subscriptions = user?.subscriptions() ?? []
    const page = user === null ? null : accountForPage(await m.viewOf(user), { voice, now: now() })
    const cards = page === null || page.login !== undefined ? [] : [...page.cards, ...page.ended]
    const card = cards.map(({ sentence, pill, next }) => [pill, sentence, next?.text ?? ''].join(' | '))[0]
    const openedFor = (member: typeof user, gates: Sight['open']) =>
      Object.fromEntries(
        Object.keys(gates ?? {}).map((gate) => [gate, member?.hasGate(gate as never) ?? false]),
      )
    const everyGate = Object.fromEntries(Object.keys(plans).map((plan) => [plan, true]))
    const all = JSON.stringify({
      open: openedFor(user, everyGate),
      openForBob: openedFor(other, everyGate),
      subscriptions: subscriptions.map(({ status, quantity, cancel_at, trial_ends_at }) => [
        status,
        quantity,
        cancel_at,
        trial_ends_at,
      ]),
      payments: user?.payments().map((p) => `${p.amount} ${p.status}`),
      mails: mails.map(({ kind, text }) => [kind, text]),
      cards: cards.map(({ sentence, pill, next }) => [pill, sentence, next?.text]),
      why: Object.keys(plans).map((plan) => [
        user?.explain(plan as never).until,
        user?.whyClosed(plan as never)?.code,
      ]),
      acknowledged: envelope.acknowledged,
    })
    const parts: Seen = {
      open: (gates) => differing(openedFor(user, gates), gates),
      openForBob: (gates) => differing(openedFor(other, gates), gates),
      status: (status) => differing(subscriptions[0]?.status, status),
      until: (until) => differing(user?.explain('pro' as never).until ?? null, until),
      ends: (ends) => differing(subscriptions[0]?.cancel_at ?? null, ends),
      quantity: (quantity) => differing(subscriptions[0]?.quantity ?? null, quantity),
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
      page: (words) => (words?.test(card ?? '') ? null : `is "${card}", wanted ${String(words)}`),
      pageNot: (words) => (words?.test(card ?? '') ? `is "${card}"` : null),
      operator: (code) => differing(user?.whyClosed('pro' as never)?.code, code),
      acknowledged: (ids) => differing(envelope.acknowledged, ids),
    }
    return { parts, all }
  }
  return { receive, compare, look }
}

/** For each part of a sight: null where it is as wanted, else what it is. */
type Seen = { readonly [K in keyof Required<Sight>]: (wanted: Sight[K]) => string | null }

function differing(seen: unknown, wanted: unknown): string | null {
  return JSON.stringify(seen) === JSON.stringify(wanted)
    ? null
    : `is ${JSON.stringify(seen)}, wanted ${JSON.stringify(wanted)}`
}

function missing(words: RegExp | undefined, isThere: boolean): string | null {
  return isThere ? null : `does not hold: ${String(words)}`
}
