import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import test from 'ava'
import { MembershipError } from '../../../src/core/errors.ts'
import { createBoundedBuffer } from '../../../src/core/http/bounded-buffer.ts'
import { createInFlight } from '../../../src/core/http/in-flight.ts'
import {
  type BodyLimits,
  createBodyReader,
  isSendersFault,
  type Parsed,
  webhookBodyLimits,
} from '../../../src/core/http/raw-body.ts'

type Request = PassThrough & IncomingMessage
function requestWith(headers: Record<string, string> = {}, more: object = {}): Request {
  return Object.assign(new PassThrough(), { headers, ...more }) as unknown as Request
}
function sent(text: string): Request {
  const request = requestWith()
  request.end(text)
  return request
}
function readerOf(limits: Partial<BodyLimits> = {}) {
  return createBodyReader({ bytes: 10, bytesInFlight: 40, milliseconds: 60_000, ...limits })
}

test('a webhook body is limited to a mebibyte, all together to 32, and each to ten seconds', (t) => {
  t.deepEqual(webhookBodyLimits, { bytes: 1024 ** 2, bytesInFlight: 32 * 1024 ** 2, milliseconds: 10_000 })
})

test('a body is read completely, in any number of pieces, up to the last allowed byte', async (t) => {
  const { read } = readerOf()
  t.is((await read(sent('0123456789'), 'a')).toString(), '0123456789')
  t.is((await read(sent(''), 'a')).length, 0)
  const request = requestWith()
  const reading = read(request, 'a')
  for (const piece of ['01', '234', '56789']) request.write(piece)
  request.end()
  t.is((await reading).toString(), '0123456789')
})

test('a body one byte too long is refused, announced or not, in one piece or many', async (t) => {
  const { read } = readerOf()
  const tooLarge = { code: 'ERR_BODY_TOO_LARGE' }
  await t.throwsAsync(async () => read(sent('0123456789x'), 'a'), tooLarge)
  await t.throwsAsync(async () => read(requestWith({ 'content-length': '11' }), 'a'), tooLarge)
  const request = requestWith()
  const reading = read(request, 'a')
  for (const piece of ['01234', '56789', 'x']) request.write(piece)
  await t.throwsAsync(reading, tooLarge)
  await t.throwsAsync(async () => read(requestWith({}, { rawBody: Buffer.alloc(11) }), 'a'), tooLarge)
  const announced = requestWith({ 'content-length': '10' })
  announced.end('0123456789')
  t.is((await read(announced, 'a')).length, 10)
})

test('a slow or truncated body is refused', async (t) => {
  await t.throwsAsync(async () => readerOf({ milliseconds: 5 }).read(requestWith(), 'a'), {
    code: 'ERR_BODY_SLOW',
  })
  const { read } = readerOf()
  for (const cut of [
    (request: Request) => request.destroy(),
    (request: Request) => request.destroy(new Error('reset')),
  ]) {
    const request = requestWith()
    const reading = read(request, 'a')
    request.write('01')
    cut(request)
    await t.throwsAsync(reading, { code: 'ERR_BODY_UNREADABLE' })
  }
  const code = (error: string) => new MembershipError(error as 'ERR_BUSY', 'x')
  for (const own of ['ERR_BODY_TOO_LARGE', 'ERR_BODY_SLOW', 'ERR_BODY_UNREADABLE'])
    t.true(isSendersFault(code(own)), own)
  for (const ours of ['ERR_BUSY', 'ERR_BODY_CONSUMED']) t.false(isSendersFault(code(ours)), ours)
  t.false(isSendersFault(new Error('x')))
})

