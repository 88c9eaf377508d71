import assert from 'node:assert/strict'
import type { z } from 'zod'
import { customerMessageSchema, subscriptionSchema } from '../core/dto/index.ts'
import { isMembershipError } from '../core/errors.ts'
import { isPing, namedBy, normalChanges } from '../memberships/verification/index.ts'
import { bareProvider } from '../providers/bare.ts'
import type { Change, Delivery, ProviderDefinition } from '../providers/contract.ts'

/** One check with its title. It throws, or its promise rejects, if the provider fails it. */
export interface ContractCheck {
  readonly title: string
  run(): void | Promise<void>
}

/**
 * Returns what every provider must do, as checks for any test runner. `events` are whole payloads that the
 * provider should understand; a string is sent unchanged. The checks depend on what a delivery proves. Signed
 * bodies get all checks. With credentials alone, a changed body may verify. A ping only names objects, and
 * `fetch` must answer the rest. A provider with both gets both. Without `sign`, checks that need a signature
 * are left out. `for (const { title, run } of providerContract(acme, { events })) test(title, run)`
 */
export function providerContract(
  definition: ProviderDefinition,
  given: { events: readonly unknown[]; options?: unknown },
): ContractCheck[] {
  const provider = bareProvider(definition, given.options)
  const secret = 'a secret of the provider contract'
  const now = new Date('2026-01-01T00:00:00Z')
  const secrets = [{ label: 'main', secret }]
  const bodies = given.events.map(toBody)
  const deliver = (body: Buffer, signedWith = secret): Delivery => ({
    body,
    headers: provider.sign ? lower(provider.sign(body, signedWith, now)) : {},
  })
  const unsigned = (body: Buffer): Delivery => ({ body, headers: {} })
  const isPinged = isPing(provider, unsigned(Buffer.alloc(0)))
  const isSigned = provider.sign !== undefined && bodies.some((body) => !isPing(provider, deliver(body)))
  const verify = async (delivery: Delivery, known = secrets) => provider.verify(delivery, known, now)
  const refused = (delivery: Delivery, why: string, known = secrets) =>
    assert.rejects(verify(delivery, known), (error: unknown) => {
      assert.ok(isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE'), why)
      assert.ok(!JSON.stringify([error.message, error.action]).includes(secret), 'the secret is in the error')
      return true
    })
  const changesOf = (body: Buffer): readonly Change[] =>
    provider.read(deliver(body)).flatMap((event) => provider.changes(event))

  const withoutSecret: ContractCheck = {
    title: 'without a secret nothing verifies',
    run: () => refused(deliver(bodies[0]!), 'no secret', []),
  }
  const ofSignatures: ContractCheck[] = [
    {
      title: 'its own deliveries verify, and name the secret that matched',
      run: async () => {
        for (const body of bodies) assert.equal(await verify(deliver(body)), 'main')
      },
    },
    {
      title: 'a second secret verifies while the first is being replaced',
      run: async () => {
        const both = [
          { label: 'new', secret: 'another' },
          { label: 'old', secret },
        ]
        assert.equal(await verify(deliver(bodies[0]!), both), 'old')
      },
    },
    {
      title: 'another’s secret does not verify',
      run: () => refused(deliver(bodies[0]!, 'another'), 'wrong secret'),
    },
  ]
  const ofSignedBodies: ContractCheck[] = [
    {
      title: 'a changed body does not verify',
      run: () => {
        const body = Buffer.concat([bodies[0]!, Buffer.from(' ')])
        return refused({ ...deliver(bodies[0]!), body }, 'changed body')
      },
    },
  ]
  const ofSecrets: ContractCheck[] = [
    {
      title: 'a delivery without headers does not verify',
      run: () => refused(unsigned(bodies[0]!), 'no header'),
    },
  ]
  const ofPings: ContractCheck[] = [
    {
      title: 'its pings name objects, and say nothing else',
      run: () => {
        for (const body of bodies) {
          assert.ok(namedBy(provider, unsigned(body)).length > 0, 'an example ping names nothing')
          for (const { type } of changesOf(body)) assert.equal(type, 'touch', 'anybody could have said that')
        }
      },
    },
    {
      title: 'what a ping names can be asked for',
      run: () => assert.ok(provider.fetch, 'fetch is missing; it may need the options of this check'),
    },
    {
      title: 'an empty body is no ping',
      run: () => assert.throws(() => namedBy(provider, unsigned(Buffer.alloc(0))), isUnreadable),
    },
  ]

  return [
    ...(isPinged && !isSigned ? [] : [withoutSecret]),
    ...(isPinged ? ofPings : ofSecrets),
    ...(isSigned ? ofSignatures : []),
    ...(isSigned && provider.trust !== 'credentials' ? ofSignedBodies : []),
    {
      title: 'moments may be written in any width and offset',
      run: () => {
        // A provider inside this process writes its own events, in one way only.
        for (const event of definition.inProcess ? [] : given.events)
          for (const write of widths) {
            const body = toBody(rewritten(event, write))
            const normal = (item: Buffer) => normalChanges(changesOf(item), false)
            assert.deepEqual(normal(body), normal(toBody(rewritten(event, toWholeSeconds))))
          }
      },
    },
    {
      title: 'its events are understood and become sound data',
      run: () => {
        for (const [i, body] of bodies.entries()) {
          const changes = changesOf(body)
          assert.ok(changes.length > 0, `event ${i + 1} says nothing: ${body.toString().slice(0, 200)}`)
          for (const change of normalChanges(changes, false)) assertSound(definition.key, change, i + 1)
        }
      },
    },
    {
      title: 'money of a subscription that is not named yet is not taken for something bought once',
      run: () => {
        for (const event of given.events)
          for (const { id, named } of subscriptionMoney(changesOf(toBody(event))))
            for (const change of readTolerantly(toBody(without(event, named))))
              if (change.type === 'money' && change.id === id)
                assert.notEqual(
                  change.data.purpose,
                  'one_time',
                  `${change.kind} ${id} would open its price for ever`,
                )
      },
    },
    {
      title: 'the same event always says the same',
      run: () => {
        for (const body of bodies) assert.deepEqual(changesOf(body), changesOf(body))
      },
    },
    {
      title: 'pieces of an event may be missing or wrong',
      run: () => {
        for (const event of given.events)
          for (const body of damaged(event))
            assert.doesNotThrow(() => readTolerantly(body), `threw for ${body.toString().slice(0, 200)}`)
      },
    },
    {
      title: 'a message of an unknown kind, with anything in it, says nothing',
      run: () => {
        for (const body of bodies)
          for (const event of provider.read(deliver(body)))
            for (const object of [
              null,
              undefined,
              true,
              7,
              '',
              'text',
              [],
              [null],
              {},
              { data: null },
              { data: { object: [] } },
            ])
              assert.deepEqual([...provider.changes({ ...event, type: 'nobody.knows', object })], [])
      },
    },
    {
      title: 'reading an event leaves it as it was',
      run: () => {
        for (const body of bodies)
          for (const event of provider.read(deliver(body))) {
            const before = structuredClone(event)
            provider.changes(event)
            assert.deepEqual(event, before, 'changes() changed its event')
          }
      },
    },
    {
      title: 'what is no event cannot be read',
      run: () => assert.throws(() => provider.read(deliver(Buffer.from('{"half":'))), isUnreadable),
    },
  ]

  // An unreadable event is a valid outcome; any other error is not.
  function readTolerantly(body: Buffer): readonly Change[] {
    try {
      return changesOf(body)
    } catch (error) {
      if (isMembershipError(error, 'ERR_BODY_UNREADABLE')) return []
      throw error
    }
  }
}

/** @throws AssertionError that names the event and the field */
function assertSound(key: string, change: Change, n: number): void {
  const stamp = { provider: key, account: '', updated_at: '2026-01-01T00:00:00.000Z' }
  const where = `event ${n}, ${change.type} ${'id' in change ? change.id : ''}`
  const assertFits = (schema: z.ZodType): void => {
    const { error } = schema.safeParse({ ...('data' in change ? change.data : {}), ...stamp })
    const mistakes = error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []
    assert.equal(mistakes.length, 0, `${where}: ${mistakes.join('; ')}`)
  }
  if (change.type === 'subscription') assertFits(subscriptionSchema)
  if (change.type === 'customer') assertFits(customerMessageSchema)
  if (change.type === 'money') {
    assert.ok(
      Number.isInteger(change.data.amount ?? 0),
      `${where}: amount: not a whole number of minor units`,
    )
    assert.equal(typeof change.data.id, 'string', `${where}: id: not a text`)
  }
}

/** Returns the money in these changes that belongs to a subscription. */
function subscriptionMoney(changes: readonly Change[]): { id: string; named: string }[] {
  return changes.flatMap((change) => {
    const named = change.type === 'money' ? change.data.subscription_id : null
    return change.type === 'money' && named ? [{ id: change.id, named }] : []
  })
}

/** Returns the event without a text, wherever it occurs. */
function without(event: unknown, text: string): unknown {
  return JSON.parse(JSON.stringify(event, (_, value) => (value === text ? null : value)))
}

function isUnreadable(error: unknown): boolean {
  return isMembershipError(error, 'ERR_BODY_UNREADABLE')
}

function lower(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Yields copies of the event, each with one part removed or replaced by a value of another type. */
export const damaged = function* (event: unknown): Generator<Buffer> {
  for (const path of paths(event, []))
    for (const put of [undefined, null, '', 7, [], {}]) {
      const copy = structuredClone(event)
      let parent = copy as Record<string, unknown>
      for (const key of path.slice(0, -1)) parent = parent[key] as Record<string, unknown>
      parent[path.at(-1)!] = put
      yield Buffer.from(JSON.stringify(copy))
    }
}

const paths = function* (value: unknown, at: string[]): Generator<string[]> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    yield [...at, key]
    yield* paths(inner, [...at, key])
  }
}

