import test from 'ava'
import { startIndex } from '../../support/index-host.ts'
import { kirbyPage, type Page, startWeb } from '../../support/web.ts'

/** Sends a byte every 400 ms, so that no timeout between two bytes ever ends it. */
const dripping: Page = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
  const timer = setInterval(() => response.write(' '), 400)
  response.on('close', () => clearInterval(timer))
}

const attackers = 30

test('thirty dripping hosts of one partner delay nobody else at the same address', async (t) => {
  const names = Array.from({ length: attackers }, (_, n) => `drip-${n}.example`)
  const web = await startWeb({
    ...Object.fromEntries(names.map((name) => [name, { '/': dripping }])),
    'harbour.example': { '/': kirbyPage('The harbour') },
  })
  const index = await startIndex(web)
  t.teardown(async () => {
    await index.close()
    await web.close()
  })
  const [attacker, other] = [await index.partner('attacker'), await index.partner('other')]
  for (const name of names) await attacker.add(`http://${name}/`, { Prefer: 'respond-async' })
  await new Promise((done) => setTimeout(done, 200))

  const began = performance.now()
  let answer = await other.add('http://harbour.example/')
  let { data } = (await answer.json()) as { data: { id: string; status: string } }
  while (data.status === 'pending') {
    await new Promise((done) => setTimeout(done, 100))
    answer = await other.read(data.id)
    ;({ data } = (await answer.json()) as { data: { id: string; status: string } })
  }
  const seconds = (performance.now() - began) / 1000
  t.log(`listed after ${seconds.toFixed(2)} s`)
  t.is(data.status, 'listed')
  // A visit lasts four seconds at most: whoever waited for one of the slow ones would need more.
  t.true(seconds < 4, `${seconds.toFixed(2)} s`)
})
