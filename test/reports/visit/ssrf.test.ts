import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { publicOnly } from '../../../src/reports/index.ts'
import { startIndex } from '../../support/index-host.ts'
import { kirbyPage, startWeb } from '../../support/web.ts'
import { tryRules } from '../refusals-by-rule.ts'
import { addresses, corpus, oddUrls, payloads, type Refusal, tryAll } from './refusals.ts'

async function problemOf(answer: Response) {
  return (await answer.json()) as Record<string, string>
}

test.serial(
  'no private address is reached: directly, by a name that resolves to it, or by a redirect',
  async (t) => {
    const rows = await tryAll([...addresses.map((host) => `http://${host}/`), ...oddUrls].map(toPayload))
    t.deepEqual(
      rows.filter(({ connected }) => connected > 0),
      [],
    )
    const wrong = (way: Refusal['way'], verdict: string) =>
      rows
        .filter((row) => row.way === way && row.verdict !== verdict)
        .map((row) => [row.payload, row.verdict])
    // Without a scheme it is https; that name is a public one, which nobody knows here.
    const schemeless = ['//example.com/', 'example.com']
    t.deepEqual(
      wrong('as it is', 'ERR_URL_NOT_ALLOWED').filter(([url]) => url !== '' && !schemeless.includes(url!)),
      [],
    )
    t.deepEqual(wrong('by its name', 'ERR_URL_NOT_ALLOWED'), [])
    // An empty or relative target leads back to where it came from.
    const relative = ['//example.com/', 'example.com', 'http://', '']
    t.deepEqual(
      wrong('by redirect', 'redirect-not-allowed').filter(([url]) => !relative.includes(url!)),
      [],
    )
  },
)

test.serial('other names of the same website, excluded ones, and false pictures are refused', async (t) => {
  const rows = await tryRules()
  t.true(rows.length > 30)
  t.deepEqual(
    rows.filter(({ expected, verdict }) => verdict !== expected),
    [],
  )
})

const withCorpus = existsSync(corpus) ? test.serial : test.skip
withCorpus('no payload of the public lists is reached', async (t) => {
  const rows = await tryAll(payloads())
  t.log(`${rows.length} tries`)
  t.true(rows.length > 250)
  t.deepEqual(
    rows.filter(({ connected }) => connected > 0),
    [],
  )
  const allowed = new Set([
    'ERR_URL_NOT_ALLOWED',
    'redirect-not-allowed',
    'dns',
    'too-many-redirects',
    'http-4xx',
  ])
  t.deepEqual(
    rows
      .filter(({ verdict }) => !allowed.has(verdict))
      .map(({ payload, way, verdict }) => [payload, way, verdict]),
    [['', 'as it is', 'ERR_PARAMETER']].filter(() => rows.some(({ verdict }) => verdict === 'ERR_PARAMETER')),
  )
})

test.serial('answers do not reveal what is on a private address', async (t) => {
  const rows = await tryAll(
    ['http://127.0.0.1/', 'http://10.1.2.3/', 'http://169.254.169.254/latest/', 'http://[::1]/'].map(
      toPayload,
    ),
  )
  // Nor whether the address itself was wrong or what its name stands for.
  for (const ways of [['as it is', 'by its name'], ['by redirect']]) {
    const answers = new Set(rows.filter(({ way }) => ways.includes(way)).map(({ answer }) => answer))
    t.is(answers.size, 1, [...answers].join('\n'))
  }
})

// docs/website-index-mounting.md says how an index that shares its name service with an inner network closes this difference.
test.serial('a private name is refused like its address, an unknown one as unknown', async (t) => {
  const answersWith = async (inner: readonly string[]) => {
    const web = await startWeb()
    const index = await startIndex(web, {
      reports: {
        policy: publicOnly,
        resolve: async (host) => {
          if (inner.includes(host)) return [{ address: '10.0.0.1' }]
          throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
        },
      },
    })
    t.teardown(async () => {
      await index.close()
      await web.close()
    })
    const ann = await index.partner('ann')
    const problems = ['intranet', 'unknown'].map(async (name) =>
      problemOf(await ann.add(`http://${name}.company.com/`)),
    )
    return (await Promise.all(problems)).map(({ code, reason }) => reason ?? code)
  }
  t.deepEqual(await answersWith(['intranet.company.com']), ['ERR_URL_NOT_ALLOWED', 'dns'])
  t.deepEqual(await answersWith([]), ['dns', 'dns'], 'with a public name service')
})

