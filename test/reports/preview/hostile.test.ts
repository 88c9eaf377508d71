import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { createUploads } from '../../../src/reports/preview/index.ts'
import { filePart, formOfLength, multipart } from '../../support/multipart.ts'
import { hostileForms } from './hostile-forms.ts'
import { openServer, padded, plainJpeg, segmentsOf } from './support.ts'

async function good() {
  return multipart([filePart(await plainJpeg())])
}
const codes: Record<number, string | undefined> = { 400: 'ERR_UPLOAD', 413: 'ERR_BODY_TOO_LARGE' }

test('every hostile form gets its status, and the next good one is accepted', async (t) => {
  const server = await openServer(t)
  const jpeg = await plainJpeg()
  for (const [title, form, status] of hostileForms) {
    const answer = await server.post(form(jpeg))
    t.is(answer.status, status, title)
    t.is(answer.code, codes[status], title)
    t.is((await server.post(await good())).status, 200, `after ${title}`)
  }
})

test('a refusal says what to do and shows no file name', async (t) => {
  const server = await openServer(t)
  const { body } = await server.post(multipart([filePart(Buffer.from('x'), { filename: 'my-secret.jpg' })]))
  t.regex(body.toString(), /curl -X POST .* -F preview=@screenshot\.jpg/)
  t.false(body.includes('my-secret'))
})

test('a file of 204 799 bytes is accepted and one byte more is not', async (t) => {
  const jpeg = await plainJpeg()
  for (const server of [await openServer(t), await openServer(t, { sharp: false })]) {
    const taken = await server.post(multipart([filePart(padded(jpeg, 204_799))]))
    t.is(taken.status, 200)
    t.false(segmentsOf(taken.body).segments.some(({ code }) => code === 0xfe))
    const refused = await server.post(multipart([filePart(padded(jpeg, 204_800))]))
    t.is(refused.status, 413)
    t.is(refused.code, 'ERR_BODY_TOO_LARGE')
  }
})

test('a body of 262 144 bytes is accepted and one byte more is not', async (t) => {
  const server = await openServer(t)
  const jpeg = padded(await plainJpeg(), 204_799)
  t.is(formOfLength(jpeg, 262_144).body.length, 262_144)
  t.is((await server.post(formOfLength(jpeg, 262_144))).status, 200)
  const refused = await server.post(formOfLength(jpeg, 262_145))
  t.is(refused.status, 413)
  t.is(refused.code, 'ERR_BODY_TOO_LARGE')
})

test('a slow body, or one shorter than declared, is a 408', async (t) => {
  const server = await openServer(t, { timeoutMs: 150 })
  const { body, contentType } = await good()
  const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${contentType}\r\n`
  const begun = Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`), body])
  t.is(await server.raw(begun.subarray(0, -10)), '408')
  const lying = Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length + 1}\r\n\r\n`), body])
  t.is(await server.raw(lying), '408')
  t.is((await server.post(await good())).status, 200)
})

test('a body longer than declared is cut there and refused', async (t) => {
  const server = await openServer(t)
  const { body, contentType } = await good()
  const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${contentType}\r\nContent-Length: ${body.length - 20}\r\n\r\n`
  t.is(await server.raw(Buffer.concat([Buffer.from(head), body])), '400')
  t.is((await server.post(await good())).status, 200)
})

test('a connection that ends in the middle of a body leaves the server intact', async (t) => {
  const server = await openServer(t)
  const { body, contentType } = await good()
  const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${contentType}\r\nContent-Length: ${body.length}\r\n\r\n`
  t.not(await server.raw(Buffer.concat([Buffer.from(head), body.subarray(0, 50)]), true), '200')
  t.is((await server.post(await good())).status, 200)
})

test('a chunked body is a 411, even an endless one', async (t) => {
  const server = await openServer(t)
  const { body, contentType } = await good()
  const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${contentType}\r\nTransfer-Encoding: chunked\r\n\r\n`
  const chunk = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')])
  t.is(await server.raw(Buffer.concat([Buffer.from(head), chunk, Buffer.from('0\r\n\r\n')])), '411')
  t.is(await server.raw(Buffer.concat([Buffer.from(head), chunk])), '411')
  t.is((await server.post(await good())).status, 200)
})

test('a declared length above the limit is refused before its first byte', async (t) => {
  const server = await openServer(t)
  const { contentType } = await good()
  const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${contentType}\r\nContent-Length: 262145\r\n\r\n`
  t.is(await server.raw(head), '413')
})

test('a parsed body is read, and a discarded one gets its own error', async (t) => {
  const { body, contentType } = await good()
  const uploads = createUploads()
  const server = createServer(async (req, res) => {
    const rawBody = Buffer.concat(await req.toArray())
    const file = await uploads.read(req, 'test', { rawBody })
    const error = await t.throwsAsync(uploads.read(req, 'test'), { code: 'ERR_BODY_CONSUMED' })
    res.end(`${file.length} ${error?.message}`)
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const headers = { 'Content-Type': contentType }
  const answer = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    headers,
    body: new Uint8Array(body),
  })
  t.regex(await answer.text(), new RegExp(`^${(await plainJpeg()).length} .*form`))
})
