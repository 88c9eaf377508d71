import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Plan } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { FakeServer } from '../../fakes/engine/index.ts'
import { bareProvider } from '../../providers/bare.ts'
import type { Provider, ProviderDefinition, TestMode } from '../../providers/contract.ts'
import { isObject, type Json } from '../../providers/narrow.ts'
import { createFakeServer } from '../fake-servers.ts'
import { differencesOf, idsIn, messageDifferences } from './compare.ts'
import { buyerName, live, type Outcome, type Step } from './life.ts'
import { type Arrived, type Exchange, openInbox, openRelay, openReplay, scrubbed } from './traffic.ts'

export type { Outcome, Step } from './life.ts'
export type { Exchange } from './traffic.ts'

/** A run against a provider's test mode. */
export interface CertifyRequest {
  readonly definition: ProviderDefinition
  /** The provider's options below `membership.providers.{key}`, with the API key. */
  readonly options: Readonly<Record<string, unknown>>
  /** Ids of two recurring prices, the second more expensive, and of a one-time price. */
  readonly prices: { readonly month: string; readonly team: string; readonly once?: string | null }
  readonly email: string
  /** Another address of the API, such as that of a fake server. */
  readonly base?: string
  /** Receives webhook deliveries: the local port to which a tunnel leads, and the signing secret. */
  readonly webhook?: {
    readonly port: number
    readonly secret: string
    /** Called with the local address when the port accepts deliveries. */
    readonly opened?: (url: string) => void
  }
  /** Lets the buyer pay on this page: a person at the keyboard, or a test. */
  readonly pay: (url: string, what: string) => Promise<void>
  /** Makes the service send pending events; not needed for a real service. */
  readonly deliver?: () => Promise<void>
  readonly now?: () => Date
  readonly onStep?: (row: CertifiedStep) => void
}

/** One row of the table. */
export interface CertifiedStep {
  readonly step: string
  readonly result: 'same' | 'different' | 'not possible here'
  /** The differences, or the reason why the step is not possible. */
  readonly notes: readonly string[]
}

/** The result of a run. */
export interface Certified {
  readonly provider: string
  /** ISO 8601 UTC. */
  readonly at: string
  readonly apiVersion: string
  readonly isSame: boolean
  readonly steps: readonly CertifiedStep[]
  readonly cassette: Cassette
}

/** Recorded traffic without secrets and personal data, which a test can replay. */
export interface Cassette {
  readonly provider: string
  readonly recorded_at: string
  readonly api_version: string
  readonly prices: { readonly month: string; readonly team: string; readonly once: string | null }
  readonly steps: readonly {
    readonly feature: Step['feature']
    readonly outcome: Outcome | null
    readonly exchanges: readonly Exchange[]
  }[]
  readonly messages: readonly { readonly type: string; readonly body: unknown }[]
}

/**
 * Plays the whole life of a subscription with the keys of a test account, then with the provider's fake
 * server, and compares the answers. Test mode is proved before anything is written.
 * @throws ERR_CONFIG when test mode cannot be proved, ERR_PROVIDER_UNSUPPORTED for a provider without one
 */
export async function certify(request: CertifyRequest): Promise<Certified> {
  const { definition, onStep = () => {} } = request
  const mode = definition.testMode
  if (mode === undefined || definition.fake === undefined)
    throw new MembershipError(
      'ERR_PROVIDER_UNSUPPORTED',
      `"${definition.key}" has no test mode that is known here.`,
      {
        action: 'Name one of the package’s own providers.',
      },
    )
  const base =
    request.base ?? mode.base(typeof request.options.site === 'string' ? request.options.site : null)
  await proveTestMode(definition, mode, { base, options: request.options })
  const service = await openSide(request, mode, base)
  const fake = await openFakeSide(request, mode, service)
  const rows: CertifiedStep[] = []
  const tell = (row: CertifiedStep) => {
    rows.push(row)
    onStep(row)
  }
  try {
    const [real, expected] = [await service.play(), await fake.play()]
    const ids = idsIn([real.steps, expected.steps].flat().map(({ exchanges }) => exchanges))
    for (const step of real.steps) {
      const other = expected.steps.find(({ feature }) => feature === step.feature)
      tell(compared(step, other, ids))
    }
    if (real.messages.length > 0) for (const row of messageRows(real.messages, expected.messages)) tell(row)
    const at = (request.now ?? (() => new Date()))().toISOString()
    const apiVersion = service.version() ?? versionIn(real.steps)
    return {
      provider: definition.key,
      at,
      apiVersion,
      steps: rows,
      isSame: rows.every(({ result }) => result !== 'different'),
      cassette: scrubbed(
        {
          provider: definition.key,
          recorded_at: at,
          api_version: apiVersion,
          prices: { ...request.prices, once: request.prices.once ?? null },
          ...real,
        },
        textsOf(request),
      ) as Cassette,
    }
  } finally {
    await fake.close()
    await service.close()
  }
}

