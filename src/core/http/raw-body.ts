import type { IncomingMessage } from 'node:http'
import { isMembershipError, MembershipError } from '../errors.ts'
import { createBoundedBuffer } from './bounded-buffer.ts'
import { type Arriving, createInFlight } from './in-flight.ts'

/** Limits of a body: its size, the size of all together, and the time. */
export interface BodyLimits {
  /** The largest size of one body. */
  readonly bytes: number
  /** The largest total of arrived bytes in all bodies being received or in use. */
  readonly bytesInFlight: number
  readonly milliseconds: number
}

/** The limits of a webhook body. Providers send kilobytes. */
export const webhookBodyLimits: BodyLimits = {
  bytes: 1_048_576,
  bytesInFlight: 33_554_432,
  milliseconds: 10_000,
}

/** Data that a framework's parser left on its own request object. */
export interface Parsed {
  readonly body?: unknown
  readonly rawBody?: unknown
}

/** Reads raw bodies within limits that all requests of one instance share. One sender may use a quarter. */
export function createBodyReader(limits: BodyLimits) {
  const inFlight = createInFlight({ bytesPerSender: limits.bytesInFlight / 4, bytes: limits.bytesInFlight })

  /**
   * `sender` owns the used space: an address, or a known caller's key.
   * @throws ERR_BODY_CONSUMED, ERR_BODY_TOO_LARGE, ERR_BODY_SLOW, ERR_BODY_UNREADABLE, ERR_BUSY
   */
  const read = async (request: IncomingMessage, sender: string, parsed: Parsed = {}): Promise<Buffer> => {
    const { bytes, arriving } = await take(request, sender, parsed)
    inFlight.end(arriving)
    return bytes
  }

  /** Same as `read`, but the body keeps its space until `use` is done. */
  const hold = async <T>(
    request: IncomingMessage,
    sender: string,
    parsed: Parsed,
    use: (body: Buffer) => Promise<T>,
  ): Promise<T> => {
    const { bytes, arriving } = await take(request, sender, parsed)
    try {
      return await use(bytes)
    } finally {
      inFlight.end(arriving)
    }
  }

  const take = (request: IncomingMessage, sender: string, parsed: Parsed): Whole | Promise<Whole> => {
    const kept = keptBytes(request, parsed)
    if (kept) return count(kept, sender)
    if (isConsumed(request)) throw consumed()
    if (Number(request.headers['content-length'] ?? 0) > limits.bytes)
      return refuse(request, tooLarge(limits.bytes))
    return collect(request, sender)
  }

  /** Counts the bytes left by a parser like arriving ones. */
  const count = (bytes: Buffer, sender: string): Whole => {
    if (bytes.length > limits.bytes) throw tooLarge(limits.bytes)
    let isTooMuch = false
    const arriving = inFlight.begin(sender, () => {
      isTooMuch = true
      inFlight.end(arriving)
    })
    inFlight.grow(arriving, bytes.length)
    if (isTooMuch) throw busy()
    inFlight.keep(arriving)
    return { bytes, arriving }
  }

  const collect = (request: IncomingMessage, sender: string): Promise<Whole> =>
    new Promise((done, failed) => {
      const buffer = createBoundedBuffer()
      const finish = () => {
        clearTimeout(timer)
        request.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost)
      }
      const stop = (error: MembershipError) => {
        finish()
        inFlight.end(arriving)
        refuse(request, error).catch(failed)
      }
      const onData = (piece: Buffer) => {
        if (buffer.length() + piece.length > limits.bytes) return stop(tooLarge(limits.bytes))
        buffer.add(piece)
        inFlight.grow(arriving, piece.length)
      }
      const onEnd = () => {
        finish()
        inFlight.keep(arriving)
        done({ bytes: buffer.bytes(), arriving })
      }
      const onLost = () => {
        finish()
        inFlight.end(arriving)
        failed(cutShort())
      }
      const timer = setTimeout(() => stop(tooSlow(limits.milliseconds)), limits.milliseconds)
      const arriving = inFlight.begin(sender, () => stop(busy()))
      request.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost)
    })

  return { read, hold }
}

/** A complete body, with the space it occupies. */
interface Whole {
  readonly bytes: Buffer
  readonly arriving: Arriving
}

/** True if an unreadable body is its sender's fault: too large, too slow, or incomplete. */
export function isSendersFault(error: unknown): boolean {
  return (
    isMembershipError(error, 'ERR_BODY_TOO_LARGE') ||
    isMembershipError(error, 'ERR_BODY_SLOW') ||
    isMembershipError(error, 'ERR_BODY_UNREADABLE')
  )
}

/**
 * Discards what a refused caller still sends, so that the answer reaches it, and then closes the connection.
 * "Connection: close" would let Node cut it together with the answer, and a caller that is still sending would not read
 * it.
 */
export async function refuse(request: IncomingMessage, error: unknown): Promise<never> {
  request.on('error', () => undefined)
  request.resume()
  setTimeout(() => request.destroyed || request.readableEnded || request.destroy(), drainMs).unref()
  throw error
}
const drainMs = 2000

/** The bytes that an earlier parser kept: `rawBody`, koa-body's unparsed symbol, or a Buffer as body. */
function keptBytes(request: IncomingMessage, parsed: Parsed): Buffer | null {
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

function unparsedOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null
    ? (body as Record<symbol, unknown>)[Symbol.for('unparsedBody')]
    : undefined
}

/** True if a parser has read the body already. */
export function isConsumed(request: IncomingMessage): boolean {
  return (
    request.readableEnded ||
    (request as { readableDidRead?: boolean }).readableDidRead === true ||
    request.destroyed
  )
}

/** Another parser read the body without keeping a copy. */
export function consumed() {
  return new MembershipError(
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
}
function tooLarge(bytes: number) {
  return new MembershipError('ERR_BODY_TOO_LARGE', `The body is larger than ${bytes} bytes.`, {
    action: `Send at most ${bytes} bytes.`,
  })
}
function busy() {
  return new MembershipError('ERR_BUSY', 'Too much is being received at once.', {
    retryAfterSeconds: 5,
    action: 'Send it again shortly.',
  })
}
/** The body did not arrive in time. */
export function tooSlow(ms: number) {
  return new MembershipError('ERR_BODY_SLOW', `The body did not arrive within ${ms / 1000} seconds.`, {
    action: 'Send it again, over a faster connection.',
  })
}
/** The sender disconnected before its body was complete. */
export function cutShort() {
  return new MembershipError('ERR_BODY_UNREADABLE', 'The connection ended before the body did.', {
    action: 'Send it again, whole.',
  })
}
