import test from 'ava'
import sharp from 'sharp'
import { filePart, formOfLength, multipart } from '../../support/multipart.ts'
import { kirbyPage } from '../../support/web.ts'
import { padded, plainJpeg } from '../preview/support.ts'
import { added, bodyOf, type OpenIndex, openIndex, type Partner, refused } from './support.ts'

function sites() {
  return { 'a.example': { '/': kirbyPage('Site A') }, 'b.example': { '/': kirbyPage('Site B') } }
}

async function open(t: Parameters<typeof openIndex>[0]): Promise<[OpenIndex, Partner, string]> {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  return [index, partner, await added(t, partner, 'http://a.example/')]
}

test('an upload is answered 200 with the picture, which is public under a random name', async (t) => {
  const [index, partner, id] = await open(t)
  const answer = await partner.upload(id, await plainJpeg(64, 48))
  t.is(answer.status, 200)
  const { preview } = (await bodyOf(answer)).data
  t.regex(preview!.url, new RegExp(`^${index.site}/reports/previews/prv_[\\w-]{24}\\.jpg$`))
  const picture = await fetch(preview!.url)
  const bytes = Buffer.from(await picture.arrayBuffer())
  t.like(preview, { width: 64, height: 48, bytes: bytes.length, custom: true })
  t.is((await sharp(bytes).metadata()).format, 'jpeg')
  for (const [name, value] of Object.entries({
    'content-type': 'image/jpeg',
    'x-content-type-options': 'nosniff',
    'content-disposition': 'inline',
  }))
    t.is(picture.headers.get(name), value)
  const etag = picture.headers.get('etag')!
  const again = await fetch(preview!.url, { headers: { 'if-none-match': etag } })
  t.is(again.status, 304)
})

test('an invalid or truncated form, or one without a file, is a 400', async (t) => {
  const [, partner, id] = await open(t)
  const jpeg = await plainJpeg()
  const whole = multipart([filePart(jpeg)])
  const forms = [
    { contentType: 'image/jpeg', body: jpeg },
    { contentType: 'multipart/form-data', body: whole.body },
    { contentType: 'multipart/form-data; boundary=other', body: whole.body },
    { ...whole, body: whole.body.subarray(0, -20) },
    multipart([filePart(jpeg, { name: 'picture' })]),
    multipart([{ name: 'preview', body: 'text' }]),
    multipart([filePart(Buffer.alloc(0))]),
    multipart([filePart(jpeg), filePart(jpeg)]),
  ]
  for (const { contentType, body } of forms)
    await refused(
      t,
      await partner.ask('POST', `/reports/${id}`, { 'content-type': contentType }, new Uint8Array(body)),
      400,
      'ERR_UPLOAD',
    )
  await refused(t, await partner.ask('POST', `/reports/${id}`), 400, 'ERR_UPLOAD')
  t.is((await bodyOf(await partner.read(id))).data.preview, null)
})

test('an upload without a length is a 411', async (t) => {
  const [, partner, id] = await open(t)
  const { contentType, body } = multipart([filePart(await plainJpeg())])
  const stream = new Blob([new Uint8Array(body)]).stream()
  const answer = await partner.ask('POST', `/reports/${id}`, { 'content-type': contentType }, stream)
  await refused(t, answer, 411, 'ERR_LENGTH_REQUIRED')
})

test('a file of 204 800 bytes or a form beyond 256 kB is a 413', async (t) => {
  const [, partner, id] = await open(t)
  const jpeg = await plainJpeg()
  await refused(t, await partner.upload(id, padded(jpeg, 204_800)), 413, 'ERR_BODY_TOO_LARGE')
  const { contentType, body } = formOfLength(jpeg, 262_145)
  const answer = await partner.ask(
    'POST',
    `/reports/${id}`,
    { 'content-type': contentType },
    new Uint8Array(body),
  )
  await refused(t, answer, 413, 'ERR_BODY_TOO_LARGE')
  t.is((await partner.upload(id, padded(jpeg, 204_799))).status, 200)
})

test('a file that is no JPEG is a 415', async (t) => {
  const [, partner, id] = await open(t)
  const png = await sharp(await plainJpeg())
    .png()
    .toBuffer()
  await refused(t, await partner.upload(id, png), 415, 'ERR_NOT_JPEG')
})

test('a damaged picture and one with too many pixels are a 422, and the former one stays', async (t) => {
  const [, partner, id] = await open(t)
  const jpeg = await plainJpeg(200, 200)
  const { preview } = (await bodyOf(await partner.upload(id, jpeg))).data
  await refused(t, await partner.upload(id, jpeg.subarray(0, jpeg.length / 2)), 422, 'ERR_IMAGE')
  const huge = await plainJpeg(5001, 5000)
  t.true(huge.length < 204_800)
  const body = await refused(t, await partner.upload(id, huge), 422, 'ERR_IMAGE')
  t.regex(body.detail, /pixels/)
  t.deepEqual((await bodyOf(await partner.read(id))).data.preview, preview)
})

test('a picture is deleted with its website', async (t) => {
  const [, partner, id] = await open(t)
  const { preview } = (await bodyOf(await partner.upload(id, await plainJpeg()))).data
  await partner.remove(id)
  t.is((await fetch(preview!.url)).status, 404)
})

test('the partner’s picture stays when the website is visited again', async (t) => {
  const index = await openIndex(t, sites())
  const partner = await index.partner('ann')
  const id = await added(t, partner, 'http://a.example/')
  const { preview } = (await bodyOf(await partner.upload(id, await plainJpeg()))).data
  t.deepEqual((await bodyOf(await partner.refresh(id))).data.preview, preview)
})