/**
 * Replays a cassette: the adapter gets every recorded answer, and must read the same from it. Returns the
 * steps whose outcome differs now.
 */
export async function replay(
  definition: ProviderDefinition,
  cassette: Cassette,
): Promise<{ readonly step: string; readonly recorded: Outcome | null; readonly now: Outcome | null }[]> {
  const server = await openReplay(cassette.steps.flatMap(({ exchanges }) => exchanges))
  const path = definition.testMode?.path ?? ''
  try {
    const played: Step[] = []
    const recordedAt = new Date(cassette.recorded_at)
    await live(
      {
        provider: made(
          definition,
          { ...replayOptions, api_base: `${server.url}${path}` },
          cassette.prices,
          recordedAt,
        ),
        lacks: definition.lacks ?? {},
        prices: cassette.prices,
        email: 'buyer@example.com',
        run: 'replayed',
        pay: async () => {},
        settle: async () => {},
        now: () => recordedAt,
      },
      (step) => played.push(step),
    )
    return cassette.steps.flatMap(({ feature, outcome: recorded }) => {
      const now = played.find((step) => step.feature === feature)?.outcome ?? null
      return isDeepStrictEqual(plain(now), plain(recorded)) ? [] : [{ step: feature, recorded, now }]
    })
  } finally {
    await server.close()
  }
}

/** Texts that a cassette must not contain anywhere. */
function textsOf({ email, options, webhook }: CertifyRequest): string[] {
  return [
    email,
    encodeURIComponent(email),
    buyerName,
    webhook?.secret,
    ...Object.entries(options).flatMap(([name, text]) => (name === 'site' ? [] : [text])),
  ].filter((text): text is string => typeof text === 'string' && text.length > 5)
}

const replayOptions = {
  secret: 'test_of_a_replay',
  client_id: 'of_a_replay',
  client_token: 'test_of_a_replay',
}

/**
 * Proves test mode by requests that change nothing.
 * @throws ERR_CONFIG when it cannot be proved
 */
async function proveTestMode(
  { key, secrets }: ProviderDefinition,
  { proof, base: usual }: TestMode,
  { base, options }: { readonly base: string; readonly options: CertifyRequest['options'] },
): Promise<void> {
  const secret = typeof options.secret === 'string' ? options.secret : ''
  const isLive = secrets?.livemode?.(secret) ?? null
  const host = new URL(base)
  const site = typeof options.site === 'string' ? options.site : null
  // A fake server or a replay runs there.
  const isLoopback = host.hostname === '127.0.0.1' || host.hostname === 'localhost'
  if (isLive === true) throw unproved(key, 'the API key is one of live mode')
  if (proof === 'key') {
    if (isLive !== false) throw unproved(key, 'the API key does not say that it is one of test mode')
  } else if (proof === 'host') {
    if (!isLoopback && host.host !== new URL(usual(site)).host)
      throw unproved(key, `${host.host} is not the address of its test mode`)
  } else {
    const answer = await fetch(new URL(proof.path, base), { headers: proof.headers(secret) })
    const body: unknown = await answer.json().catch(() => null)
    if (answer.status !== 200 || !isObject(body) || !proof.isTest(body as Json))
      throw unproved(
        key,
        `${proof.path} answers ${answer.status}, and does not say that the key is one of test mode`,
      )
  }
}

function unproved(key: string, reason: string): MembershipError {
  return new MembershipError(
    'ERR_CONFIG',
    `Test mode of ${key} is not proved: ${reason}. Nothing was written.`,
    {
      action: 'Use the keys of a test account.',
    },
  )
}

