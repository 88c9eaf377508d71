import test from 'ava'
import { allDatabases, type TestDatabase } from '../../support/databases.ts'
import { kirbyPage, plainPage } from '../../support/web.ts'
import { plainJpeg } from '../preview/support.ts'
import { added, bodyOf, type Import, type List, openIndex, refused, wholeOf } from './support.ts'

function sites() {
  return {
    'a.example': { '/': kirbyPage('Site A') },
    'b.example': { '/': kirbyPage('Site B') },
    'plain.example': { '/': plainPage() },
    'nul.example': { '/': kirbyPage('N\0ul'), '/robots.txt': 'User-agent: other\0\nDisallow: /' },
  }
}

for (const open of allDatabases) {
  let databases: TestDatabase
  const name = open.name.replace('Databases', '')
  const openHere = async (t: Parameters<typeof openIndex>[0]) => {
    const index = await openIndex(t, sites(), { url: await databases.url() })
    return { index, ann: await index.partner('ann'), bob: await index.partner('bob') }
  }
  test.before(`${name} starts`, async () => {
    databases = await open()
  })
  test.after.always(`${name} ends`, () => databases?.close())

  test.serial(`${name}: add, list, read, patch and delete`, async (t) => {
    const { index, ann, bob } = await openHere(t)
    const created = await ann.add('http://a.example/')
    t.is(created.status, 201)
    const { data } = await bodyOf(created)
    t.deepEqual((await bodyOf(await ann.read(data.id))).data, data)
    t.deepEqual((await bodyOf<List>(await ann.list())).data, [data])
    const tag = created.headers.get('etag')!
    t.is((await ann.read(data.id, '', { 'if-none-match': tag })).status, 304)
    index.clock.move(1000)
    const refreshed = await ann.refresh(data.id, { 'if-match': tag })
    t.is(refreshed.status, 200)
    t.is((await bodyOf(refreshed)).data.updated_at, '2026-03-01T10:20:31.000Z')
    await refused(t, await ann.refresh(data.id, { 'if-match': tag }), 412, 'ERR_PRECONDITION')
    t.is((await ann.add('http://a.example/')).status, 200)
    await refused(t, await bob.add('http://a.example/'), 409, 'ERR_REPORT_EXISTS')
    await refused(t, await bob.remove(data.id), 404, 'ERR_NOT_FOUND')
    await refused(t, await ann.add('http://plain.example/'), 422, 'ERR_SYSTEM_NOT_DETECTED')
    t.is((await ann.remove(data.id)).status, 204)
    t.is((await bodyOf<List>(await ann.list())).data.length, 0)
    t.is((await bodyOf<List>(await ann.list('?status=rejected'))).data.length, 1)
    await added(t, bob, 'http://a.example/')
  })

  test.serial(`${name}: simultaneous websites and their pages`, async (t) => {
    const { ann } = await openHere(t)
    const answers = await Promise.all(['a', 'b', 'a', 'b'].map((site) => ann.add(`http://${site}.example/`)))
    for (const { status } of answers) t.true(status === 200 || status === 201)
    const first = await bodyOf<List>(await ann.list('?limit=1'))
    const second = await bodyOf<List>(await ann.ask('GET', first.links.next!))
    t.is(second.links.next, null)
    t.deepEqual([...first.data, ...second.data].map(({ url }) => url).sort(), [
      'http://a.example/',
      'http://b.example/',
    ])
  })

  test.serial(`${name}: a preview is stored, replaced and deleted`, async (t) => {
    const { ann } = await openHere(t)
    const id = await added(t, ann, 'http://a.example/')
    const first = (await bodyOf(await ann.upload(id, await plainJpeg(20, 10)))).data.preview!
    const second = (await bodyOf(await ann.upload(id, await plainJpeg(30, 10)))).data.preview!
    t.is((await fetch(first.url)).status, 404)
    const picture = Buffer.from(await (await fetch(second.url)).arrayBuffer())
    t.is(picture.length, second.bytes)
    t.is(picture.toString('hex', 0, 3), 'ffd8ff')
    await ann.remove(id)
    t.is((await fetch(second.url)).status, 404)
  })

  test.serial(`${name}: an import of 1 000 lines`, async (t) => {
    const { index, ann, bob } = await openHere(t)
    const lines = [
      'http://a.example/',
      'http://plain.example/',
      'nul\0.example',
      ...Array(997).fill('no address'),
    ]
    const answer = await ann.ask('POST', '/reports/imports', {}, lines.join('\n'))
    t.is(answer.status, 202)
    const { id } = (await bodyOf<Import>(answer)).data
    await index.m.runDueJobs()
    const { data } = await bodyOf<Import>(await ann.ask('GET', `/reports/imports/${id}`))
    t.deepEqual(
      data.lines.slice(0, 4).map(({ outcome }) => outcome),
      ['added', 'rejected', 'invalid', 'invalid'],
    )
    t.like(data, { status: 'done', total: 1000, done: 1000 })
    await refused(t, await bob.ask('GET', `/reports/imports/${id}`), 404, 'ERR_NOT_FOUND')
  })

  test.serial(`${name}: the same request with the same Idempotency-Key is carried out once`, async (t) => {
    const { ann } = await openHere(t)
    const headers = { 'idempotency-key': '"one"' }
    const answers = await Promise.all(
      Array.from({ length: 5 }, async () => wholeOf(await ann.add('http://a.example/', headers))),
    )
    const made = answers.filter(({ status }) => status === 201)
    t.true(made.length >= 1)
    t.true(answers.every(({ status }) => status === 201 || status === 409))
    t.is((await wholeOf(await ann.add('http://a.example/', headers))).body, made[0]!.body)
    await refused(t, await ann.add('http://b.example/', headers), 422, 'ERR_IDEMPOTENCY_REUSED')
    t.is((await bodyOf<List>(await ann.list())).data.length, 1)
  })

  test.serial(`${name}: characters that a database may not support do no harm`, async (t) => {
    const { ann } = await openHere(t)
    for (const path of ['/reports/%00', '/reports/rpt_%00', '/reports/imports/%00'])
      await refused(t, await ann.ask('GET', path), 404, 'ERR_NOT_FOUND')
    await refused(t, await ann.ask('DELETE', '/reports/%00'), 404, 'ERR_NOT_FOUND')
    await refused(t, await ann.add('http://a\0.example/'), 422, 'ERR_URL_NOT_ALLOWED')
    t.is((await ann.add('http://nul.example/')).status, 201)
    t.is((await ann.add('http://a.example/?q=\0')).status, 422)
    t.is((await ann.ask('POST', '/reports/imports', {}, 'a\0b\n\uD800\n')).status, 202)
  })
}
