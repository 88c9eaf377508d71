import type { IncomingMessage } from 'node:http'
import { MembershipError } from '../errors.ts'

export interface BodyLimits {
  /** Of one body. */
  readonly bytes: number
  /** Of all bodies that are being received together. */
  readonly bytesInFlight: number
  readonly milliseconds: number
}

/** What a webhook body may be: providers send kilobytes. */
export const webhookBodyLimits: BodyLimits = {
  bytes: 1_048_576,
  bytesInFlight: 33_554_432,
  milliseconds: 10_000,
}

/** What a framework's parser left on its own request object. */
export interface Parsed {
  readonly body?: unknown
  readonly rawBody?: unknown
}

/** Reads raw bodies within limits that all requests of one instance share. */
export const createBodyReader = (limits: BodyLimits) => {
  let inFlight = 0

  /** @throws ERR_BODY_CONSUMED, ERR_BODY_TOO_LARGE, ERR_BODY_SLOW, ERR_BUSY */
  const read = async (request: IncomingMessage, parsed: Parsed = {}): Promise<Buffer> => {
    const kept = keptBytes(request, parsed)
    if (kept) {
      if (kept.length > limits.bytes) throw tooLarge(limits.bytes)
      return kept
    }
    if (isConsumed(request)) throw consumed()
    const declared = Number(request.headers['content-length'] ?? 0)
    if (declared > limits.bytes) return refuse(request, tooLarge(limits.bytes))
    return collect(request, declared)
  }

  const collect = (request: IncomingMessage, declared: number): Promise<Buffer> =>
    new Promise((done, failed) => {
      const chunks: Buffer[] = []
      let received = 0
      let reserved = declared
      inFlight += reserved
      const finish = (outcome: () => void) => {
        clearTimeout(timer)
        inFlight -= reserved
        request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
        outcome()
      }
      const stop = (error: MembershipError) =>
        finish(() => {
          refuse(request, error).catch(failed)
        })
      const onData = (chunk: Buffer) => {
        received += chunk.length
        if (received > reserved) {
          inFlight += received - reserved
          reserved = received
        }
        if (received > limits.bytes) return stop(tooLarge(limits.bytes))
        if (inFlight > limits.bytesInFlight) return stop(busy())
        chunks.push(chunk)
      }
      const onEnd = () =>
        finish(() => done(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, received)))
      const onError = () => finish(() => failed(cutShort()))
      const onClose = () => finish(() => failed(cutShort()))
      const timer = setTimeout(() => stop(slow(limits.milliseconds)), limits.milliseconds)
      if (inFlight > limits.bytesInFlight) return stop(busy())
      request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
    })

  return { read }
}

// What a refused caller still sends is thrown away for a while, so that the answer reaches it; then the line is cut.
const refuse = async (request: IncomingMessage, error: MembershipError): Promise<never> => {
  request.on('error', () => undefined)
  request.resume()
  setTimeout(() => request.destroyed || request.readableEnded || request.destroy(), drainMs).unref()
  throw error
}
const drainMs = 2000

/** The bytes that a parser mounted earlier has kept: `rawBody`, koa-body's unparsed symbol, or a Buffer as body. */
const keptBytes = (request: IncomingMessage, parsed: Parsed): Buffer | null => {
  const host = request as IncomingMessage & Parsed
  const body = parsed.body ?? host.body
  const candidates = [parsed.rawBody, host.rawBody, unparsedOf(body), body]
  for (const candidate of candidates) {
    if (Buffer.isBuffer(candidate)) return candidate
    if (candidate instanceof Uint8Array) return Buffer.from(candidate)
    if (typeof candidate === 'string' && candidate !== '') return Buffer.from(candidate)
  }
  return null
}

const unparsedOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null
    ? (body as Record<symbol, unknown>)[Symbol.for('unparsedBody')]
    : undefined

const isConsumed = (request: IncomingMessage): boolean =>
  request.readableEnded ||
  (request as { readableDidRead?: boolean }).readableDidRead === true ||
  request.destroyed

const consumed = () =>
  new MembershipError(
    'ERR_BODY_CONSUMED',
    'A body parser read this request before the signature could be verified.',
    {
      action:
        'Mount the webhook routes before the parser (Koa: app.use(m.koa()) above app.use(koaBody()); Express: app.use(m.listener()) above express.json()), or keep the raw bytes. ' +
        'Koa: koaBody({ includeUnparsed: true }). Express: express.json({ verify: (req, _res, buf) => { req.rawBody = buf } }). ' +
        'Strapi: { name: "strapi::body", config: { includeUnparsed: true } }. Next: export const config = { api: { bodyParser: false } }.',
      retryAfterSeconds: 60,
    },
  )
const tooLarge = (bytes: number) =>
  new MembershipError('ERR_BODY_TOO_LARGE', `The body is larger than ${bytes} bytes.`, {
    action: `Send at most ${bytes} bytes.`,
  })
const busy = () =>
  new MembershipError('ERR_BUSY', 'Too much is being received at once.', {
    retryAfterSeconds: 5,
    action: 'Send it again shortly.',
  })
const slow = (ms: number) =>
  new MembershipError('ERR_BODY_SLOW', `The body did not arrive within ${ms / 1000} seconds.`, {
    action: 'Send it again, over a faster connection.',
  })
const cutShort = () =>
  new MembershipError('ERR_BODY_UNREADABLE', 'The connection ended before the body did.', {
    action: 'Send it again, whole.',
  })