interface Played {
  readonly steps: readonly (Step & { readonly exchanges: readonly Exchange[] })[]
  readonly messages: readonly { readonly type: string; readonly body: unknown }[]
}

interface Side {
  play(): Promise<Played>
  version(): string | null
  readonly provider: Provider
  close(): Promise<void>
}

async function openSide(request: CertifyRequest, { path = '' }: TestMode, base: string): Promise<Side> {
  const { definition, options, webhook, email } = request
  const relay = await openRelay(base)
  const inbox = webhook === undefined ? null : await openInbox(webhook.port)
  if (inbox !== null) webhook?.opened?.(inbox.url)
  const now = request.now ?? (() => new Date())
  const prices = { ...request.prices, once: request.prices.once ?? null }
  const provider = made(definition, { ...options, api_base: `${relay.url}${path}` }, prices, now())
  return {
    provider,
    version: relay.version,
    play: async () => {
      const steps: Played['steps'][number][] = []
      await live(
        {
          provider,
          lacks: definition.lacks ?? {},
          prices,
          email,
          now,
          pay: request.pay,
          run: now().getTime().toString(36),
          settle: async () => {
            await request.deliver?.()
            await sleep(request.deliver === undefined ? 2000 : 5)
          },
        },
        (step) => steps.push({ ...step, exchanges: relay.take() }),
      )
      const messages = await readMessages(provider, inbox?.arrived ?? [], webhook?.secret ?? '', now())
      return { steps, messages }
    },
    close: async () => {
      await inbox?.close()
      await relay.close()
    },
  }
}

/** Opens the provider's fake server, with the same prices. */
async function openFakeSide(request: CertifyRequest, mode: TestMode, service: Side): Promise<Side> {
  const { definition, webhook } = request
  const inbox = webhook === undefined ? null : await openInbox()
  const fake: FakeServer = await createFakeServer(definition, { running: true })
  await addPrices(fake, request.prices, service.provider)
  if (inbox !== null) fake.sendTo({ url: inbox.url, secret: webhook!.secret })
  const own = await openSide(
    {
      ...request,
      options: { ...request.options, ...keysOf(fake) },
      webhook: undefined,
      pay: async (url) => {
        await payAt(fake, url, request.email)
      },
      deliver: async () => {
        await fake.deliver()
      },
      now: () => fake.now(),
    },
    mode,
    fake.url,
  )
  return {
    ...own,
    play: async () => {
      const played = await own.play()
      return {
        ...played,
        messages: await readMessages(own.provider, inbox?.arrived ?? [], webhook?.secret ?? '', fake.now()),
      }
    },
    close: async () => {
      await own.close()
      await inbox?.close()
      await fake.close()
    },
  }
}

function keysOf(fake: FakeServer): Record<string, unknown> {
  return {
    secret: fake.secret,
    ...('clientId' in fake ? { client_id: fake.clientId } : {}),
  }
}

/** Pays on a page of the fake, or approves a change there. */
export async function payAt(fake: FakeServer, url: string, email: string): Promise<void> {
  const token = URL.canParse(url) ? new URL(url).searchParams.get('ba_token') : null
  if (token !== null && url.includes('/subscriptions/update') && 'agree' in fake) {
    const [{ id } = { id: '' }] = fake.books.list('subscription')
    return (fake.agree as (id: string) => Promise<void>)(id)
  }
  await fake.pay(token?.startsWith('BA-') ? token.slice('BA-'.length) : url, { email })
}

/** Adds the account's prices to the fake. */
async function addPrices(
  fake: FakeServer,
  prices: CertifyRequest['prices'],
  provider: Provider,
): Promise<void> {
  const known = (await provider.prices?.()) ?? []
  const add = (id: string, usual: number, isOnce: boolean): void => {
    const found = known.find((price) => price.id === id)
    const interval = found?.interval ?? 'month'
    fake.addPrice({
      id,
      product: 'PROD-CERTIFY',
      unit_amount: found?.amount ?? usual,
      currency: (found?.currency ?? 'EUR').toLowerCase(),
      ...(isOnce ? {} : { recurring: { interval, interval_count: found?.interval_count ?? 1 } }),
    } as Parameters<FakeServer['addPrice']>[0])
  }
  add(prices.month, 900, false)
  add(prices.team, 2500, false)
  if (prices.once) add(prices.once, 1900, true)
}

