import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import sharp from 'sharp'
import { toProblem } from '../../../src/core/errors.ts'
import {
  createImages,
  createUploads,
  type ImageOptions,
  previewHeaders,
  type UploadOptions,
} from '../../../src/reports/preview/index.ts'
import type { Form } from '../../support/multipart.ts'

const folder = join(import.meta.dirname, '../../../../shared/corpora/jpeg')

/** Every file of the collection of odd JPEGs beside the project; null without the folder. */
export function jpegCorpus(): Map<string, Buffer> | null {
  return existsSync(folder)
    ? new Map(
        readdirSync(folder)
          .filter((file) => file.endsWith('.jpg'))
          .map((file) => [file, readFileSync(join(folder, file))]),
      )
    : null
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  readonly code: string | undefined
  readonly size: string
}

/** A server on loopback that answers every request with the preview or the problem, closed after the test. */
export async function openServer(t: ExecutionContext, options: UploadOptions & ImageOptions = {}) {
  const uploads = createUploads(options)
  const images = createImages(options)
  const server = createServer((req, res) => {
    const work = async () => {
      const preview = await images.toPreview(await uploads.read(req, 'test'))
      res.writeHead(200, { ...previewHeaders(preview), 'X-Size': `${preview.width}x${preview.height}` })
      res.end(preview.bytes)
    }
    work().catch((error: unknown) => {
      const { status, body } = toProblem(error)
      res.writeHead(status, { 'Content-Type': 'application/problem+json' }).end(JSON.stringify(body))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    post: (form: Form, headers: Record<string, string | number> = {}) => post(port, form, headers),
    raw: (text: string | Buffer, isLast = false) => raw(port, text, isLast),
  }
}

function post(
  port: number,
  { body, contentType }: Form,
  headers: Record<string, string | number>,
): Promise<Answer> {
  return new Promise((done, failed) => {
    const all = { 'content-type': contentType, 'content-length': body.length, ...headers }
    const sent = request({ port, host: '127.0.0.1', method: 'POST', headers: all, agent: false }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const status = res.statusCode ?? 0
        const code = status === 200 ? undefined : (JSON.parse(bytes.toString()) as { code: string }).code
        done({ status, code, headers: res.headers, body: bytes, size: String(res.headers['x-size']) })
      })
    })
    sent.on('error', failed)
    sent.end(body)
  })
}

/** Sends bytes as they are and gives back what the first answer's status line says; '' when there was none. */
function raw(port: number, text: string | Buffer, isLast: boolean): Promise<string> {
  return new Promise((done) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => (isLast ? socket.end(text) : socket.write(text)))
    const finish = () => {
      socket.destroy()
      done(/^HTTP\/1.1 (\d{3})/.exec(answer)?.[1] ?? '')
    }
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1')
      if (answer.includes('\r\n\r\n')) finish()
    })
    socket.on('error', finish).on('close', finish)
  })
}

/** A JPEG of that size in pixels, one colour. */
export function plainJpeg(width = 32, height = 24): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#c04020' } })
    .jpeg()
    .toBuffer()
}

/** A picture of that size that compresses badly, the same one every time. */
export function noise(width: number, height: number) {
  const values = Buffer.alloc(width * height * 3)
  let state = 1
  for (let at = 0; at < values.length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    values[at] = state >>> 24
  }
  return sharp(values, { raw: { width, height, channels: 3 } })
}

/** The same picture with comments before its end, so that the file has that many bytes and still is a JPEG. */
export function padded(jpeg: Buffer, bytes: number): Buffer {
  const end = jpeg.lastIndexOf(Buffer.from([0xff, 0xd9]))
  const comments: Buffer[] = []
  for (let missing = bytes - jpeg.length; missing > 0; ) {
    const size = missing > 65_000 + 4 ? 65_000 : missing
    const comment = Buffer.alloc(size, 0x20)
    comment.writeUInt16BE(0xfffe, 0)
    comment.writeUInt16BE(size - 2, 2)
    comments.push(comment)
    missing -= size
  }
  return Buffer.concat([jpeg.subarray(0, end), ...comments, jpeg.subarray(end)])
}

export interface Segment {
  /** The marker's second byte. */
  readonly code: number
  readonly payload: Buffer
}

/** Every segment of a JPEG and how much follows its end; written apart from the code under test. */
export function segmentsOf(jpeg: Buffer): { segments: Segment[]; trailing: number } {
  if (jpeg.readUInt16BE(0) !== 0xffd8) throw new Error('no SOI')
  const segments: Segment[] = []
  let at = 2
  while (jpeg.readUInt16BE(at) !== 0xffd9) {
    if (jpeg[at] !== 0xff) throw new Error(`no marker at ${at}`)
    const code = jpeg[at + 1]!
    if (code !== 0xff) {
      const length = jpeg.readUInt16BE(at + 2)
      segments.push({ code, payload: jpeg.subarray(at + 4, at + 2 + length) })
      at += 2 + length
      if (code === 0xda) while (!/^ff(?!00|d[0-7])/.test(jpeg.toString('hex', at, at + 2))) at += 1
    } else at += 1
  }
  return { segments, trailing: jpeg.length - at - 2 }
}