test('each refusal says what to do, and what the limit is', async (t) => {
  const refusal = async (reading: () => Promise<unknown>) => (await t.throwsAsync(reading)) as MembershipError
  const large = await refusal(async () => readerOf().read(sent('0123456789x'), 'a'))
  t.is(`${large.message} ${large.action}`, 'The body is larger than 10 bytes. Send at most 10 bytes.')
  const slow = await refusal(async () => readerOf({ milliseconds: 5 }).read(requestWith(), 'a'))
  t.is(slow.message, 'The body did not arrive within 0.005 seconds.')
  t.regex(slow.action!, /faster/)
  const gone = requestWith()
  gone.destroy()
  const read = await refusal(async () => readerOf().read(gone, 'a'))
  t.regex(read.message, /body parser/)
  for (const host of [
    'm.koa()',
    'koaBody({ includeUnparsed: true })',
    'express.json()',
    'Strapi',
    'bodyParser: false',
  ])
    t.true(read.action?.includes(host), host)
  t.is(read.retryAfterSeconds, 60)
})

test('no part of a read, refused or aborted body stays in memory', async (t) => {
  const { read } = readerOf({ bytes: 10, bytesInFlight: 40, milliseconds: 5 })
  // Each holds a quarter of the room while it lasts: of more than one nothing may be left.
  for (let i = 0; i < 9; i++) {
    t.is((await read(sent('0123456789'), 'a')).length, 10)
    await t.throwsAsync(async () => read(sent('0123456789x'), 'a'), { code: 'ERR_BODY_TOO_LARGE' })
    const slow = requestWith()
    slow.write('01234567')
    await t.throwsAsync(async () => read(slow, 'a'), { code: 'ERR_BODY_SLOW' })
    const lost = requestWith()
    const losing = read(lost, 'a')
    lost.write('01234567')
    setImmediate(() => lost.destroy())
    await t.throwsAsync(losing, { code: 'ERR_BODY_UNREADABLE' })
  }
})

test('a body occupies its space until its use ends, however that happens', async (t) => {
  const { read, hold } = readerOf()
  const kept = (bytes: number) => requestWith({}, { rawBody: Buffer.alloc(bytes) })
  const inUse = withResolvers()
  const using = hold(kept(8), 'a', {}, () => inUse.promise)
  await t.throwsAsync(
    async () => read(kept(3), 'a'),
    { code: 'ERR_BUSY' },
    'a quarter of the room is a sender’s',
  )
  t.is((await read(kept(3), 'b')).length, 3)
  t.is((await read(kept(2), 'a')).length, 2)
  inUse.resolve()
  await using
  t.is((await read(kept(10), 'a')).length, 10)
  const failing = async () => hold(kept(8), 'a', {}, () => Promise.reject(new Error('not now')))
  await t.throwsAsync(failing, { message: 'not now' })
  t.is(await hold(kept(10), 'a', {}, async (body) => body.length), 10)
})