test.serial('one private address among public ones refuses all of them', async (t) => {
  const web = await startWeb()
  const index = await startIndex(web, {
    reports: {
      policy: publicOnly,
      resolve: async () => [{ address: '93.184.215.14' }, { address: '10.0.0.1' }],
    },
  })
  t.teardown(async () => {
    await index.close()
    await web.close()
  })
  const ann = await index.partner('ann')
  t.is((await problemOf(await ann.add('http://mixed.com/'))).code, 'ERR_URL_NOT_ALLOWED')
  t.deepEqual(((await (await ann.list()).json()) as { data: unknown[] }).data, [])
  t.deepEqual(
    await index.m.storage.read((db) => db.selectFrom('robots').selectAll()),
    [],
    'nothing is kept of it',
  )
})

test.serial('a name is resolved once: a second answer changes nothing', async (t) => {
  const reached: string[] = []
  const listen = (address: string, port: number) =>
    new Promise<ReturnType<typeof createServer>>((done) => {
      const server = createServer((_, response) => {
        reached.push(address)
        response.writeHead(200, { 'content-type': 'text/html' }).end(kirbyPage())
      }).listen(port, address, () => done(server))
    })
  const good = await listen('127.0.0.1', 0)
  const { port } = good.address() as AddressInfo
  const bad = await listen('127.0.0.2', port)
  let asked = 0
  const web = await startWeb()
  const index = await startIndex(web, {
    reports: {
      resolve: async () => [{ address: asked++ === 0 ? '127.0.0.1' : '127.0.0.2', port }],
      policy: { allowsHost: () => true, allowsAddress: (address) => address === '127.0.0.1' },
    },
  })
  t.teardown(async () => {
    await index.close()
    await web.close()
    for (const server of [good, bad]) server.close()
  })
  const ann = await index.partner('ann')
  t.is((await ann.add('http://rebinding.com/')).status, 201)
  t.is(asked, 1)
  t.deepEqual(new Set(reached), new Set(['127.0.0.1']))
  // Asked anew for the next visit, it is refused.
  t.is((await problemOf(await ann.add('http://rebinding.com/other'))).code, 'ERR_URL_NOT_ALLOWED')
  t.deepEqual(new Set(reached), new Set(['127.0.0.1']))
})

test.serial('proxies of the environment are not used', async (t) => {
  let used = 0
  const proxy = createServer((_, response) => {
    used++
    response.end()
  }).listen(0, '127.0.0.1')
  proxy.on('connect', (_, socket) => {
    used++
    socket.destroy()
  })
  await new Promise((done) => proxy.once('listening', done))
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']
  const before = names.map((name) => process.env[name])
  for (const name of names) process.env[name] = address
  const web = await startWeb({ 'a.example': { '/': kirbyPage() } })
  const index = await startIndex(web)
  t.teardown(async () => {
    names.forEach((name, i) => {
      if (before[i] === undefined) delete process.env[name]
      else process.env[name] = before[i]
    })
    await index.close()
    await web.close()
    proxy.close()
  })
  const ann = await index.partner('ann')
  t.is((await index.m.reports.detect('http://a.example/')).finding.kind, 'listed')
  t.truthy(ann.key)
  t.is(used, 0)
})

test.serial('a redirect from https to http is not followed, nor to another kind of address', async (t) => {
  const targets = [
    'ftp://a.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'http://a.example:8080/',
  ]
  const web = await startWeb({
    'a.example': Object.fromEntries(
      targets.map((location, i) => [
        `/${i}`,
        (_, response) => void response.writeHead(301, { location }).end(),
      ]),
    ),
  })
  const index = await startIndex(web)
  t.teardown(async () => {
    await index.close()
    await web.close()
  })
  for (const [i, target] of targets.entries()) {
    const { finding } = await index.m.reports.detect(`http://a.example/${i}`)
    t.is(finding.kind === 'unreachable' ? finding.reason : finding.kind, 'redirect-not-allowed', target)
  }
})

function toPayload(url: string) {
  return payloads().find((payload) => payload.url === url) ?? { url, address: null }
}