/**
 * Builds the adapter with a plan for each price. A provider without its own prices uses those of the plans.
 */
function made(
  definition: ProviderDefinition,
  options: Readonly<Record<string, unknown>>,
  prices: Cassette['prices'],
  _at: Date,
): Provider {
  const known = Object.keys((definition.options as { shape?: Record<string, unknown> }).shape ?? {})
  const taken = Object.fromEntries(Object.entries(options).filter(([name]) => known.includes(name)))
  const planOf = (id: string, price: string, amount: number, isOnce: boolean): Plan =>
    ({
      id,
      name: id,
      group: 'certify',
      description: null,
      lines: [],
      features: [],
      words: {},
      quantity: { min: 1, max: 10 },
      prices: [
        {
          id: price,
          plan: id,
          provider: definition.key,
          currency: 'EUR',
          amount,
          label: null,
          retired: false,
          type: isOnce ? 'one_time' : 'recurring',
          trial_days: null,
          trial_amount: null,
          interval: isOnce ? null : 'month',
          interval_count: isOnce ? null : 1,
        },
      ],
    }) as unknown as Plan
  const plans = [
    planOf('month', prices.month, 900, false),
    planOf('team', prices.team, 2500, false),
    ...(prices.once === null ? [] : [planOf('once', prices.once, 1900, true)]),
  ]
  return bareProvider(definition, taken, { plans: () => plans })
}

async function readMessages(
  provider: Provider,
  arrived: readonly Arrived[],
  secret: string,
  now: Date,
): Promise<Played['messages']> {
  const messages: { type: string; body: unknown }[] = []
  for (const { body, headers } of arrived) {
    const isProved = await Promise.resolve()
      .then(() => provider.verify({ body, headers }, [{ label: '', secret }], now))
      .then(
        () => true,
        () => false,
      )
    if (!isProved) messages.push({ type: 'a delivery that does not verify', body: null })
    else
      for (const event of provider.read({ body, headers }))
        messages.push({ type: event.type, body: isObject(event.object) ? event.object : null })
  }
  return messages
}

function compared(
  step: Played['steps'][number],
  fake: Played['steps'][number] | undefined,
  ids: ReadonlySet<string>,
): CertifiedStep {
  if (step.outcome === null)
    return { step: step.feature, result: 'not possible here', notes: [step.why ?? ''] }
  const notes = [
    ...outcomeNotes(step.outcome, fake?.outcome ?? null),
    ...differencesOf(step.exchanges, fake?.exchanges ?? [], ids),
  ]
  return { step: step.feature, result: notes.length === 0 ? 'same' : 'different', notes }
}

function outcomeNotes(service: Outcome, fake: Outcome | null): string[] {
  const names = new Set([...Object.keys(service), ...Object.keys(fake ?? {})])
  return [...names].flatMap((name) =>
    isDeepStrictEqual(plain(service[name]), plain(fake?.[name]))
      ? []
      : [`${name} is ${shown(service[name])}, with the fake ${shown(fake?.[name])}`],
  )
}

function messageRows(service: Played['messages'], fake: Played['messages']): CertifiedStep[] {
  const types = new Set([...service, ...fake].map(({ type }) => type))
  return [...types].sort().map((type) => {
    const [came, expected] = [service.findLast((m) => m.type === type), fake.findLast((m) => m.type === type)]
    const notes =
      came === undefined
        ? ['it did not come, and the fake sends it']
        : expected === undefined
          ? ['it came, and the fake does not send it']
          : messageDifferences(type, came.body, expected.body)
    return { step: `message ${type}`, result: notes.length === 0 ? 'same' : 'different', notes }
  })
}

function shown(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value)
}
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}

function versionIn(steps: Played['steps']): string {
  return (
    steps
      .flatMap(({ exchanges }) => exchanges.map(({ path }) => /\/(v\d+)\//.exec(`${path}/`)?.[1]))
      .find(Boolean) ?? 'no version'
  )
}