/** Encodes a payload as it is sent; a string stays unchanged. */
export function toBody(event: unknown): Buffer {
  return Buffer.from(typeof event === 'string' ? event : JSON.stringify(event))
}

/** Returns the event with every moment rewritten by `write`. */
export function rewritten(event: unknown, write: (moment: Date) => string): unknown {
  return typeof event === 'string'
    ? event
    : JSON.parse(JSON.stringify(event), (_, value) =>
        typeof value === 'string' && isMoment.test(value) && !Number.isNaN(Date.parse(value))
          ? write(new Date(value))
          : value,
      )
}
const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** Form in which the others are compared. */
export function toWholeSeconds(moment: Date): string {
  return `${moment.toISOString().slice(0, 19)}.000Z`
}
/** Ways in which providers write the same second. */
export const widths: readonly ((moment: Date) => string)[] = [
  (moment) => `${moment.toISOString().slice(0, 19)}Z`,
  (moment) => `${moment.toISOString().slice(0, 19)}.0Z`,
  (moment) => `${moment.toISOString().slice(0, 19)}.000000000Z`,
  (moment) => `${moment.toISOString().slice(0, 19)}+00:00`,
  (moment) => `${new Date(moment.getTime() + 7_200_000).toISOString().slice(0, 19)}.000+02:00`,
]