function withResolvers() {
  let resolve = (): void => undefined
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

test('a request that finds no space left is told to come back', async (t) => {
  const { hold, read } = readerOf()
  const end = withResolvers()
  const kept = (bytes: number) => requestWith({}, { rawBody: Buffer.alloc(bytes) })
  const all = ['a', 'b', 'c', 'd'].map((sender) => hold(kept(10), sender, {}, () => end.promise))
  const refused = await t.throwsAsync(async () => read(sent('0'), 'e'), { code: 'ERR_BUSY' })
  t.is((refused as MembershipError).retryAfterSeconds, 5)
  end.resolve()
  await Promise.all(all)
  t.is((await read(sent('0'), 'e')).length, 1)
})

test('a parsed body is used if the stream is already consumed', async (t) => {
  const { read } = readerOf()
  const bytes = Buffer.from('kept')
  const taken = async (parsed: Parsed, more: object = {}) =>
    (await read(requestWith({}, more), 'a', parsed)).toString()
  t.is(await taken({ rawBody: bytes }), 'kept')
  t.is(await taken({ rawBody: new Uint8Array(bytes) }), 'kept')
  t.is(await taken({ rawBody: 'kept' }), 'kept')
  t.is(await taken({ body: 'kept' }), 'kept')
  t.is(await taken({}, { rawBody: 'kept' }), 'kept')
  t.is(await taken({}, { body: bytes }), 'kept')
  t.is(await taken({ body: { [Symbol.for('unparsedBody')]: 'kept' } }), 'kept', 'as koa-body keeps it')
  t.is(await taken({ body: 'parsed', rawBody: 'kept' }, { rawBody: 'other' }), 'kept')
})

test('a consumed body that the parser did not keep gets its own error', async (t) => {
  const { read } = readerOf()
  const gone = { code: 'ERR_BODY_CONSUMED' }
  for (const parsed of [{ body: { parsed: true } }, { body: null }, { body: '' }, {}]) {
    const begun = requestWith()
    begun.write('01')
    begun.read()
    await t.throwsAsync(async () => read(begun, 'a', parsed), gone)
    const ended = sent('')
    ended.resume()
    await new Promise((done) => ended.once('end', done))
    await t.throwsAsync(async () => read(ended, 'a', parsed), gone)
  }
  const destroyed = requestWith()
  destroyed.destroy()
  await t.throwsAsync(async () => read(destroyed, 'a'), gone)
})

/** Whose bodies had to go, in order. */
function crowd(limits: { bytesPerSender: number; bytes: number }) {
  const inFlight = createInFlight(limits)
  const gone: string[] = []
  const begin = (sender: string, name = sender) => {
    const body = inFlight.begin(sender, () => {
      gone.push(name)
      inFlight.end(body)
    })
    return body
  }
  return { ...inFlight, begin, gone }
}

test('the sender’s largest body is dropped when its share is used up, and nobody else’s', (t) => {
  const { begin, grow, gone } = crowd({ bytesPerSender: 10, bytes: 100 })
  const [small, large, other] = [begin('a', 'small'), begin('a', 'large'), begin('b')]
  grow(other, 10)
  grow(small, 4)
  grow(large, 6)
  t.deepEqual(gone, [])
  grow(small, 1)
  t.deepEqual(gone, ['large'])
  grow(small, 5)
  t.deepEqual(gone, ['large'], 'what went takes no room')
})

test('when all space is used, the sender with the most gives way', (t) => {
  const { begin, grow, gone } = crowd({ bytesPerSender: 100, bytes: 100 })
  const [most, least] = [begin('most'), begin('least')]
  grow(most, 80)
  grow(least, 20)
  t.deepEqual(gone, [])
  grow(least, 1)
  t.deepEqual(gone, ['most'])
})

test('bodies in use are not dropped; the next request is refused instead', (t) => {
  const { begin, grow, keep, end, gone } = crowd({ bytesPerSender: 50, bytes: 100 })
  const used = begin('a', 'used')
  grow(used, 50)
  keep(used)
  const arriving = begin('a', 'arriving')
  grow(arriving, 1)
  t.deepEqual(gone, ['arriving'])
  const [b, c] = [begin('b'), begin('c')]
  grow(b, 30)
  grow(c, 21)
  t.deepEqual(gone, ['arriving', 'b'])
  end(used)
  end(used)
  grow(c, 29)
  t.deepEqual(gone, ['arriving', 'b'], 'what ended twice is given back once')
  grow(begin('d'), 50)
  grow(begin('e'), 1)
  t.deepEqual(gone, ['arriving', 'b', 'c'])
})

test('pieces are joined in order, with at most twice their bytes in memory', (t) => {
  const pile = createBoundedBuffer()
  t.is(pile.length(), 0)
  t.is(pile.bytes().length, 0)
  const buffer = Buffer.from('one')
  pile.add(buffer)
  t.is(pile.bytes().buffer, buffer.buffer, 'a single piece is handed on as it is')
  const pieces = Array.from({ length: 3000 }, (_, i) => Buffer.from(` ${i}`))
  for (const piece of pieces) pile.add(piece)
  const whole = Buffer.concat([buffer, ...pieces])
  t.is(pile.length(), whole.length)
  t.true(pile.bytes().equals(whole))
  t.true(pile.bytes().buffer.byteLength <= Math.max(4096, 2 * whole.length))
  t.is(buffer.toString(), 'one')
})
